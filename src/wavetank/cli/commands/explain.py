from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import msgspec
from rich.console import Console
from rich.text import Text

from wavetank.cli.console import console, print_warnings
from wavetank.cli.options import read_scheduler
from wavetank.cluster.releases import NEWEST, Version
from wavetank.errors import InputError
from wavetank.experiments.document.schedulers import read_configuration
from wavetank.experiments.document.structures.values import parse_version
from wavetank.explanation.choices import read_choices
from wavetank.explanation.explainer import Explainer
from wavetank.report.explanation import MOST_NODES, explanation_data, explanation_view
from wavetank.results.attempts.explanation import Explanation
from wavetank.results.attempts.reading import read_recorded
from wavetank.scheduling.config import default_configuration
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.scheduling.registry import not_simulated
from wavetank.workloads.open import open_cluster, open_workload

_EXAMPLES = """\b
Examples:
  wavetank explain --cluster snapshot.yaml --pods pods.yaml
  wavetank explain --cluster nodes.yaml --cluster bound.yaml --pods pods.yaml --config scheduler.yaml -o json
  wavetank explain --cluster nodes.yaml --pods pods.yaml --scheduler '{policy: topsis, args: {weights: [2, 1, 1]}}'
  wavetank run experiment.yaml --explain -o out/mine && wavetank explain out/mine web-7 --seed 1
"""
_WIDTH = 160  # where the output is not a terminal


@click.command(name="explain", epilog=_EXAMPLES)
@click.argument("out", required=False, type=click.Path(path_type=Path))
@click.argument("pod", required=False)
@click.option(
    "--cluster", multiple=True, type=click.Path(path_type=Path), help="A file of Kubernetes objects; may be repeated."
)
@click.option(
    "--pods", type=click.Path(path_type=Path), help="The pods.  [default: pods of the cluster without a node]"
)
@click.option("--config", type=click.Path(path_type=Path), help="A KubeSchedulerConfiguration.")
@click.option(
    "--kubernetes-version", "release", metavar="VERSION", help="The Kubernetes release.  [default: the newest]"
)
@click.option(
    "--choices",
    type=click.Path(path_type=Path),
    help="A JSON file with the node to choose for each pod, among nodes of equal score.",
)
@click.option(
    "--scheduler",
    metavar="NAME",
    help="The scheduler of the run in OUT; with --cluster a name, MODULE:CLASS or {an entry of an experiment}.",
)
@click.option("--seed", type=int, metavar="N", help="The seed of the run in OUT.")
@click.option("-o", "--output", type=click.Choice(["table", "json"]), default="table", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="The same as -o json.")
@click.option("--most", type=click.IntRange(min=1), default=MOST_NODES, show_default=True, help="Nodes per table.")
def command(
    out: Path | None,
    pod: str | None,
    cluster: tuple[Path, ...],
    pods: Path | None,
    config: Path | None,
    release: str | None,
    choices: Path | None,
    scheduler: str | None,
    seed: int | None,
    output: str,
    as_json: bool,
    most: int,
) -> None:
    """Explain scheduling decisions: filters, scores, ties, preemption.

    Schedules the pods of a file one by one on a cluster (--cluster, --pods), or prints the attempts for POD (name, or
    namespace/name) that `wavetank run --explain` recorded in the results OUT.
    """
    output = "json" if as_json else output
    of_state = (*cluster, pods, config, release, choices)
    if (out is None) == (not cluster) or any(given is not None for given in ((seed,) if cluster else of_state)):
        raise click.UsageError("give either --cluster and what goes with it, or OUT and POD")
    if config is not None and scheduler is not None:
        raise click.UsageError("give either --config or --scheduler")
    if out is not None and pod is None:
        raise click.UsageError("give a POD: name, or namespace/name")
    if out is not None and pod is not None:
        _print(read_recorded(out, pod, scheduler, seed), output, most)
    else:
        version = parse_version(release, "--kubernetes-version") if release else NEWEST
        explained = _rehearsed(
            cluster, pods, _definition(config, scheduler, version), version, choices, bool(scheduler)
        )
        _print(list(explained), output, most)


def _definition(config: Path | None, scheduler: str | None, version: Version) -> SchedulerDefinition:
    if scheduler is None:
        configuration = read_configuration(config, version) if config else default_configuration(version)
        return SchedulerDefinition("explain", "", configuration)
    found = read_scheduler(scheduler, version)
    if len(found) == 1 and isinstance(found[0], SchedulerDefinition):
        return found[0]
    raise InputError("only kube-scheduler and policies can be explained on a cluster", source="--scheduler")


def _rehearsed(
    files: tuple[Path, ...],
    pods: Path | None,
    scheduler: SchedulerDefinition,
    version: Version,
    choices: Path | None,
    takes_all: bool,
) -> Iterator[Explanation]:
    cluster = open_cluster(files)
    workload = None if pods is None else open_workload(pods)
    nodes = {manifest["metadata"]["name"] for manifest in cluster.manifests if manifest.get("kind") == "Node"}
    given = {} if choices is None else read_choices(choices, nodes)
    explainer = Explainer(cluster, scheduler, version, given, takes_all)
    yield from explainer.explain_all(workload)
    missing = not_simulated(scheduler.configuration)
    print_warnings([f"not simulated: {', '.join(missing)}"] if missing else [])


def _print(explanations: list[Explanation], output: str, most: int) -> None:
    if output == "json":
        document = msgspec.json.encode(explanation_data(explanations))
        click.echo(msgspec.json.format(document, indent=2).decode())
        return
    screen = console if console.is_terminal else Console(width=_WIDTH)
    for explanation in explanations:
        for part in explanation_view(explanation, most):
            screen.print(part, soft_wrap=isinstance(part, Text))
