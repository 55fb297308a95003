"""What a journal holds: objects as they are written, and what actors know of them that no object says."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podbehavior import PodBehavior
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Resource
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.podmemory import NodeMemory, PodMemory

Behavior = tuple[Nanoseconds | None, int, Nanoseconds, float]
Key = tuple[str, str, str]  # GroupKind, namespace, name


class KeptPod(msgspec.Struct, omit_defaults=True):
    """What a version of a pod knows beyond its document."""

    restarts: int = 0
    started: Nanoseconds | None = None
    behavior: Behavior | None = None
    memory: PodMemory | None = None


class Written(msgspec.Struct, tag="+", tag_field="is", omit_defaults=True):
    """A new version of an object."""

    table: str
    namespace: str
    name: str
    version: int
    created: Nanoseconds
    document: msgspec.Raw
    deleted: Nanoseconds | None = None
    namespaced: bool = True
    pod: KeptPod | None = None
    node: NodeMemory | None = None

    @property
    def key(self) -> Key:
        """Returns what the object is found by."""
        return self.table, self.namespace, self.name


class Removed(msgspec.Struct, tag="-", tag_field="is"):
    """An object that was deleted."""

    table: str
    namespace: str
    name: str

    @property
    def key(self) -> Key:
        """Returns what the object was found by."""
        return self.table, self.namespace, self.name


class Batch(msgspec.Struct, omit_defaults=True):
    """Writes that were committed together, and the time and the counters of the store after them."""

    now: Nanoseconds
    version: int
    reserved: int
    changes: list[Written | Removed] = []


class Snapshot(msgspec.Struct):
    """The first record of a file: how many batches after it have the objects with which it begins."""

    batches: int


class Actors(msgspec.Struct, frozen=True):
    """Where to ask what actors know of pods and nodes; by default they know nothing."""

    of_pod: Callable[[Pod], PodMemory | None] = lambda _: None
    of_node: Callable[[str], NodeMemory | None] = lambda _: None


def keep(resource: Resource, table: str, actors: Actors) -> Written:
    """Returns an object as it is kept."""
    written = Written(
        table,
        resource.namespace,
        resource.name,
        resource.resource_version,
        resource.created,
        msgspec.Raw(msgspec.json.encode(resource.render())),
        resource.deleted,
        resource.namespaced,
    )
    if isinstance(resource, Pod):
        behavior = _parts(resource.behavior)
        written.pod = KeptPod(resource.restarts, resource.started, behavior, actors.of_pod(resource))
    elif table == "Node":
        written.node = actors.of_node(resource.name)
    return written


def make_again(kept: Written, specs: SpecTable) -> Resource:
    """Returns the object that was kept."""
    made = parse_resource(msgspec.json.decode(kept.document), specs, namespaced=kept.namespaced)
    made.resource_version, made.created, made.deleted = kept.version, kept.created, kept.deleted
    if isinstance(made, Pod) and kept.pod is not None:
        made.restarts, made.started = kept.pod.restarts, kept.pod.started
        made.behavior = None if kept.pod.behavior is None else PodBehavior(*kept.pod.behavior)
    return made


def _parts(behavior: PodBehavior | None) -> Behavior | None:
    """Returns a behavior without its job, which pods of a served cluster do not have."""
    if behavior is None:
        return None
    return behavior.duration, behavior.exit_code, behavior.termination, behavior.flops
