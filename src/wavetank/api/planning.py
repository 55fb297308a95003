"""Questions about a cluster: what a change would do, and how many nodes it needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wavetank.api.arguments import SchedulerLike, Schedulers, paths, scheduler_list
from wavetank.api.printing import printed

if TYPE_CHECKING:
    from wavetank.planning.capacity.answer import CapacityReport
    from wavetank.planning.whatif.answer import Answer


class WhatIf:
    """The answer to `whatif`: figures, data and a page. Printed, it is what the command prints."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer

    @property
    def figures(self) -> dict[str, float | None]:
        """Returns the figures of the answer: pending, moved, evicted, lost and others."""
        return self.answer.figures()

    @property
    def data(self) -> dict[str, Any]:
        """Returns the whole answer, as `wavetank whatif --json` prints it."""
        return self.answer.data()

    def write_page(self, path: str | Path) -> Path:
        """Writes the answer as an HTML page and returns its path."""
        from wavetank.report.planning.whatifpage import write_whatif_page

        return write_whatif_page(self.answer, Path(path))

    def __str__(self) -> str:
        from wavetank.report.planning.whatifview import answer_view

        return printed(*answer_view(self.answer))


def whatif(
    snapshot: str | Path | Sequence[str | Path],
    changes: Sequence[str | Mapping[str, Any]] = (),
    *,
    scheduler: SchedulerLike = "default",
    latency: str | Mapping[str, Any] = "k3s",
    kubernetes_version: str | None = None,
    seed: int = 1,
    out: str | Path | None = None,
) -> WhatIf:
    """Says what changes would do to a cluster, made one after the other.

    `snapshot` is a file of `wavetank snapshot` or of `kubectl get -A -o yaml`, or several. A change is a mapping such
    as `{"drain": "node-7"}`, `{"add": "3xnode-1"}`, `{"fail": "zone=a"}`, `{"scale": "deploy/web=20"}` or
    `{"upgrade": "surge=1"}`, or "reschedule". `out` is a file for a snapshot of the cluster after the changes.

    >>> wavetank.whatif("prod.yaml.gz", [{"drain": "node-7"}]).figures["pending"]  # doctest: +SKIP
    0
    """
    from wavetank.planning.options import read_options
    from wavetank.planning.whatif.question import Question
    from wavetank.planning.whatif.reading import read_changes
    from wavetank.snapshots.snapshot import open_snapshot

    options = read_options(scheduler, latency, kubernetes_version, seed)
    target = None if out is None else Path(out)
    return WhatIf(Question(open_snapshot(paths(snapshot)), read_changes(changes, Path()), options, target).ask())


class Capacity:
    """The answer to `capacity`: nodes, data and a page. Printed, it is what the command prints."""

    def __init__(self, report: CapacityReport) -> None:
        self.report = report

    @property
    def nodes(self) -> dict[str, int | None]:
        """Returns the number of nodes by scheduler, None if no number is enough."""
        return {each.scheduler: each.nodes if each.fits else None for each in self.report.answers}

    @property
    def data(self) -> dict[str, Any]:
        """Returns the whole answer, as `wavetank capacity --json` prints it."""
        return self.report.data()

    def write_page(self, path: str | Path) -> Path:
        """Writes the answer as an HTML page and returns its path."""
        from wavetank.report.planning.capacitypage import write_capacity_page

        return write_capacity_page(self.report, Path(path))

    def __str__(self) -> str:
        from wavetank.report.planning.capacityview import capacity_view

        return "\n".join(map(str, capacity_view(self.report)))


def capacity(
    snapshot: str | Path | Sequence[str | Path] | None = None,
    *,
    workload: str | Path | None = None,
    nodes: str | Sequence[str] = (),
    zones: Sequence[str] = (),
    failures: int = 0,
    zone_failure: bool = False,
    goal: str = "",
    schedulers: Schedulers = "default",
    kubernetes_version: str | None = None,
) -> Capacity:
    """Says how many nodes the pods of a snapshot need, or a workload that has to reach a goal.

    `nodes` are types of nodes: names of nodes of the snapshot, files with a Node, or `cpu=8,memory=32Gi,price=0.4`; by
    default those of the snapshot. `failures` and `zone_failure` are headroom. Every number is tried in a simulation.

    >>> wavetank.capacity("prod.yaml.gz", nodes="cpu=8,memory=32Gi", failures=1).nodes  # doctest: +SKIP
    {'default': 12}
    """
    from wavetank.planning.capacity.headroom import Headroom
    from wavetank.planning.capacity.question import CapacityQuestion
    from wavetank.planning.options import read_options
    from wavetank.snapshots.snapshot import open_snapshot

    question = CapacityQuestion(
        [read_options(scheduler, "ideal", kubernetes_version) for scheduler in scheduler_list(schedulers)],
        None if snapshot is None else open_snapshot(paths(snapshot)),
        None if workload is None else Path(workload),
        [nodes] if isinstance(nodes, str) else nodes,
        zones,
        Headroom(failures, zone_failure),
        goal,
    )
    return Capacity(question.ask())
