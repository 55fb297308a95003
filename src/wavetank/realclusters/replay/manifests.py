"""Objects of a workload as they are created on a real cluster: their containers sleep for as long as the pods run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podbehavior import PodBehavior
from wavetank.cluster.objects.resource import Resource
from wavetank.kernel.durations import SECOND

Document = dict[str, Any]

REPLAY = "wavetank.dev/replay"  # a label: the name of the replay that an object belongs to
PRIORITY_CLASS = "wavetank-replay-{}"
_FOREVER = "infinity"
# Fields that another component of the cluster sets, or that only work with what the replay does not create.
_DROPPED = frozenset(
    {"initContainers", "nodeName", "priority", "serviceAccount", "serviceAccountName", "volumes", "preemptionPolicy"}
)
_SPEED_OF_A_CORE = 1e9  # flop/s, as nodes have it that state no other


@dataclass(frozen=True)
class Style:
    """How objects are created: by which replay, where, with which image, and how much faster than the workload."""

    name: str
    namespace: str
    image: str
    speed: float


def pod_document(pod: Pod, name: str, style: Style) -> Document:
    """Returns a pod that sleeps for its duration."""
    metadata = pod.manifest.get("metadata") or {}
    spec = sleeping_spec(pod.spec.manifest, pod.behavior, style)
    if pod.priority and not spec.get("priorityClassName"):
        spec["priorityClassName"] = PRIORITY_CLASS.format(pod.priority)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": _metadata(metadata, name, style), "spec": spec}


def owner_document(owner: Resource, name: str, behavior: PodBehavior | None, style: Style) -> Document:
    """Returns an object whose pods sleep, such as a Job or a Deployment; without a template it stays as it is."""
    manifest = owner.manifest
    spec = dict(manifest.get("spec") or {})
    if isinstance(spec.get("template"), Mapping):
        spec["template"] = _template(spec["template"], behavior, style)
    if isinstance(spec.get("jobTemplate"), Mapping):  # of a CronJob
        job = spec["jobTemplate"]
        inner = job.get("spec") or {}
        spec["jobTemplate"] = {**job, "spec": {**inner, "template": _template(inner["template"], behavior, style)}}
    head = {"apiVersion": manifest["apiVersion"], "kind": manifest["kind"]}
    return {**head, "metadata": _metadata(manifest.get("metadata") or {}, name, style), "spec": spec}


def _template(template: Mapping[str, Any], behavior: PodBehavior | None, style: Style) -> Document:
    metadata = template.get("metadata") or {}
    labels = {**(metadata.get("labels") or {}), REPLAY: style.name}
    kept = {"labels": labels, **_some("annotations", _annotations(metadata))}
    return {"metadata": kept, "spec": sleeping_spec(template["spec"], behavior, style)}


def sleeping_spec(spec: Mapping[str, Any], behavior: PodBehavior | None, style: Style) -> Document:
    """Returns a pod's spec with containers that sleep, and everything that concerns scheduling as it was."""
    kept = {key: value for key, value in spec.items() if key not in _DROPPED}
    command = command_for(behavior, style.speed)
    containers = [_container(each, command, style.image) for each in spec.get("containers") or ()]
    return {**kept, "containers": containers, "automountServiceAccountToken": False}


def command_for(behavior: PodBehavior | None, speed: float) -> list[str]:
    """Returns the command of a container that runs as long as a pod of the workload, and ends with its exit code."""
    if behavior is None or behavior.duration is None:
        return ["sleep", _FOREVER]
    takes = behavior.duration / SECOND + (behavior.work_time(_SPEED_OF_A_CORE) if behavior.flops else 0)
    seconds = f"{takes / speed:.6f}".rstrip("0").rstrip(".")
    if behavior.exit_code:
        return ["sh", "-c", f"sleep {seconds}; exit {behavior.exit_code}"]
    return ["sleep", seconds]


def _container(given: Mapping[str, Any], command: list[str], image: str) -> Document:
    made: Document = {"name": given.get("name") or "main", "image": image, "command": command}
    return {**made, **_some("resources", given.get("resources")), **_some("ports", given.get("ports"))}


def _metadata(given: Mapping[str, Any], name: str, style: Style) -> Document:
    labels = {**(given.get("labels") or {}), REPLAY: style.name}
    return {"name": name, "namespace": style.namespace, "labels": labels, **_some("annotations", _annotations(given))}


def _annotations(metadata: Mapping[str, Any]) -> Document:
    """Returns the annotations without those for wavetank: the command says what the containers do."""
    given: Mapping[str, Any] = metadata.get("annotations") or {}
    return {key: value for key, value in given.items() if not key.startswith("wavetank.dev/")}


def _some(field: str, value: object) -> Document:
    return {field: value} if value else {}
