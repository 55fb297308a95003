"""The groups of pods with the longest waits, and why."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wavetank.results.columns.decimals import NEVER, Floats, seconds_of
from wavetank.results.columns.podcolumns import PodColumns
from wavetank.results.read.resultsfolder import ResultsFolder
from wavetank.results.read.runfolder import RunFolder
from wavetank.results.verdict.groups import pod_groups
from wavetank.results.verdict.waitreasons import WaitReasons

MOST_PODS = 200_000  # of a run, above which names are not read
MOST_SHOWN = 4  # groups of a run
LEAST_WAIT_S = 1.0  # a mean wait below it is not worth a row


@dataclass(frozen=True, slots=True)
class GroupWaits:
    """How long the pods of a group wait in a run, in seconds; `pod` (namespace/name) waits longest, for `reason`.

    Pods that never started have waited until the end of the run; `never` is their number.
    """

    group: str
    pods: int
    never: int
    mean: float
    p95: float
    longest: float
    pod: str
    reason: str


def longest_waits(folder: ResultsFolder, run: RunFolder) -> list[GroupWaits]:
    """Returns the groups of a run that wait at least a second in the mean, the longest waits first."""
    if (run.metrics.get("pods") or 0) > MOST_PODS:
        return []
    pods = folder.pods(run)
    waits, reasons = _waits(pods), WaitReasons(folder, run, pods)
    groups = pod_groups(pods.names, pods.namespace)
    found = [
        _group(pods, waits, name, np.flatnonzero(groups.codes == code), reasons)
        for code, name in enumerate(groups.values)
    ]
    waiting = [each for each in found if each is not None]
    return sorted(waiting, key=lambda each: -each.mean)[:MOST_SHOWN]


def _waits(pods: PodColumns) -> Floats:
    """Returns how long each pod waited for its start (seconds), until the end of the run if it never started."""
    times = (pods.submitted, pods.scheduled, pods.started, pods.finished)
    end = max((int(column.max(initial=0)) for column in times), default=0)
    bound = (pods.scheduled != NEVER) & (pods.started == NEVER)  # pods that were created bound have no start
    started = np.where(bound, pods.scheduled, np.where(pods.started == NEVER, end, pods.started))
    return seconds_of(started) - seconds_of(pods.submitted)


def _group(
    pods: PodColumns, waits: Floats, name: str, rows: np.ndarray[tuple[int], np.dtype[np.int64]], reasons: WaitReasons
) -> GroupWaits | None:
    own = waits[rows]
    if not len(own) or own.mean() < LEAST_WAIT_S:
        return None
    longest = int(rows[int(own.argmax())])
    return GroupWaits(
        group=name,
        pods=len(own),
        never=int(np.count_nonzero(pods.scheduled[rows] == NEVER)),
        mean=float(own.mean()),
        p95=float(np.quantile(own, 0.95)),
        longest=float(own.max()),
        pod=f"{pods.namespace.values[pods.namespace.codes[longest]]}/{pods.names[longest]}",
        reason=reasons.of(longest),
    )
