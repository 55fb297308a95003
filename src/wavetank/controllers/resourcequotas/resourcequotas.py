from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator

from wavetank.cluster.objects.groupkinds import PERSISTENT_VOLUME_CLAIM, RESOURCE_QUOTA, SERVICE
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.quota.amount import ZERO, Amount, parse_amounts, render_amounts
from wavetank.cluster.quota.scopes import is_in_scope, is_terminating
from wavetank.cluster.quota.usage import counts_any, usage_of
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key
from wavetank.kernel.durations import SECOND, Nanoseconds

_RESYNC: Nanoseconds = 300 * SECOND
_CHANGING = (SERVICE, PERSISTENT_VOLUME_CLAIM)  # kinds whose usage may shrink while they exist


class ResourceQuotas:
    """The resourcequota-controller: recomputes the usage of quotas; admission adds new objects to it.

    A quota is recomputed when it is created or changed, when usage may have shrunk, and every five minutes.
    """

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._store = context.store
        self._queue = context.queue(self._sync)
        self._quotas: defaultdict[str, dict[str, Resource]] = defaultdict(dict)  # by namespace and name
        self._store.subscribe(
            RESOURCE_QUOTA,
            added=lambda new: self.quota_seen(None, new),
            modified=self.quota_seen,
            deleted=self.quota_lost,
        )
        self._store.subscribe_all(self)
        for quota in self._store.list(RESOURCE_QUOTA):
            self.quota_seen(None, quota)
        self._resync()

    def _resync(self) -> None:
        for quotas in self._quotas.values():
            for quota in quotas.values():
                self._queue.add(quota.key)
        self._context.clock.after(_RESYNC, self._resync, background=True)

    # events

    def quota_seen(self, old: Resource | None, new: Resource) -> None:
        """Adds a quota; one with changed limits is recomputed."""
        self._quotas[new.namespace][new.name] = new
        if old is None or _hard(old) != _hard(new):
            self._queue.add(new.key)

    def quota_lost(self, quota: Resource) -> None:
        """Removes a quota."""
        self._quotas[quota.namespace].pop(quota.name, None)

    def added(self, new: Resource) -> None:
        """Does nothing: admission has counted it."""

    def modified(self, old: Resource, new: Resource) -> None:
        """Recomputes if the usage may have shrunk."""
        if new.namespace in self._quotas and (
            _frees(old, new) if isinstance(new, Pod) else new.group_kind in _CHANGING
        ):
            self._something_less(new)

    def deleted(self, old: Resource) -> None:
        """Recomputes without the deleted object."""
        if old.namespace in self._quotas:
            self._something_less(old)

    def _something_less(self, resource: Resource) -> None:
        kind = self._store.resource_name(resource.group_kind)
        for quota in self._quotas[resource.namespace].values():
            if counts_any(kind, (quota.manifest.get("status") or {}).get("hard") or {}):
                self._queue.add(quota.key)

    # work

    def _sync(self, key: Key) -> None:
        quota = self._store.find(RESOURCE_QUOTA, *key)
        if quota is None:
            return
        old = quota.manifest.get("status") or {}
        hard = parse_amounts(_hard(quota))
        used = dict.fromkeys(hard, ZERO)
        for resource, kind in self._counted(quota, hard):
            for name, amount in usage_of(kind, resource, self._context.clock.now).items():
                if name in used:
                    used[name] = used[name].plus(amount)
        status = {"hard": render_amounts(hard), "used": render_amounts(used)}
        if old.get("hard") != status["hard"] or _differ(old.get("used"), used):
            self._context.client.update_status(quota, status)

    def _counted(self, quota: Resource, names: Collection[str]) -> Iterator[tuple[dict[str, object], str]]:
        """Yields the objects that a quota counts, with the names of their kinds."""
        spec = quota.manifest.get("spec") or {}
        for group_kind in self._store.group_kinds():
            kind = self._store.resource_name(group_kind)
            if not counts_any(kind, names):
                continue
            for resource in self._store.list(group_kind):
                if resource.namespace == quota.namespace:
                    document = resource.render()
                    if is_in_scope(kind, document, spec):
                        yield document, kind


def _hard(quota: Resource) -> dict[str, str]:
    return (quota.manifest.get("spec") or {}).get("hard") or {}


def _differ(texts: dict[str, str] | None, amounts: dict[str, Amount]) -> bool:
    if texts is None or texts.keys() != amounts.keys():
        return True
    return any(Amount.parse(texts[name]).value != amount.value for name, amount in amounts.items())


def _frees(old: Resource, new: Pod) -> bool:
    """Tells whether a pod may use less than before, or is counted in other scopes."""
    assert isinstance(old, Pod)
    if new.finished != old.finished:
        return True
    return new.spec is not old.spec and is_terminating(new.spec.manifest) != is_terminating(old.spec.manifest)
