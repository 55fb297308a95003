from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
from wavetank.explanation.podquestion import PodAnswer, PodQuestion, with_pods
from wavetank.explanation.runquestion import explain_recorded
from wavetank.report.explanation import MOST_NODES, explanation_data, explanation_view
from wavetank.report.planning.advicepage import write_advice_page
from wavetank.report.planning.adviceview import advice_view, answer_data
from wavetank.results.attempts.explanation import Explanation
from wavetank.results.read.runfolder import holds_runs
from wavetank.scheduling.config import default_configuration
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.scheduling.registry import not_simulated
from wavetank.snapshots.snapshot import Snapshot, is_snapshot, open_snapshot
from wavetank.snapshots.taking import take_snapshot
from wavetank.workloads.open import open_cluster, open_workload

_EXAMPLES = """\b
Examples:
  wavetank explain prod.yaml.gz shop/web-7
  wavetank explain --kubeconfig ~/.kube/config shop/web-7 --html why.html
  wavetank explain prod.yaml.gz --pods new.yaml --scheduler profile.yaml --json
  wavetank run experiment.yaml --explain -o out/mine && wavetank explain out/mine web-7 --seed 1
  wavetank explain --cluster nodes.yaml --cluster bound.yaml --pods pods.yaml --config scheduler.yaml -o json
  wavetank explain --cluster nodes.yaml --pods pods.yaml --scheduler '{policy: topsis, args: {weights: [2, 1, 1]}}'
"""
_WIDTH = 160  # where the output is not a terminal
_WAYS = "give SNAPSHOT and POD, OUT and POD, --kubeconfig and POD, or --cluster and what goes with it"


@click.command(name="explain", epilog=_EXAMPLES)
@click.argument("source", required=False)
@click.argument("pod", required=False)
@click.option(
    "--kubeconfig", type=click.Path(path_type=Path), help="Explain a pod of the cluster behind this API server."
)
@click.option("--context", metavar="NAME", help="A context of the kubeconfig.  [default: the current one]")
@click.option(
    "--cluster",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A file of Kubernetes objects; may be repeated. Explains --pods one after the other.",
)
@click.option(
    "--pods",
    type=click.Path(path_type=Path),
    help="Pods that the cluster does not have yet.  [default: its own]",
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
    help="A name, a KubeSchedulerConfiguration, MODULE:CLASS or {an entry of an experiment}; "
    "with OUT the scheduler of the run.",
)
@click.option("--seed", type=int, metavar="N", help="The seed of the run in OUT.")
@click.option("-o", "--output", type=click.Choice(["table", "json"]), default="table", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="The same as -o json.")
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Also write the answer as a page.")
@click.option("--most", type=click.IntRange(min=1), default=MOST_NODES, show_default=True, help="Nodes per table.")
def command(
    source: str | None,
    pod: str | None,
    kubeconfig: Path | None,
    context: str | None,
    cluster: tuple[Path, ...],
    pods: Path | None,
    config: Path | None,
    release: str | None,
    choices: Path | None,
    scheduler: str | None,
    seed: int | None,
    output: str,
    as_json: bool,
    html: Path | None,
    most: int,
) -> None:
    """Explain why a pod is pending, and what would help; or why it is on its node.

    POD (name, or namespace/name) is a pod of SNAPSHOT, a file of `wavetank snapshot` or of `kubectl get -A -o yaml`;
    of a live cluster (--kubeconfig); or of OUT, results of `wavetank run --explain`. Each change that is offered was
    tried with the scheduler's own filters. With --cluster, pods are scheduled one by one, and every attempt explained:
    filters, scores, ties, preemption.
    """
    if config is not None and scheduler is not None:
        raise click.UsageError("give either --config or --scheduler")
    printing = _Printing("json" if as_json else output, most, html)
    chosen = _Chosen(config, scheduler, release)
    if cluster:
        if source or kubeconfig or context or seed is not None or html is not None:
            raise click.UsageError(_WAYS)
        printing.show_attempts(list(_rehearsed(cluster, pods, chosen, choices)))
        return
    if choices is not None or (seed is not None and (kubeconfig or context)):
        raise click.UsageError(_WAYS)
    if kubeconfig is not None or context is not None:
        if pod is not None:
            raise click.UsageError(_WAYS)
        printing.show(_of_snapshot(_live(kubeconfig, context), source, pods, chosen))
    elif source is None:
        raise click.UsageError(_WAYS)
    elif holds_runs(Path(source)) or not is_snapshot(Path(source)):
        if pods is not None or config is not None or release is not None:
            raise click.UsageError(_WAYS)
        if pod is None:
            raise click.UsageError("give a POD: name, or namespace/name")
        printing.show(explain_recorded(Path(source), pod, scheduler, seed))
    else:
        if seed is not None:
            raise click.UsageError(_WAYS)
        if pod is None and pods is None:
            raise click.UsageError("give a POD: name, or namespace/name")
        printing.show(_of_snapshot(open_snapshot([Path(source)]), pod, pods, chosen))


@dataclass(frozen=True)
class _Chosen:
    """The options that choose a scheduler and its release."""

    config: Path | None
    scheduler: str | None
    release: str | None

    @property
    def version(self) -> Version:
        return parse_version(self.release, "--kubernetes-version") if self.release else NEWEST

    @property
    def definition(self) -> SchedulerDefinition:
        if self.scheduler is None:
            version = self.version
            configuration = read_configuration(self.config, version) if self.config else default_configuration(version)
            return SchedulerDefinition("explain", "", configuration)
        found = read_scheduler(self.scheduler, self.version)
        if len(found) == 1 and isinstance(found[0], SchedulerDefinition):
            return found[0]
        raise InputError("only kube-scheduler and policies can be explained on a cluster", source="--scheduler")


def _of_snapshot(snapshot: Snapshot, pod: str | None, pods: Path | None, chosen: _Chosen) -> PodAnswer:
    if pods is not None:
        snapshot, added = with_pods(snapshot, open_workload(pods))
        pod = pod or added
    if pod is None:
        raise click.UsageError("give a POD: name, or namespace/name")
    return PodQuestion(snapshot, pod, chosen.definition, chosen.version, bool(chosen.scheduler)).ask()


def _live(kubeconfig: Path | None, context: str | None) -> Snapshot:
    from wavetank.batchoperator.client.remote.kubeconfig import default_path

    return take_snapshot(kubeconfig or default_path(), context)


def _rehearsed(
    files: tuple[Path, ...], pods: Path | None, chosen: _Chosen, choices: Path | None
) -> Iterator[Explanation]:
    version, scheduler = chosen.version, chosen.definition
    cluster = open_cluster(files)
    workload = None if pods is None else open_workload(pods)
    nodes = {manifest["metadata"]["name"] for manifest in cluster.manifests if manifest.get("kind") == "Node"}
    given = {} if choices is None else read_choices(choices, nodes)
    explainer = Explainer(cluster, scheduler, version, given, bool(chosen.scheduler))
    yield from explainer.explain_all(workload)
    missing = not_simulated(scheduler.configuration)
    print_warnings([f"not simulated: {', '.join(missing)}"] if missing else [])


@dataclass(frozen=True)
class _Printing:
    """How answers are shown."""

    output: str
    most: int
    html: Path | None

    def show(self, answer: PodAnswer) -> None:
        """Prints an answer about one pod, and writes its page."""
        if self.html is not None:
            write_advice_page(answer, self.html)
        if self.output == "json":
            _print_json(answer_data(answer))
            return
        self.show_attempts(answer.explanations)
        if answer.advice is not None:
            for part in advice_view(answer.advice, self.most):
                _screen().print(part, soft_wrap=isinstance(part, Text))
        if self.html is not None:
            console.print(f"page: {self.html}", highlight=False, markup=False, soft_wrap=True)
        print_warnings(answer.notes)

    def show_attempts(self, explanations: Sequence[Explanation]) -> None:
        """Prints attempts."""
        if self.output == "json":
            _print_json(explanation_data(explanations))
            return
        for explanation in explanations:
            for part in explanation_view(explanation, self.most):
                _screen().print(part, soft_wrap=isinstance(part, Text))


def _screen() -> Console:
    return console if console.is_terminal else Console(width=_WIDTH)


def _print_json(data: dict[str, object]) -> None:
    click.echo(msgspec.json.format(msgspec.json.encode(data), indent=2).decode())
