"""Small scenarios: node groups, workloads and timed changes, played to the autoscaler beside the scheduler."""

from __future__ import annotations

from typing import Any

from wavetank.kernel.durations import SECOND
from wavetank.verification.clusterautoscaler.freerun import Observations, run_freely
from wavetank.verification.clusterautoscaler.recording import (
    ClusterAutoscalerRecording,
    RecordedCheck,
    RecordedInputs,
    RecordedOptions,
    RecordedOutputs,
)

Json = dict[str, Any]
MINUTE = 60
QUICK = {"scale-down-unneeded-time": "2m", "scale-down-delay-after-add": "0s"}


def group(name: str = "g", *, initial: int = 1, most: int = 8, least: int = 0, cpu: int = 4, **fields: Any) -> Json:
    """Returns a group of nodes with 4 GiB per CPU that boot in 31 s."""
    capacity = {"cpu": str(cpu), "memory": f"{4 * cpu}Gi", "pods": "110"}
    sizes = {"min": least, "max": most, "initial": initial}
    return {"name": name, "kind": "MachineDeployment", "capacity": capacity, "boot_ns": 31 * SECOND, **sizes, **fields}


def workload(name: str = "web", cpu: str = "1", kind: str = "ReplicaSet", **fields: Any) -> Json:
    """Returns a workload whose pods request CPUs, and as many GiB; fields of the pod are given as `spec`."""
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu, "memory": "1Gi"}}}
    spec = {"containers": [container], **fields.pop("spec", {})}
    given = {"namespace": "default", "labels": {"app": name}, "annotations": {}, **fields}
    return {"name": name, "kind": kind, "spec": spec, **given}


def play(
    groups: list[Json],
    workloads: list[Json],
    events: list[tuple[float, str, Json]],
    flags: Json | None = None,
    minutes: float = 20,
    **options: Any,
) -> Observations:
    """Plays a scenario; times of events in seconds."""
    inputs = RecordedInputs(
        groups,
        options.pop("nodes", []),
        workloads,
        [(round(time * SECOND), what, args) for time, what, args in events],
        {key: str(value) for key, value in (flags or {}).items()},
        RecordedOptions(round(minutes * MINUTE * SECOND), **options),
    )
    outputs = RecordedOutputs([], [], [], [], [], [], [], [], [], [])
    recording = ClusterAutoscalerRecording(1, "", "", "test", "test", inputs, outputs, RecordedCheck())
    return run_freely(recording, guided=False)


def scale(time: float, name: str, replicas: int) -> tuple[float, str, Json]:
    """Returns the event that a workload gets so many replicas."""
    return time, "scale", {"workload": name, "replicas": replicas}


def sizes(observations: Observations) -> list[tuple[int, str, int]]:
    """Returns the changes of sizes: second, group, new size."""
    return [(round(time / SECOND), name, after) for time, name, _, after in observations.replicas]


def last_sizes(observations: Observations) -> dict[str, int]:
    """Returns the last size of each group that changed."""
    return {name: after for _, name, _, after in observations.replicas}


def told(observations: Observations, reason: str) -> list[tuple[int, str, str]]:
    """Returns the Events of a reason: second, object, message."""
    return [(round(time / SECOND), about, text) for time, _, why, about, text in observations.events if why == reason]
