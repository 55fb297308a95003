from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wavetank.cluster.objects.node import Node
from wavetank.errors import InputError
from wavetank.kernel.garbage import rare_collections
from wavetank.planning.capacity.answer import CapacityReport, answer_of
from wavetank.planning.capacity.demand import Demand, SnapshotDemand
from wavetank.planning.capacity.headroom import NO_HEADROOM, Headroom
from wavetank.planning.capacity.search import Search
from wavetank.planning.capacity.trace import TraceDemand
from wavetank.planning.nodes import Template, read_template
from wavetank.planning.simulatedcluster import ClusterOptions
from wavetank.snapshots.snapshot import Snapshot
from wavetank.workloads.manifests.nodes import like, own_taints
from wavetank.workloads.open import open_workload

_MOST_TYPES = 4


@dataclass(frozen=True)
class CapacityQuestion:
    """How many nodes are needed: for the pods of a snapshot, or for a workload that reaches a goal.

    `types` are texts as for `--add`; without any, those of the snapshot's nodes. `options` has one entry per scheduler.
    """

    options: Sequence[ClusterOptions]
    snapshot: Snapshot | None = None
    workload: Path | None = None
    types: Sequence[str] = ()
    zones: Sequence[str] = ()
    headroom: Headroom = NO_HEADROOM
    goal: str = ""

    def ask(self) -> CapacityReport:
        """Searches for the nodes of each scheduler; InputError if the question makes no sense."""
        with rare_collections():
            return self._ask()

    def _ask(self) -> CapacityReport:
        if (self.snapshot is None) == (self.workload is None):
            raise InputError("expected a snapshot or a workload")
        if self.workload is not None:
            return self._of_workload(self.workload)
        assert self.snapshot is not None
        if self.goal:
            raise InputError("a goal is for a workload: pods of a snapshot run forever")
        demand = SnapshotDemand(self.snapshot, self.options[0])
        templates = [read_template(text, demand.nodes) for text in self.types] or types_of(demand.nodes)
        static = f"{demand.static_pods} static pods are not counted"
        notes = [*self.snapshot.notes, *([static] if demand.static_pods else [])]
        zones = self.zones or demand.zones
        if self.headroom.zone and len(zones) < 2:
            raise InputError("headroom for a zone needs nodes in two zones or more: say which with --zones")
        name = ", ".join(self.snapshot.cluster.sources) or "snapshot"
        question = f"{len(demand.pods):,} pods of {name}"
        return self._report(question, demand, templates, zones, notes)

    def _of_workload(self, path: Path) -> CapacityReport:
        if self.headroom != NO_HEADROOM:
            raise InputError("headroom is for a snapshot: a workload has a goal")
        if not self.types:
            raise InputError("a workload needs types of nodes")
        workload = open_workload(path)
        demand = TraceDemand(workload, self.goal)
        templates = [read_template(text, []) for text in self.types]
        return self._report(f"{workload.description}: {demand.goal}", demand, templates, self.zones, workload.notes)

    def _report(
        self, question: str, demand: Demand, templates: Sequence[Template], zones: Sequence[str], notes: Sequence[str]
    ) -> CapacityReport:
        answers = []
        for options in self.options:
            search = Search(demand, templates, options, zones, self.headroom)
            answers.append(answer_of(search, search.run()))
        return CapacityReport(question, self.headroom.text, answers, notes)


def types_of(nodes: Sequence[Node]) -> list[Template]:
    """Returns the types of a cluster's nodes: those that differ in resources, taints or labels other than their own."""
    types: dict[tuple[object, ...], Node] = {}
    for node in nodes:
        labels = frozenset(item for item in node.labels.items() if item[1] != node.name and "/zone" not in item[0])
        types.setdefault((tuple(sorted(node.allocatable.items())), own_taints(node), labels), node)
    if not 0 < len(types) <= _MOST_TYPES:
        raise InputError(f"the snapshot has {len(types)} types of nodes: say which to use with --node")
    return [Template(node.name, like(node)) for node in types.values()]
