from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from wavetank.cluster.objects.groupkinds import CRON_JOB, DAEMON_SET, HORIZONTAL_POD_AUTOSCALER
from wavetank.cluster.objects.podbehavior import PodBehavior
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Resource
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import Experiment
from wavetank.kernel.durations import Nanoseconds
from wavetank.kernel.randomness import Streams
from wavetank.realclusters.replay.manifests import (
    PRIORITY_CLASS,
    REPLAY,
    Document,
    Style,
    owner_document,
    pod_document,
)
from wavetank.simulation.controllers import WORKLOAD_KINDS
from wavetank.words import plural
from wavetank.workloads.manifests.expansion import behavior_of_owned
from wavetank.workloads.workload import Arrival, object_arrivals

_LONGEST_NAME = 63
_REPLAYED = WORKLOAD_KINDS - {HORIZONTAL_POD_AUTOSCALER}


@dataclass(frozen=True)
class Creation:
    """An object that is created at a time of the workload; `behavior` is that of a pod, with its job."""

    time: Nanoseconds
    document: Document
    behavior: PodBehavior | None = None

    @property
    def key(self) -> str:
        """Returns what the object is called: Job/name."""
        return f"{self.document['kind']}/{self.document['metadata']['name']}"


@dataclass(frozen=True)
class Plan:
    """Everything that a replay creates; `notes` says what of the experiment is not replayed."""

    creations: tuple[Creation, ...]
    priority_classes: tuple[Document, ...]
    notes: tuple[str, ...]

    def kinds(self) -> dict[str, int]:
        """Returns how many objects of each kind it creates."""
        return dict(Counter(each.document["kind"] for each in self.creations))


def make_plan(experiment: Experiment, seed: int, style: Style) -> Plan:
    """Returns what is created, and when; the same for the same experiment, seed and style.

    InputError if the workload has no objects, or is made while the run goes on.
    """
    streams = Streams(seed)
    arrivals = object_arrivals(experiment.workload, SpecTable(), streams, _REPLAYED)
    names = _Names()
    creations, priorities, gangs = [], set(), 0
    for arrival in arrivals:
        if isinstance(arrival, Arrival):
            pod = arrival.pod
            if pod.priority and not pod.spec.manifest.get("priorityClassName"):
                priorities.add(pod.priority)
            gangs += pod.behavior is not None and pod.behavior.job is not None and pod.behavior.job.size > 1
            name = names.take("Pod", pod.namespace, pod.name)
            creations.append(Creation(arrival.time, pod_document(pod, name, style), pod.behavior))
        else:
            creations.append(_owner(arrival.time, arrival.resource, names, style))
    if not creations:
        raise InputError("the workload has nothing that could be created on a cluster")
    classes = tuple(_priority_class(value, style) for value in sorted(priorities))
    return Plan(tuple(creations), classes, tuple(_notes(experiment, creations, gangs)))


def _owner(time: Nanoseconds, owner: Resource, names: _Names, style: Style) -> Creation:
    kind = owner.manifest_kind
    name = names.take(kind, owner.namespace, owner.name)
    template = (owner.manifest.get("spec") or {}).get("template") or {}
    behavior = None
    if template:
        owner_reference = {"kind": kind, "name": name, "controller": True}
        metadata = {"name": name, **(template.get("metadata") or {}), "ownerReferences": [owner_reference]}
        behavior = behavior_of_owned({"metadata": metadata, "spec": template["spec"]})
    return Creation(time, owner_document(owner, name, behavior, style))


def _notes(experiment: Experiment, creations: list[Creation], gangs: int) -> Iterator[str]:
    if gangs:
        yield f"{gangs} {plural(gangs, 'pod')} of larger jobs: unlike in a simulation they do not wait for each other"
    for field, given in (
        ("faults", experiment.faults),
        ("services", experiment.services),
        ("node groups", experiment.node_groups),
        ("the batch operator", experiment.operator),
    ):
        if given:
            yield f"{field} of the experiment are not replayed"
    kinds = {each.document["kind"] for each in creations}
    for kind in (DAEMON_SET, CRON_JOB):
        name = kind.partition(".")[0]
        if name in kinds:
            yield f"{name}s: their pods depend on the cluster"


def _priority_class(value: int, style: Style) -> Document:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": PRIORITY_CLASS.format(value), "labels": {REPLAY: style.name}},
        "value": value,
    }


class _Names:
    """Names that an API server accepts, the same ones each time: the workload's own as far as that is possible."""

    def __init__(self) -> None:
        self._taken: set[tuple[str, str]] = set()

    def take(self, kind: str, namespace: str, name: str) -> str:
        """Returns a name that no other object of the kind has."""
        wanted = name if namespace == "default" else f"{namespace}-{name}"
        plain = re.sub(r"[^a-z0-9-]+", "-", wanted.lower()).strip("-")[:_LONGEST_NAME].strip("-") or "object"
        chosen, number = plain, 1
        while (kind, chosen) in self._taken:
            number += 1
            chosen = f"{plain[: _LONGEST_NAME - 8].strip('-')}-{number}"
        self._taken.add((kind, chosen))
        return chosen
