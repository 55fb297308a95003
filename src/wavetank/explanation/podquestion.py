"""Why a pod of a cluster is pending, or on its node, and what would help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wavetank.cluster.objects.pod import ENDS, Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Manifest
from wavetank.cluster.releases import Version
from wavetank.errors import InputError
from wavetank.explanation.advice.advice import Advice, advise
from wavetank.explanation.advice.trials import Trials
from wavetank.explanation.explainer import Explainer
from wavetank.kernel.randomness import Streams
from wavetank.results.attempts.explanation import BOUND, Explanation
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.snapshots.snapshot import Snapshot
from wavetank.words import did_you_mean
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.workload import Workload

_MOST_NAMES = 5


@dataclass(frozen=True)
class PodAnswer:
    """The attempts at a pod, and what would help if it has no node; `notes` are what the user should know."""

    source: str
    explanations: Sequence[Explanation]
    advice: Advice | None = None
    notes: Sequence[str] = field(default_factory=list)


@dataclass(frozen=True)
class PodQuestion:
    """Why a pod (name, or namespace/name) of a snapshot has no node, or why it has this one.

    A pod that has a node is taken off it and scheduled again, with all others where they are. A scheduler of one
    profile that `takes_all` does so whatever the pod's schedulerName.
    """

    snapshot: Snapshot
    pod: str
    scheduler: SchedulerDefinition
    version: Version
    takes_all: bool = False

    def ask(self) -> PodAnswer:
        """Schedules the pod and looks for what would help; InputError if there is no such pod."""
        manifest = find_pod(self.snapshot.manifests, self.pod)
        others = [each for each in self.snapshot.manifests if each is not manifest]
        explainer = Explainer(Cluster(others), self.scheduler, self.version, {}, self.takes_all)
        pod = explainer.pod_of(_unbound(manifest))
        explanations = explainer.explain(pod)
        advice = self._advice(explainer, pod, explanations[-1])
        source = ", ".join(self.snapshot.cluster.sources) or "cluster"
        return PodAnswer(source, explanations, advice, self._notes(manifest, explainer, advice))

    def _advice(self, explainer: Explainer, pod: Pod, last: Explanation) -> Advice | None:
        if last.outcome == BOUND:
            return None
        scheduler = explainer.scheduler
        names = self.scheduler.scheduler_names if last.outcome == "ignored" else ()
        trials = Trials(scheduler.framework_of, scheduler.table, pod, explainer.budgets)
        return advise(trials, last.filtered, names)

    def _notes(self, manifest: Manifest, explainer: Explainer, advice: Advice | None) -> list[str]:
        notes = [*self.snapshot.notes, *self.scheduler.notes()]
        node = _node_of(manifest)
        if node:
            notes.append(f"the pod is on {node}: it was scheduled again, with all others where they are now")
        if advice is not None and explainer.pending:
            number = len(explainer.pending)
            others = "another pod is" if number == 1 else f"{number:,} other pods are"
            notes.append(f"{others} pending, and may be scheduled first")
        return notes


def with_pods(snapshot: Snapshot, workload: Workload) -> tuple[Snapshot, str]:
    """Returns a snapshot with the pods of a workload, which replace pods of the same name, and the first of these."""
    pods = [arrival.pod.render() for arrival in workload.arrivals(SpecTable(), Streams(0))]
    if not pods:
        raise InputError("expected a pod, found none", source=workload.description)
    new = {_key(pod) for pod in pods}
    old = [each for each in snapshot.manifests if each.get("kind") != "Pod" or _key(each) not in new]
    return Snapshot(Cluster([*old, *pods], snapshot.cluster.sources), snapshot.notes), _key(pods[0])


def find_pod(manifests: Sequence[Manifest], pod: str) -> Manifest:
    """Returns a pod by name or namespace/name; InputError if there is none, or more than one."""
    pods = {_key(each): each for each in manifests if each.get("kind") == "Pod" and _phase(each) not in ENDS}
    found = [key for key in pods if pod in (key, key.partition("/")[2])]
    if len(found) == 1:
        return pods[found[0]]
    if found:
        raise InputError(f"there is more than one pod {pod!r:.80}: say which, of {_some(found)}")
    hint = did_you_mean(pod, [*pods, *(key.partition("/")[2] for key in pods)])
    raise InputError(f"there is no pod {pod!r:.80}{hint}{_pending(pods)}")


def _pending(pods: Mapping[str, Manifest]) -> str:
    names = [key for key, manifest in pods.items() if not _node_of(manifest)]
    return f"; pending are {_some(names)}" if names else "; no pod is pending"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def _unbound(manifest: Manifest) -> Manifest:
    """Returns a pod as it was before it was scheduled."""
    spec = {key: value for key, value in (manifest.get("spec") or {}).items() if key != "nodeName"}
    return {**{key: value for key, value in manifest.items() if key != "status"}, "spec": spec}


def _key(manifest: Manifest) -> str:
    metadata = manifest.get("metadata") or {}
    return f"{metadata.get('namespace') or 'default'}/{metadata.get('name')}"


def _node_of(manifest: Manifest) -> str:
    return str((manifest.get("spec") or {}).get("nodeName") or "")


def _phase(manifest: Manifest) -> str:
    return str((manifest.get("status") or {}).get("phase") or "")
