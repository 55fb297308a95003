from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from wavetank.apiserver.admission.attributes import Attributes, Document
from wavetank.apiserver.admission.plugin import Plugin
from wavetank.cluster.objects.groupkinds import RESOURCE_QUOTA
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.quota.amount import ZERO, Amount, add, parse_amounts, render_amounts
from wavetank.cluster.quota.scopes import is_in_scope, is_terminating
from wavetank.cluster.quota.usage import counts, missing_requests, usage_of

Amounts = Mapping[str, Amount]

# Kinds whose use may change while they live.
_CHANGING = ("services", "persistentvolumeclaims", "resourceclaims.resource.k8s.io")


class ResourceQuota(Plugin):
    """Enforces the quotas of a namespace and counts their use.

    A quota that the quota controller has not counted yet (no hard limits in its status) is not enforced.
    """

    name = "ResourceQuota"

    def validate(self, attributes: Attributes) -> None:
        """Refuses an object that exceeds a quota; otherwise adds it to the quota's use, except in a dry run."""
        if not attributes.namespace or attributes.kind.group_kind == "Namespace" or not _may_use_more(attributes):
            return
        charged = [(quota, self._charge(quota, attributes)) for quota in self._binding(attributes)]
        for quota, used in charged:
            if used and not attributes.dry_run:
                self.store.patch("ResourceQuota", quota.namespace, quota.name, {"status": {"used": used}})

    def _binding(self, attributes: Attributes) -> Iterator[Resource]:
        """Yields the quotas that apply to the object; refuses it if their use is not known yet."""
        resource = attributes.kind.resource
        for quota in self.store.list(RESOURCE_QUOTA):
            status, spec = quota.manifest.get("status") or {}, quota.manifest.get("spec") or {}
            if quota.namespace != attributes.namespace:
                continue
            names = [name for name in status.get("hard") or {} if counts(resource, name)]
            if not names:
                continue
            if is_in_scope(resource, attributes.document, spec):
                _check(quota, names, attributes)
                yield quota

    def _charge(self, quota: Resource, attributes: Attributes) -> dict[str, str]:
        """Returns the new use of a quota, for the resources of which more is used."""
        status = quota.manifest.get("status") or {}
        limited = status.get("hard") or {}
        added = {name: amount for name, amount in self._added(quota, attributes).items() if name in limited}
        hard, used = (parse_amounts(_only(status.get(part) or {}, added)) for part in ("hard", "used"))
        after = add(used, added)
        over = [name for name in sorted(added) if after[name].value > hard[name].value]
        if over and attributes.subresource != "status":
            asked, before, limits = (_shown(amounts, over) for amounts in (added, used, hard))
            why = f"exceeded quota: {quota.name}, requested: {asked}, used: {before}, limited: {limits}"
            raise attributes.refused(why)
        return render_amounts({name: after[name] for name in added})

    def _added(self, quota: Resource, attributes: Attributes) -> Amounts:
        """Returns by how much a write increases the use; an object that was not counted before counts in full."""
        resource, now = attributes.kind.resource, self.store.clock.now
        after = usage_of(resource, attributes.document, now)
        old: Document | None = attributes.old if attributes.operation == "UPDATE" else None
        if old is not None and is_in_scope(resource, old, quota.manifest.get("spec") or {}):
            before = usage_of(resource, old, now)
            after = {name: amount.minus(before.get(name, ZERO)) for name, amount in after.items()}
        return {name: amount for name, amount in after.items() if amount.value > 0}


def _may_use_more(attributes: Attributes) -> bool:
    """Says whether a write can change the use of its object."""
    resource, part, old = attributes.kind.resource, attributes.subresource, attributes.old
    if attributes.operation == "CREATE":
        return not part
    if attributes.operation != "UPDATE" or old is None:
        return False
    if resource == "pods":
        return part == "resize" or (
            not part and is_terminating(attributes.document["spec"]) != is_terminating(old["spec"])
        )
    return resource in _CHANGING and (not part or (part == "status" and resource == "persistentvolumeclaims"))


def _check(quota: Resource, names: list[str], attributes: Attributes) -> None:
    """Refuses a pod without the requests that a quota counts, and objects whose use is not counted yet."""
    if attributes.kind.group_kind == "Pod":
        missing = missing_requests(attributes.document["spec"], names)
        if missing:
            raise attributes.refused(f"failed quota: {quota.name}: must specify {missing}")
    if any(name not in ((quota.manifest.get("status") or {}).get("used") or {}) for name in names):
        raise attributes.refused(f"status unknown for quota: {quota.name}, resources: {','.join(sorted(names))}")


def _only(texts: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    return {name: texts[name] for name in names if name in texts}


def _shown(amounts: Amounts, names: list[str]) -> str:
    return ",".join(f"{name}={amounts[name]}" for name in names)
