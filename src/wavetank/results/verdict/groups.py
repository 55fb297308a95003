"""Pods by group, and how long each group waits."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from wavetank.results.columns.coded import Coded
from wavetank.results.columns.decimals import Floats
from wavetank.results.read.resultsfolder import ResultsFolder
from wavetank.results.read.runfolder import RunFolder
from wavetank.results.statistics import CONFIDENCE, mean_interval, paired_p_value

MOST_GROUPS = 24  # more are no longer an overview
MOST_PODS = 300_000  # of all runs of a scheduler, above which pods are not read again for one sentence

# Numbers, and the ends that Kubernetes makes for generated names: five to ten of these letters and digits.
_SUFFIX = re.compile(r"(?:-(?:\d+|[bcdfghjklmnpqrstvwxz2456789]{5,10}))+$")


@dataclass(frozen=True, slots=True)
class GroupWait:
    """The group whose pods wait longest, and the mean waits (seconds) of it and of all other pods.

    `significant` is None with a single seed.
    """

    group: str
    mean: float
    others: float
    significant: bool | None
    seeds: int


def group_of(name: str) -> str:
    """Returns the name of the generator, Deployment, Job, … that a pod's name begins with: `web` of `web-7`."""
    return _SUFFIX.sub("", name) or name


def pod_groups(names: Iterable[str], namespaces: Coded[str]) -> Coded[str]:
    """Returns the group of each pod by its name, by its namespace if names make one group or too many."""
    groups = Coded(map(group_of, names))
    return groups if 1 < len(groups.values) <= MOST_GROUPS else namespaces


def longest_waiting(folder: ResultsFolder, scheduler: str) -> GroupWait | None:
    """Returns the group whose pods wait longest with a scheduler; None without groups, or if none stands out.

    A group stands out if it waits longer than the other pods in the mean over the seeds, by more than a second and
    more than a tenth. It is tested as one of all groups (Bonferroni), since it is the greatest of them.
    """
    runs = folder.runs_of(scheduler)
    if sum(run.metrics.get("pods") or 0 for run in runs) > MOST_PODS:
        return None
    waits = [waits_by_group(folder, run) for run in runs]
    names = sorted({name for wait in waits for name in wait})
    found = [wait for name in names if (wait := _against_others(name, waits, len(names)))]
    if len(names) > MOST_GROUPS or not found:
        return None
    longest = max(found, key=lambda wait: wait.mean)
    return longest if longest.mean > max(longest.others + 1, longest.others * 1.1) else None


def waits_by_group(folder: ResultsFolder, run: RunFolder) -> dict[str, Floats]:
    """Returns the waits (seconds) of the pods of a run that started, by group."""
    names, namespaces, waits = folder.named_waits(run)
    groups = pod_groups(names, namespaces)
    started = ~np.isnan(waits)
    return {name: waits[started & (groups.codes == code)] for code, name in enumerate(groups.values)}


def _against_others(name: str, waits: list[dict[str, Floats]], groups: int) -> GroupWait | None:
    pairs = [pair for by_group in waits if (pair := _means(name, by_group))]
    if not pairs:
        return None
    p = paired_p_value([own - others for own, others in pairs])
    significant = None if p is None else p * groups <= 1 - CONFIDENCE
    own, others = (mean_interval(column).mean for column in zip(*pairs, strict=True))
    return GroupWait(name, own, others, significant, len(pairs))


def _means(name: str, by_group: dict[str, Floats]) -> tuple[float, float] | None:
    """Returns the mean wait of a group and of all other pods in one run; None if one of them has no pod."""
    own = by_group.get(name, np.empty(0))
    rest = [waits for group, waits in by_group.items() if group != name]
    others = np.concatenate(rest) if rest else np.empty(0)
    return (float(own.mean()), float(others.mean())) if len(own) and len(others) else None
