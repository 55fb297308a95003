"""kubernetriks' generic traces: YAML events that create and remove pods, or nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import yaml

from wavetank.cluster.fields.resources import CPU, MEMORY, PODS, format_amounts
from wavetank.cluster.objects.podbehavior import PodBehavior
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Manifest
from wavetank.cluster.yamldepth import SafeLoader
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.workloads.inputfile import InputFile, naming
from wavetank.workloads.manifests.nodes import MOST_PODS, node_manifest
from wavetank.workloads.manifests.objects import make_object
from wavetank.workloads.manifests.submissions import Names, Submission, SubmittedWorkload
from wavetank.workloads.names import object_name

_LOOK = re.compile(rb"(?:\s|#[^\n]*\n)*events:")
_MOST_MILLI = 2**32 - 1  # kubernetriks' own type
_UNUSABLE = "an event that cannot be used"
_FROM_THE_START = "a node that comes later is there from the start"


class _Event(NamedTuple):
    place: str
    time: Nanoseconds
    kind: str
    body: Mapping[str, Any]


def is_kubernetriks(file: InputFile) -> bool:
    """Tells whether a file looks like one of these traces."""
    return bool(_LOOK.match(file.head)) and b"event_type:" in file.head


def read_kubernetriks_nodes(file: InputFile) -> list[Manifest]:
    """Makes the nodes that CreateNode events create; CPU is in milli-CPU, RAM in bytes.

    All exist from the start of the run, regardless of their time; removal of nodes is refused.
    """
    with naming(file):
        return list(_nodes(file))


def _nodes(file: InputFile) -> Iterator[Manifest]:
    for event in _events(file):
        try:
            node = _node(event)
        except InputError as error:
            file.skip(error.inside(path=event.place), _UNUSABLE)
        else:
            if event.time:
                file.assumed[_FROM_THE_START] += 1
            yield node


class KubernetriksWorkload(SubmittedWorkload):
    """The pods that CreatePod events create; CPU is in milli-CPU, RAM in bytes.

    A pod runs for its `running_duration`, forever if it has none. One that a RemovePod event takes away ends at
    the latest as long after its start as it was removed after its creation: a workload cannot delete a pod that
    still waits. Models of usage are left aside.
    """

    def __init__(self, file: InputFile) -> None:
        self._names = Names()
        self._specs = SpecTable()
        pods: dict[str, Submission] = {}
        with naming(file):
            for event in _events(file):
                self._try(file, event, pods)
        super().__init__(file, pods.values())

    def _try(self, file: InputFile, event: _Event, pods: dict[str, Submission]) -> None:
        try:
            self._take(event, pods)
        except InputError as error:
            file.skip(error.inside(path=event.place), _UNUSABLE)

    def _take(self, event: _Event, pods: dict[str, Submission]) -> None:
        if event.kind == "CreatePod":
            pod = self._names.take(_pod(event, self._specs))
            pods[pod.names[0]] = pod
        elif event.kind == "RemovePod":
            name = object_name(fields.text(event.body.get("pod_name"), "pod_name"), "pod_name")
            if name not in pods:
                raise InputError(f'there is no pod "{name}" to remove', path="pod_name")
            pods[name] = _removed(pods[name], event.time)
        else:
            raise InputError(f"{event.kind!r:.60} is not supported: expected CreatePod or RemovePod")


def _pod(event: _Event, specs: SpecTable) -> Submission:
    pod = fields.mapping(event.body.get("pod"), "pod")
    metadata = _metadata(pod, "pod")
    spec = fields.mapping(pod.get("spec"), "pod.spec", ("resources", "running_duration"))
    resources = fields.mapping(spec.get("resources"), "pod.spec.resources")
    quantities = {kind: _amounts(resources.get(kind), f"pod.spec.resources.{kind}") for kind in ("requests", "limits")}
    container = {"name": "main", "image": "busybox", "resources": quantities}
    body = {"containers": [container], "restartPolicy": "Never"}
    manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": body}
    make_object(manifest, specs)
    stated = spec.get("running_duration")
    duration = None if stated is None else fields.duration(stated, "pod.spec.running_duration")
    return Submission(event.time, (metadata["name"],), "default", manifest, PodBehavior(duration))


def _removed(pod: Submission, time: Nanoseconds) -> Submission:
    lived = max(time - pod.time, 0)
    assert pod.behavior is not None
    duration = lived if pod.behavior.duration is None else min(lived, pod.behavior.duration)
    return pod._replace(behavior=replace(pod.behavior, duration=duration))


def _node(event: _Event) -> Manifest:
    if event.kind != "CreateNode":
        raise InputError(f"{event.kind!r:.60} is not supported: expected CreateNode")
    node = fields.mapping(event.body.get("node"), "node")
    metadata = _metadata(node, "node")
    status = fields.mapping(node.get("status"), "node.status")
    capacity = {**_amounts(status.get("capacity"), "node.status.capacity"), PODS: str(MOST_PODS)}
    return node_manifest(metadata["name"], metadata["labels"], capacity)


def _metadata(given: Mapping[str, Any], path: str) -> dict[str, Any]:
    metadata = fields.mapping(given.get("metadata"), f"{path}.metadata")
    name = fields.text(metadata.get("name"), f"{path}.metadata.name")
    labels = fields.labels(metadata.get("labels") or {}, f"{path}.metadata.labels")
    return {"name": object_name(name, f"{path}.metadata.name"), "labels": labels}


def _amounts(value: object, path: str) -> dict[str, str]:
    given = fields.mapping(value, path, (CPU, "ram"))
    cpu = fields.integer(given.get(CPU), f"{path}.cpu", 0, _MOST_MILLI)
    ram = fields.integer(given.get("ram"), f"{path}.ram", 0, 2**63 - 1)
    return format_amounts({CPU: cpu, MEMORY: ram})


def _events(file: InputFile) -> Iterator[_Event]:
    document = fields.mapping(_load(file), "", ("events",))
    events = document.get("events")
    for i, item in enumerate(fields.items(events, "events") if events else ()):
        try:
            yield _event(fields.mapping(item, "", ("timestamp", "event_type")), f"events[{i}]")
        except InputError as error:
            file.skip(error.inside(path=f"events[{i}]"), _UNUSABLE)


def _event(event: Mapping[str, Any], place: str) -> _Event:
    time = fields.duration(event.get("timestamp"), "timestamp")
    kind = event.get("event_type")
    if not isinstance(kind, _Tagged):
        raise InputError("expected a tag such as !CreatePod with its fields", path="event_type")
    return _Event(place, time, kind.tag, fields.mapping(kind.body, "event_type"))


class _Tagged(NamedTuple):
    tag: str
    body: Any


class _Loader(SafeLoader):
    """The safe loader, which also reads the tags that Rust's serde writes for the variants of an event."""


def _tagged(loader: Any, tag: str, node: Any) -> _Tagged:
    body = loader.construct_mapping(node, deep=True) if isinstance(node, yaml.MappingNode) else None
    return _Tagged(tag, body)


_Loader.add_multi_constructor("!", _tagged)


def _load(file: InputFile) -> Any:
    try:
        return yaml.load(file.text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = f"line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise InputError(f"not valid YAML: {error.problem}", path=line, source=file.source) from None
    except (yaml.YAMLError, ValueError, RecursionError, TypeError) as error:
        why = str(error).partition("; use sys.")[0]  # advice for programmers
        raise InputError(f"not valid YAML: {' '.join(why.split())}", source=file.source) from None
