from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator
from typing import Any

from wavetank.cluster.objects.groupkinds import NAMESPACE
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource, render_time
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key
from wavetank.kernel.durations import SECOND, Nanoseconds

_FINALIZER = "kubernetes"
_DELAY: Nanoseconds = 5 * SECOND  # until all API servers refuse new objects
_FINALIZERS_TAKE = 15  # seconds that finalizers are given
_LONGEST_RETRY: Nanoseconds = 60 * SECOND

# By condition type: reason and message if nothing is wrong, in the order in which they are written.
_FINE = {
    "NamespaceDeletionDiscoveryFailure": ("ResourcesDiscovered", "All resources successfully discovered"),
    "NamespaceDeletionGroupVersionParsingFailure": ("ParsedGroupVersions", "All legacy kube types successfully parsed"),
    "NamespaceDeletionContentFailure": (
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    "NamespaceContentRemaining": ("ContentRemoved", "All content successfully removed"),
    "NamespaceFinalizersRemaining": ("ContentHasNoFinalizers", "All content-preserving finalizers finished"),
}
_AT_ONCE = 100  # objects that are deleted in one event
_Problems = dict[str, tuple[str, str]]
_Emptied = tuple[int, _Problems]


class Namespaces:
    """The namespace-controller: empties deleted namespaces, pods first, and then removes them."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._store = context.store
        self._queue = context.queue(self._sync, longest=_LONGEST_RETRY)
        self._steps: dict[str, Generator[None, None, _Emptied]] = {}  # by the name of a namespace that is being emptied
        self._store.subscribe(NAMESPACE, self)
        for namespace in self._store.list(NAMESPACE):
            self.added(namespace)

    def added(self, new: Resource) -> None:
        """Enqueues a namespace that is being deleted."""
        if new.deleted is not None:
            self._queue.add_after(("", new.name), _DELAY)

    def modified(self, old: Resource, new: Resource) -> None:
        """Enqueues a namespace that is being deleted."""
        self.added(new)

    def deleted(self, old: Resource) -> None:
        """Does nothing."""

    # work

    def _sync(self, key: Key) -> None:
        namespace = self._store.find(NAMESPACE, *key)
        if namespace is None or namespace.deleted is None or not _finalizers(namespace):
            self._steps.pop(key[1], None)
            return
        emptied = self._go_on(namespace)
        if emptied is None:
            self._queue.add(key)
            return
        wait, problems = emptied
        namespace = self._write_conditions(namespace, problems)
        if wait:
            self._queue.add_after(key, (wait // 2 + 1) * SECOND)
            return
        document = namespace.render()
        document["spec"] = {"finalizers": [name for name in _finalizers(namespace) if name != _FINALIZER]}
        self._context.client.finalize(namespace, document)

    def _go_on(self, namespace: Resource) -> _Emptied | None:
        """Deletes some of the contents of a namespace; None if there are more."""
        steps = self._steps.pop(namespace.name, None) or self._empty(namespace)
        try:
            next(steps)
        except StopIteration as end:
            emptied: _Emptied = end.value
            return emptied
        self._steps[namespace.name] = steps
        return None

    def _empty(self, namespace: Resource) -> Generator[None, None, _Emptied]:
        """Deletes the contents of a namespace, and yields now and then, since each event should be short.

        Returns how many seconds to wait for them, and what to report.
        """
        wait = self._grace(namespace)
        yield from self._delete(Pod.group_kind, namespace.name)
        if pods := self._inside(Pod.group_kind, namespace.name):
            return wait or _FINALIZERS_TAKE * any(map(_keepers, pods)) or 1, {}
        left: dict[str, int] = {}
        keepers: Counter[str] = Counter()
        for group_kind in self._store.group_kinds():
            yield from self._delete(group_kind, namespace.name)
            remaining = self._inside(group_kind, namespace.name)
            if remaining:
                left[self._resource(group_kind)] = len(remaining)
                keepers.update(keeper for resource in remaining for keeper in _keepers(resource))
        return _FINALIZERS_TAKE if left else 0, _problems(left, keepers)

    def _grace(self, namespace: Resource) -> int:
        """Returns the longest remaining grace period of the namespace's pods, in seconds."""
        pods = (pod for pod in self._inside(Pod.group_kind, namespace.name) if not pod.finished)
        longest = max((int(pod.spec.grace_s) for pod in pods), default=0)
        assert namespace.deleted is not None
        return longest if self._context.clock.now - namespace.deleted < longest * SECOND else 0

    def _delete(self, group_kind: str, namespace: str) -> Iterator[None]:
        for number, resource in enumerate(self._inside(group_kind, namespace), 1):
            if number % _AT_ONCE == 0:
                yield
            try:
                self._context.client.delete(resource, policy="Background")
            except ApiError as error:
                if error.code != 404:
                    raise

    def _inside(self, group_kind: str, namespace: str) -> list[Any]:
        return [resource for resource in self._store.list(group_kind) if resource.namespace == namespace]

    # conditions

    def _resource(self, group_kind: str) -> str:
        """Returns the resource name of a kind as in upstream's messages, with a trailing dot for the core group."""
        name = self._store.resource_name(group_kind)
        return name if "." in group_kind else f"{name}."

    def _write_conditions(self, namespace: Resource, problems: _Problems) -> Resource:
        status = dict(namespace.manifest.get("status") or {})
        old = {condition["type"]: condition for condition in status.get("conditions") or ()}
        now = render_time(self._context.clock.now)
        conditions = [_condition(kind, problems.get(kind), old.get(kind), now) for kind in _FINE]
        others = [condition for kind, condition in old.items() if kind not in _FINE]
        status["conditions"] = [*others, *conditions]
        return namespace if status == namespace.manifest.get("status") else self._write(namespace, status)

    def _write(self, namespace: Resource, status: dict[str, Any]) -> Resource:
        return self._context.client.update_status(namespace, status)


def _condition(kind: str, problem: tuple[str, str] | None, old: dict[str, Any] | None, now: str) -> dict[str, Any]:
    reason, message = problem or _FINE[kind]
    status = "True" if problem else "False"
    since = old["lastTransitionTime"] if old is not None and old.get("status") == status else now
    return {"type": kind, "status": status, "lastTransitionTime": since, "reason": reason, "message": message}


def _problems(left: dict[str, int], keepers: Counter[str]) -> _Problems:
    found: _Problems = {}
    if left:
        shown = ", ".join(sorted(f"{name} has {number} resource instances" for name, number in left.items()))
        found["NamespaceContentRemaining"] = ("SomeResourcesRemain", f"Some resources are remaining: {shown}")
    if keepers:
        shown = ", ".join(sorted(f"{name} in {number} resource instances" for name, number in keepers.items()))
        message = f"Some content in the namespace has finalizers remaining: {shown}"
        found["NamespaceFinalizersRemaining"] = ("SomeFinalizersRemain", message)
    return found


def _finalizers(namespace: Resource) -> list[str]:
    return list((namespace.manifest.get("spec") or {}).get("finalizers") or ())


def _keepers(resource: Resource) -> list[str]:
    return list((resource.manifest.get("metadata") or {}).get("finalizers") or ())
