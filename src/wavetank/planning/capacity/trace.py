"""A workload that comes over time, as something that nodes are needed for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from wavetank.cluster.fields.resources import Amounts
from wavetank.cluster.objects.resource import Manifest
from wavetank.experiments.recording import record
from wavetank.planning.capacity.demand import Trial
from wavetank.planning.capacity.headroom import NO_HEADROOM, Headroom
from wavetank.planning.simulatedcluster import ClusterOptions
from wavetank.results.assertions import parse_assertion
from wavetank.results.metrics.jobs import FinishedJobs
from wavetank.results.metrics.metrics import measure
from wavetank.results.metrics.podtable import PodTable
from wavetank.simulation.simulation import Setting
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.workload import Workload

DEFAULT_GOAL = "unscheduled_pods == 0"


class TraceDemand:
    """A workload that is run to its end, and has to reach a goal: an assertion about the metrics of the run.

    Every pod has to find a node as well.
    """

    def __init__(self, workload: Workload, goal: str = "") -> None:
        self._workload = workload
        self.goal = goal or DEFAULT_GOAL
        self._assertion = parse_assertion(self.goal, "--goal")

    @property
    def requests(self) -> Amounts:
        """Returns nothing: how much is requested at one time is not known beforehand."""
        return {}

    def try_on(self, nodes: Sequence[Manifest], options: ClusterOptions, headroom: Headroom = NO_HEADROOM) -> Trial:
        """Runs the workload on these nodes."""
        setting = Setting(
            Cluster(list(nodes)), self._workload, options.schedulers, options.version, options.latency, ties="exact"
        )
        recorder = record(setting, options.seed)
        pending = {
            f"{row.namespace}/{row.name}": row.message or "not tried" for row in recorder.rows if row.scheduled is None
        }
        pods = PodTable(recorder)
        metrics = measure(pods, FinishedJobs(pods))
        (finding,) = self._assertion.check([{"scheduler": "", **asdict(metrics)}])
        return Trial(pending, "" if finding.holds else f"{finding.assertion} does not hold: {finding.detail}")
