"""How long single steps took in real runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from wavetank.results.compare.accuracy import Pods, PodTimes

LONGEST_BIND_S = 0.1  # a pod that waited for longer waited for more than its binding
_FEW = 10


class Occupation(NamedTuple):
    """A pod or job on its node; times in seconds."""

    node: object
    submitted: float
    scheduled: float
    started: float
    finished: float


@dataclass(frozen=True)
class Steps:
    """Samples of the steps of pods, in seconds of real time."""

    attempt: tuple[float, ...]
    bind: tuple[float, ...]
    start: tuple[float, ...]
    finish: tuple[float, ...]

    def __add__(self, other: Steps) -> Steps:
        return Steps(
            self.attempt + other.attempt, self.bind + other.bind, self.start + other.start, self.finish + other.finish
        )


def read_steps(pods: Pods, durations: Mapping[str, float], speed: float) -> Steps:
    """Returns the steps of a replay, whose times are of the workload; `durations` are those of pods that end.

    attempt: from one binding to the next while pods waited for the scheduler. bind: the wait of pods that did not have
    to wait for a node or for others, without an attempt. start: from the binding to the start. finish: what a pod took
    longer than its duration.
    """
    scheduled = [pod for pod in pods.values() if pod.scheduled == pod.scheduled]
    attempts = [gap / speed for gap in _gaps(scheduled, LONGEST_BIND_S * speed)]
    if len(attempts) < _FEW:
        attempts = []
    attempt = median(attempts) if attempts else 0.0
    waits = [pod.wait / speed for pod in scheduled if pod.wait / speed < LONGEST_BIND_S]
    if len(waits) < _FEW:
        waits = [gap / speed for gap in freed_gaps(map(_occupation, scheduled), LONGEST_BIND_S * speed, speed)]
    return Steps(
        tuple(attempts),
        tuple(max(0.0, wait - attempt) for wait in waits),
        tuple((pod.started - pod.scheduled) / speed for pod in scheduled if pod.started == pod.started),
        tuple(_excess(pods, durations, speed)),
    )


def freed_gaps(jobs: Iterable[Occupation], longest: float, least_wait: float = 1.0) -> Iterator[float]:
    """Yields the times from the end of a job to the scheduling of the next on its node, where one was pending.

    Pending is a job that was submitted at least `least_wait` before; times of `longest` and more are left out.
    """
    by_node: defaultdict[object, list[Occupation]] = defaultdict(list)
    for job in jobs:
        by_node[job.node].append(job)
    for group in by_node.values():
        group.sort(key=lambda job: job.started)
        for before, after in pairwise(group):
            gap = after.scheduled - before.finished
            if after.submitted < before.finished - least_wait and gap < longest:
                yield max(gap, 0.0)


def _gaps(pods: list[PodTimes], longest: float) -> Iterator[float]:
    """Yields the times between bindings, of pods that waited for the scheduler alone while it bound another."""
    for before, after in pairwise(sorted(pods, key=lambda pod: pod.scheduled)):
        if after.submitted < before.scheduled and after.wait < longest:
            yield after.scheduled - before.scheduled


def _excess(pods: Pods, durations: Mapping[str, float], speed: float) -> Iterator[float]:
    for name, pod in pods.items():
        if name in durations and pod.finished == pod.finished and pod.started == pod.started:
            yield max(0.0, pod.finished - pod.started - durations[name]) / speed


def _occupation(pod: PodTimes) -> Occupation:
    return Occupation(pod.node, pod.submitted, pod.scheduled, pod.started, pod.finished)
