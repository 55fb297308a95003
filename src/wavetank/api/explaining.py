"""Why a pod is pending, or on its node."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wavetank.api.arguments import SchedulerLike, paths
from wavetank.api.printing import printed
from wavetank.api.results import Results
from wavetank.errors import InputError
from wavetank.results.read.runfolder import holds_runs

if TYPE_CHECKING:
    from wavetank.cluster.releases import Version
    from wavetank.explanation.podquestion import PodAnswer
    from wavetank.scheduling.definition import SchedulerDefinition
    from wavetank.snapshots.snapshot import Snapshot

_WIDTH = 160  # as of the command, if its output is not a terminal


class Explained:
    """The answer to `explain`: attempts, what would help, data and a page. Printed, it is what the command prints."""

    def __init__(self, answer: PodAnswer) -> None:
        self.answer = answer

    @property
    def node(self) -> str | None:
        """Returns the node that the scheduler chose at the last attempt, None if none takes the pod."""
        return self.answer.explanations[-1].chosen or None

    @property
    def offers(self) -> list[str]:
        """Returns the changes of which each would let the pod in, in words; none if it has a node."""
        return [] if self.answer.advice is None else [offer.text for offer in self.answer.advice.offers]

    @property
    def data(self) -> dict[str, Any]:
        """Returns the whole answer, as `wavetank explain --json` prints it."""
        from wavetank.report.planning.adviceview import answer_data

        return answer_data(self.answer)

    def write_page(self, path: str | Path) -> Path:
        """Writes the answer as an HTML page and returns its path."""
        from wavetank.report.planning.advicepage import write_advice_page

        return write_advice_page(self.answer, Path(path))

    def __str__(self) -> str:
        from wavetank.report.explanation import MOST_NODES, explanation_view
        from wavetank.report.planning.adviceview import advice_view

        attempts = [part for each in self.answer.explanations for part in explanation_view(each)]
        advice = [] if self.answer.advice is None else advice_view(self.answer.advice, MOST_NODES)
        return printed(*attempts, *advice, width=_WIDTH)


def explain(
    source: str | Path | Sequence[str | Path] | Results | None = None,
    pod: str | None = None,
    *,
    kubeconfig: str | Path | None = None,
    context: str | None = None,
    pods: str | Path | None = None,
    scheduler: SchedulerLike | None = None,
    seed: int | None = None,
    kubernetes_version: str | None = None,
) -> Explained:
    """Explains why a pod is pending and what would help, or why it is on its node.

    `source` is a snapshot: a file of `wavetank snapshot` or of `kubectl get -A -o yaml`, or several; or results of
    `wavetank run --explain`. `pod` is a name, or namespace/name. `pods` is a file with pods that the snapshot does not
    have yet, of which the first is explained if `pod` is not given. Of results, `scheduler` and `seed` say which run.
    With `kubeconfig` instead of `source` the pod is one of a live cluster; `context` is one of the kubeconfig's.

    >>> wavetank.explain("prod.yaml.gz", "shop/web-7").offers  # doctest: +SKIP
    ['lower the request of cpu from 4 to 2500m', …]
    >>> wavetank.explain(kubeconfig="~/.kube/config", pod="shop/web-7").node  # doctest: +SKIP
    """
    if (source is None) is (kubeconfig is None):
        raise InputError("expected either a source or a kubeconfig", path="source")
    if context is not None and kubeconfig is None:
        raise InputError("expected a kubeconfig, too", path="context")
    if source is None:
        return _of_snapshot(_live(Path(str(kubeconfig)), context), pod, pods, scheduler, kubernetes_version)
    if isinstance(source, Results) or (isinstance(source, str | Path) and holds_runs(Path(source))):
        return _of_run(source.folder if isinstance(source, Results) else Path(source), pod, scheduler, seed)
    return _of_snapshot(_read(source), pod, pods, scheduler, kubernetes_version)


def _live(kubeconfig: Path, context: str | None) -> Snapshot:
    from wavetank.snapshots.taking import take_snapshot

    return take_snapshot(kubeconfig.expanduser(), context)


def _read(source: str | Path | Sequence[str | Path]) -> Snapshot:
    from wavetank.snapshots.snapshot import open_snapshot

    return open_snapshot(paths(source))


def _of_run(folder: Path, pod: str | None, scheduler: SchedulerLike | None, seed: int | None) -> Explained:
    from wavetank.explanation.runquestion import explain_recorded

    if scheduler is not None and not isinstance(scheduler, str):
        raise InputError("expected the name of a scheduler in the results", path="scheduler")
    return Explained(explain_recorded(folder, _named(pod), scheduler, seed))


def _of_snapshot(
    snapshot: Snapshot,
    pod: str | None,
    pods: str | Path | None,
    scheduler: SchedulerLike | None,
    kubernetes_version: str | None,
) -> Explained:
    from wavetank.cluster.releases import NEWEST
    from wavetank.experiments.document.structures.values import parse_version
    from wavetank.explanation.podquestion import PodQuestion, with_pods
    from wavetank.workloads.open import open_workload

    version = parse_version(kubernetes_version, "kubernetes_version") if kubernetes_version else NEWEST
    if pods is not None:
        snapshot, added = with_pods(snapshot, open_workload(Path(pods)))
        pod = pod or added
    question = PodQuestion(snapshot, _named(pod), _definition(scheduler, version), version, scheduler is not None)
    return Explained(question.ask())


def _named(pod: str | None) -> str:
    if pod is None:
        raise InputError("expected a pod: name, or namespace/name", path="pod")
    return pod


def _definition(scheduler: SchedulerLike | None, version: Version) -> SchedulerDefinition:
    from wavetank.planning.options import read_scheduler
    from wavetank.scheduling.config import default_configuration
    from wavetank.scheduling.definition import SchedulerDefinition

    if scheduler is None:
        return SchedulerDefinition("explain", "", default_configuration(version))
    found = read_scheduler(scheduler, version)
    if len(found) == 1 and isinstance(found[0], SchedulerDefinition):
        return found[0]
    raise InputError("only kube-scheduler and policies can be explained on a cluster", path="scheduler")
