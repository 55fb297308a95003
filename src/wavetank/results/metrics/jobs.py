"""The jobs of a run by columns, as Batsim counts them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import SUCCEEDED
from wavetank.results.columns.coded import Coded
from wavetank.results.columns.decimals import NEVER, Floats, Integers, quotients
from wavetank.results.metrics.podtable import PodTable
from wavetank.workloads.formats.batsim.intervals import format_intervals
from wavetank.workloads.formats.batsim.platform import BATSIM_ID

STATES = ("COMPLETED_SUCCESSFULLY", "COMPLETED_WALLTIME_REACHED", "COMPLETED_KILLED", "COMPLETED_FAILED")
SUCCESS, _WALLTIME, _KILLED, _FAILED = range(len(STATES))
_OF_REASONS = {"DeadlineExceeded": _WALLTIME, **dict.fromkeys(("Evicted", "Preempted", "Deleted"), _KILLED)}


class FinishedJobs:
    """The jobs whose pods have all ended, in the order of their ends, by columns; times in nanoseconds.

    A pod without a `stated` job is a job of its own. A job runs from the start of its last pod. `states` index
    STATES, `machines` are the numbers of the nodes it ran on, as Batsim writes them, `sizes` how many those are.
    `total` counts the jobs that have not ended too.
    """

    def __init__(self, pods: PodTable) -> None:
        jobs = _Groups(_job_of_each(pods))
        self.total = len(jobs)
        ends = jobs.highest(pods.finished)
        over = np.flatnonzero(jobs.lowest(pods.finished) != NEVER)
        over = over[np.argsort(ends[over], kind="stable")]
        has_run = jobs.lowest(pods.began) != NEVER
        first_pods = jobs.firsts[over].tolist()
        stated, ids = pods.jobs, pods.job_ids
        self.stated = [stated[i] for i in first_pods]
        self.ids = [ids[i] for i in first_pods]
        self.submitted = jobs.lowest(pods.submitted)[over]
        self.started = np.where(has_run, jobs.highest(pods.began), ends)[over]
        self.finished = ends[over]
        self.states = _states(pods, jobs)[over]
        self.machines, self.sizes = _machines(pods, jobs, over)
        self._pods, self._groups, self._over = pods, jobs, over

    def nodes(self) -> Iterator[set[str]]:
        """Yields the names of the nodes that each ran on."""
        for job in self._over.tolist():
            yield {self._pods.rows[pod].node for pod in self._groups.members(job)} - {""}

    @cached_property
    def execution(self) -> Integers:
        """Returns how long each ran."""
        return self.finished - self.started

    @cached_property
    def turnaround(self) -> Integers:
        """Returns the time from submission to end."""
        return self.finished - self.submitted

    @cached_property
    def waiting(self) -> Integers:
        """Returns the time from submission to start."""
        return self.started - self.submitted

    @cached_property
    def stretch(self) -> Floats:
        """Returns turnaround ÷ execution; 1 for a job that took no time."""
        took_time = self.execution != 0
        return quotients(np.where(took_time, self.turnaround, 1), np.where(took_time, self.execution, 1))


class _Groups:
    """Pods by the group that each is in; groups are numbered in the order of their `firsts`."""

    def __init__(self, group: Integers) -> None:
        self.group = group
        self._order = np.argsort(group, kind="stable")
        self._begins = np.flatnonzero(np.diff(group[self._order], prepend=-1))
        self.firsts = self._order[self._begins]

    def __len__(self) -> int:
        return len(self._begins)

    def members(self, group: int) -> list[int]:
        ends = [*self._begins[group : group + 2].tolist(), len(self._order)]
        members: list[int] = self._order[ends[0] : ends[1]].tolist()
        return members

    def lowest(self, column: Integers) -> Integers:
        return np.minimum.reduceat(column[self._order], self._begins)

    def highest(self, column: Integers) -> Integers:
        return np.maximum.reduceat(column[self._order], self._begins)


def _job_of_each(pods: PodTable) -> Integers:
    """Returns the number of each pod's job."""
    if not any(pods.jobs) and len(set(pods.names)) == len(pods.names):
        return np.arange(len(pods.names))
    both = zip(pods.jobs, pods.rows, strict=True)
    return Coded((job.workload, job.id) if job else (row.namespace, row.name, "") for job, row in both).codes


def _states(pods: PodTable, jobs: _Groups) -> Integers:
    """Returns the state of each job: success if all pods succeeded, else the state of a failed pod."""
    succeeded = pods.phase.each(lambda phase: phase == SUCCEEDED, np.int64)
    ends = pods.reason.each(lambda reason: _OF_REASONS.get(reason, _FAILED), np.int64)
    return np.where(jobs.lowest(succeeded), SUCCESS, jobs.lowest(ends))


def _machines(pods: PodTable, jobs: _Groups, wanted: Integers) -> tuple[list[str], Integers]:
    """Returns the machines of the wanted jobs, and how many they are."""
    numbers = _machine_numbers(pods.recorder.nodes)
    places = {"": NEVER} | {name: i for i, name in enumerate(numbers)}
    place = pods.node.each(lambda name: places.get(name, NEVER), np.int64)  # a snapshot may lack nodes of its pods
    lowest, highest = jobs.lowest(place)[wanted], jobs.highest(place)[wanted]
    single = [*map(str, numbers.values()), ""]  # the last for NEVER
    texts, sizes = [single[i] for i in highest.tolist()], (highest != NEVER).astype(np.int64)
    for i in np.flatnonzero(lowest != highest).tolist():
        nodes = {pods.rows[pod].node for pod in jobs.members(wanted[i])} & numbers.keys()
        texts[i], sizes[i] = format_intervals(numbers[node] for node in nodes), len(nodes)
    return texts, sizes


def _machine_numbers(nodes: Sequence[Node]) -> dict[str, int]:
    return {node.name: int(node.annotations.get(BATSIM_ID, i)) for i, node in enumerate(nodes)}
