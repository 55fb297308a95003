"""What ClusterQueues did in a run: waiting, use of quota, borrowing, preemption."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from wavetank.cluster.fields.resources import parse_amounts
from wavetank.cluster.objects.resource import Manifest
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.results.metrics.fairness import jain
from wavetank.results.recording.queues import FlavorResource, QueueRecorder, WorkloadRow


@dataclass(frozen=True)
class QuotaUse:
    """What a ClusterQueue held of a flavor's resource over time: the values from each time on."""

    flavor: str
    resource: str
    nominal: int
    times: Sequence[Nanoseconds]
    values: Sequence[int]
    end: Nanoseconds

    def spans(self) -> Iterator[tuple[int, Nanoseconds]]:
        """Yields each value with the time for which it held."""
        for (begin, value), (until, _) in pairwise([*zip(self.times, self.values, strict=True), (self.end, 0)]):
            yield value, until - begin

    @property
    def mean(self) -> float:
        """Returns the mean over the run."""
        return sum(value * span for value, span in self.spans()) / self.end if self.end else 0.0

    @property
    def mean_borrowed(self) -> float:
        """Returns the mean of what was held above the nominal quota."""
        borrowed = (max(0, value - self.nominal) * span for value, span in self.spans())
        return sum(borrowed) / self.end if self.end else 0.0

    @property
    def borrowing_time(self) -> Nanoseconds:
        """Returns the time in which more than the nominal quota was held."""
        return sum(span for value, span in self.spans() if value > self.nominal)

    @property
    def most(self) -> int:
        """Returns the most that was held."""
        return max(self.values, default=0)


class QueueFigures:
    """One ClusterQueue of a finished run."""

    def __init__(
        self, name: str, cohorts: Sequence[str], rows: Sequence[WorkloadRow], uses: Sequence[QuotaUse]
    ) -> None:
        self.name = name
        self.cohorts = cohorts  # from the root
        self.rows = rows
        self.uses = uses
        self.preempting = 0  # preemptions for its workloads

    @property
    def waits(self) -> list[float]:
        """Returns the time to the first admission of the workloads that were admitted, in seconds."""
        return [(row.admitted[0] - row.submitted) / SECOND for row in self.rows if row.admitted]

    @property
    def preempted(self) -> int:
        """Returns the preemptions of its workloads."""
        return sum(len(row.preempted_by) for row in self.rows)

    @property
    def pending(self) -> int:
        """Returns the workloads that were pending at the end."""
        return sum(1 for row in self.rows if row.finished is None and row.deleted is None and not _is_admitted(row))

    @property
    def lost_time_s(self) -> float:
        """Returns how long workloads had been admitted before they were evicted."""
        spans = (end - begin for row in self.rows for begin, end in zip(row.admitted, row.evicted, strict=False))
        return sum(spans) / SECOND

    @property
    def use(self) -> float | None:
        """Returns the highest mean use in proportion to the nominal quota, all flavors of a resource together."""
        held: defaultdict[str, float] = defaultdict(float)
        nominal: defaultdict[str, int] = defaultdict(int)
        for each in self.uses:
            held[each.resource] += each.mean
            nominal[each.resource] += each.nominal
        return max((held[name] / nominal[name] for name in held if nominal[name]), default=None)

    @property
    def borrowing_time(self) -> float | None:
        """Returns the longest share of the time in which more than a nominal quota was held."""
        return max((each.borrowing_time / each.end for each in self.uses if each.end), default=None)


class QueueReport:
    """The ClusterQueues of a run, and figures of all of them."""

    def __init__(self, queues: Sequence[QueueFigures], rows: Sequence[WorkloadRow]) -> None:
        self.queues = queues
        self.rows = rows

    @property
    def waits(self) -> list[float]:
        """Returns the times to the first admission, in seconds."""
        return [wait for queue in self.queues for wait in queue.waits]

    @property
    def fairness(self) -> float | None:
        """Returns Jain's index of the use of quota, over queues that had workloads."""
        return _fairness([queue.use for queue in self.queues if queue.rows])

    @property
    def cohort_fairness(self) -> float | None:
        """Returns Jain's index of the mean use of quota, over root cohorts whose queues had workloads."""
        by_root: defaultdict[str, list[float]] = defaultdict(list)
        for queue in self.queues:
            if queue.rows and queue.use is not None:
                by_root[queue.cohorts[0] if queue.cohorts else f"queue {queue.name}"].append(queue.use)
        return _fairness([sum(uses) / len(uses) for uses in by_root.values()])

    def metrics(self) -> dict[str, float | int | None]:
        """Returns the metrics of the summary."""
        waits = self.waits
        return {
            "workloads": len(self.rows),
            "pending_workloads": sum(queue.pending for queue in self.queues),
            "mean_admission_wait_s": float(np.mean(waits)) if waits else None,
            "p95_admission_wait_s": float(np.percentile(waits, 95)) if waits else None,
            "workload_preemptions": sum(queue.preempted for queue in self.queues),
            "lost_workload_hours": sum(queue.lost_time_s for queue in self.queues) / 3600,
            "queue_fairness": self.fairness,
            "cohort_fairness": self.cohort_fairness,
        }

    def warnings(self) -> list[str]:
        """Names queues with workloads that were never admitted."""
        found = []
        for queue in self.queues:
            never = [row for row in queue.rows if not row.admitted and row.finished is None and row.deleted is None]
            if never:
                message = next((f": {row.message}" for row in never if row.message), "")
                found.append(f"ClusterQueue {queue.name}: {len(never)} workloads never admitted{message}")
        return found


def queue_report(recorder: QueueRecorder, end: Nanoseconds) -> QueueReport | None:
    """Returns the ClusterQueues of a run that ended at `end`; None if it had none."""
    if not recorder.queues:
        return None
    rows: defaultdict[str, list[WorkloadRow]] = defaultdict(list)
    for row in recorder.rows:
        rows[row.cluster_queue].append(row)
    held = _histories(recorder)
    queues = {
        name: QueueFigures(name, _path(manifest, recorder.cohorts), rows[name], _uses(name, manifest, held, end))
        for name, manifest in recorder.queues.items()
    }
    for row in recorder.rows:
        for preemptor, _ in row.preempted_by:
            if preemptor in queues:
                queues[preemptor].preempting += 1
    return QueueReport(list(queues.values()), recorder.rows)


_History = tuple[list[Nanoseconds], list[int]]


def _histories(recorder: QueueRecorder) -> dict[tuple[str, FlavorResource], _History]:
    """Returns by queue and resource the times of changes and what was held from then on."""
    found: defaultdict[tuple[str, FlavorResource], _History] = defaultdict(lambda: ([0], [0]))
    for change in recorder.changes:
        times, values = found[change.queue, change.resource]
        value = values[-1] + change.amount
        if times[-1] == change.time:
            values[-1] = value
        else:
            times.append(change.time)
            values.append(value)
    return found


def _uses(
    name: str, manifest: Manifest, held: Mapping[tuple[str, FlavorResource], _History], end: Nanoseconds
) -> list[QuotaUse]:
    found = []
    for group in (manifest.get("spec") or {}).get("resourceGroups") or ():
        for flavor in group.get("flavors") or ():
            for each in flavor.get("resources") or ():
                resource = str(each["name"])
                nominal = parse_amounts({resource: each.get("nominalQuota", 0)})[resource]
                times, values = held.get((name, (str(flavor["name"]), resource)), ([0], [0]))
                found.append(QuotaUse(str(flavor["name"]), resource, nominal, times, values, end))
    return found


def _path(queue: Manifest, cohorts: Mapping[str, Manifest]) -> list[str]:
    spec = queue.get("spec") or {}
    name = str(spec.get("cohortName") or spec.get("cohort") or "")
    path: list[str] = []
    while name and name not in path:
        path.insert(0, name)
        above = (cohorts.get(name) or {}).get("spec") or {}
        name = str(above.get("parentName") or above.get("parent") or "")
    return path


def _is_admitted(row: WorkloadRow) -> bool:
    return len(row.admitted) > len(row.evicted)


def _fairness(uses: Sequence[float | None]) -> float | None:
    known = [use for use in uses if use is not None]
    return jain(np.array(known)) if len(known) > 1 else None
