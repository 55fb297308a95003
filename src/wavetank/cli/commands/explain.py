from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import msgspec
from rich.console import Console
from rich.text import Text

from wavetank.cli.console import console, print_warnings
from wavetank.cluster.releases import NEWEST
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
@click.option("--scheduler", metavar="NAME", help="The scheduler of the run in OUT.")
@click.option("--seed", type=int, metavar="N", help="The seed of the run in OUT.")
@click.option("-o", "--output", type=click.Choice(["table", "json"]), default="table", show_default=True)
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
    most: int,
) -> None:
    """Explain scheduling decisions: filters, scores, ties, preemption.

    Schedules the pods of a file one by one on a cluster (--cluster, --pods), or prints the attempts for POD (name, or
    namespace/name) that `wavetank run --explain` recorded in the results OUT.
    """
    of_state = (*cluster, pods, config, release, choices)
    of_run = (scheduler, seed)
    if (out is None) == (not cluster) or any(given is not None for given in (of_run if cluster else of_state)):
        raise click.UsageError("give either --cluster and what goes with it, or OUT and POD")
    if out is not None and pod is None:
        raise click.UsageError("give a POD: name, or namespace/name")
    if out is not None and pod is not None:
        _print(read_recorded(out, pod, scheduler, seed), output, most)
    else:
        _print(list(_rehearsed(cluster, pods, config, release, choices)), output, most)


def _rehearsed(
    files: tuple[Path, ...], pods: Path | None, config: Path | None, release: str | None, choices: Path | None
) -> Iterator[Explanation]:
    version = parse_version(release, "--kubernetes-version") if release else NEWEST
    configuration = read_configuration(config, version) if config else default_configuration(version)
    cluster = open_cluster(files)
    workload = None if pods is None else open_workload(pods)
    nodes = {manifest["metadata"]["name"] for manifest in cluster.manifests if manifest.get("kind") == "Node"}
    given = {} if choices is None else read_choices(choices, nodes)
    explainer = Explainer(cluster, SchedulerDefinition("explain", "", configuration), version, given)
    yield from explainer.explain_all(workload)
    missing = not_simulated(configuration)
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
