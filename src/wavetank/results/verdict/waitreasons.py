"""Why a pod waited: from recorded attempts, and from what was free while it waited."""

from __future__ import annotations

from collections import Counter

import numpy as np

from wavetank.errors import InputError
from wavetank.results.attempts.explanation import UNSCHEDULABLE
from wavetank.results.attempts.reading import RecordedAttempts
from wavetank.results.columns.decimals import Floats, seconds_of
from wavetank.results.columns.podcolumns import PodColumns
from wavetank.results.layout import ATTEMPTS, WORKLOADS
from wavetank.results.read.columns import Columns
from wavetank.results.read.resultsfolder import ResultsFolder
from wavetank.results.read.runfolder import RunFolder
from wavetank.results.schema import WORKLOADS as WORKLOAD_TABLE

FULL = "queue: the cluster had too little free in all"
FRAGMENTED = "fragmentation: enough was free in all, but on no single node"
UNEXPLAINED = "a node had room: see `wavetank explain` (run with --explain)"
QUOTA = "quota: its Workload was not admitted"
NOT_TRIED = "queue: no attempt had failed, it was not tried earlier"

# What a filter's refusal is called; others by the plugin's name.
PLUGINS = {
    "NodeAffinity": "affinity to nodes",
    "InterPodAffinity": "affinity to pods",
    "PodTopologySpread": "topology spread",
    "TaintToleration": "taints",
    "NodeUnschedulable": "cordoned nodes",
    "NodePorts": "ports",
    "VolumeBinding": "volumes",
    "NodeVolumeLimits": "volumes",
    "DynamicResources": "devices",
}
FIT = "NodeResourcesFit"
INSTANTS = 7  # of a wait at which free resources are looked at


class WaitReasons:
    """The reasons of the waits in one run.

    Free resources are those of all nodes of the run; a node that is not there yet, has failed or is cordoned counts
    as having room.
    """

    def __init__(self, folder: ResultsFolder, run: RunFolder, pods: PodColumns) -> None:
        self._run, self._pods = run, pods
        names, *sizes = folder.nodes(run)
        index = {name: i for i, name in enumerate(names)}
        self._node = pods.node.each(lambda node: index.get(node, -1), np.int64)
        self._sizes: list[Floats] = sizes
        self._times = [seconds_of(column) for column in (pods.submitted, pods.scheduled, pods.finished)]
        recorded = run.path / ATTEMPTS
        self._attempts = RecordedAttempts(recorded) if recorded.is_file() else None
        self._admitted = _admissions(run)

    def of(self, pod: int) -> str:
        """Returns why a pod (its row) waited, in one sentence."""
        if self._waited_for_quota(pod):
            return QUOTA
        refused = self._refused_by(pod) if self._attempts else None
        if refused == "":
            return NOT_TRIED
        if refused is not None and refused != FIT:
            return f"{PLUGINS.get(refused, refused)}: refused by {refused}"
        return self._by_room(pod)

    def _waited_for_quota(self, pod: int) -> bool:
        """Whether most of the wait was before the admission of the pod's own Workload."""
        admitted = self._admitted.get(self._pods.names[pod])
        if admitted is None:
            return False
        submitted, scheduled, _ = (float(times[pod]) for times in self._times)
        end = scheduled if not np.isnan(scheduled) else self._end
        return admitted - submitted > (end - submitted) / 2

    def _refused_by(self, pod: int) -> str | None:
        """Returns the plugin that refused most nodes in the last failed attempt, "" if none failed; None if unknown."""
        pods = self._pods
        assert self._attempts is not None
        try:
            attempts = self._attempts.of(f"{pods.namespace.values[pods.namespace.codes[pod]]}/{pods.names[pod]}")
        except InputError:  # of pods of another scheduler nothing is recorded
            return None
        failed = [each for each in attempts if each.outcome == UNSCHEDULABLE]
        if not failed:
            return ""
        if failed[-1].rejected is not None:
            return failed[-1].rejected.plugin
        counts: Counter[str] = Counter()
        for refusal, nodes in failed[-1].refusals.items():
            counts[refusal.plugin] += nodes
        return counts.most_common(1)[0][0] if counts else None

    def _by_room(self, pod: int) -> str:
        """Returns what was true at most of some instants of the wait, evenly spread."""
        submitted, scheduled, _ = (times[pod] for times in self._times)
        end = self._end if np.isnan(scheduled) else scheduled
        instants = np.linspace(submitted, end, INSTANTS + 2)[1:-1]
        return Counter(self._room_at(pod, float(time)) for time in instants).most_common(1)[0][0]

    def _room_at(self, pod: int, time: float) -> str:
        _, scheduled, finished = self._times
        held = (scheduled <= time) & ~(finished <= time) & (self._node >= 0)
        fits = np.ones(len(self._sizes[0]), bool)
        enough = True
        for size, asked in zip(self._sizes, (self._pods.cpu, self._pods.memory), strict=True):
            free = size - np.bincount(self._node[held], asked[held], len(size))
            fits &= free >= asked[pod]
            enough &= bool(np.maximum(free, 0).sum() >= asked[pod])
        return UNEXPLAINED if fits.any() else FRAGMENTED if enough else FULL

    @property
    def _end(self) -> float:
        return float(max(np.nanmax(times, initial=0.0) for times in self._times))


def _admissions(run: RunFolder) -> dict[str, float]:
    """Returns when the Workload of each pod that has its own was admitted (seconds)."""
    if not (run.path / WORKLOADS).is_file():
        return {}
    columns = Columns(run.path, WORKLOAD_TABLE, ("owner", "admitted_s"))
    admitted = np.nan_to_num(columns.numbers("admitted_s"), nan=np.inf).tolist()
    return dict(zip(columns.texts("owner").each(str).tolist(), admitted, strict=True))
