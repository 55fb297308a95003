from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from wavetank.apiserver.admission.attributes import Attributes, Document
from wavetank.apiserver.admission.plugin import Plugin
from wavetank.apiserver.admission.usage import is_in_scope, missing_requests, usage_of
from wavetank.apiserver.validation.quantities import value_of
from wavetank.apiserver.validation.sums import written
from wavetank.cluster.resource import Resource

Amounts = Mapping[str, Fraction]


class ResourceQuota(Plugin):
    """Keeps a namespace within its quotas and counts what is used.

    A quota that nobody has counted yet (no hard limits in its status) does not bind.
    """

    name = "ResourceQuota"

    def validate(self, attributes: Attributes) -> None:
        """Refuses what exceeds a quota; otherwise adds it to what is used, unless nothing is to be stored."""
        if attributes.operation not in ("CREATE", "UPDATE") or attributes.subresource or not attributes.namespace:
            return
        added = _difference(attributes)
        charged = [(quota, self._charge(quota, added, attributes)) for quota in self._binding(added, attributes)]
        for quota, used in charged:
            if used and not attributes.dry_run:
                self.store.patch("ResourceQuota", quota.namespace, quota.name, {"status": {"used": used}})

    def _binding(self, added: Amounts, attributes: Attributes) -> Iterator[Resource]:
        for quota in self.store.list("ResourceQuota"):
            hard = (quota.manifest.get("status") or {}).get("hard") or {}
            counts = quota.namespace == attributes.namespace and hard.keys() & added.keys()
            spec = quota.manifest.get("spec") or {}
            if counts and is_in_scope(attributes.kind.table, attributes.document, spec):
                yield quota

    def _charge(self, quota: Resource, added: Amounts, attributes: Attributes) -> dict[str, str]:
        """Returns what of the quota is used then, for the resources of which the use changes."""
        status = quota.manifest.get("status") or {}
        hard, used = status.get("hard") or {}, status.get("used") or {}
        if attributes.kind.table == "Pod" and attributes.operation == "CREATE":
            missing = missing_requests(attributes.document["spec"], hard)
            if missing:
                raise attributes.refused(f"failed quota: {quota.name}: must specify {missing}")
        changed = {name: added[name] for name in sorted(hard) if added.get(name)}
        after = {name: value_of(used.get(name)) + amount for name, amount in changed.items()}
        over = [name for name, amount in changed.items() if amount > 0 and after[name] > value_of(hard[name])]
        if over:
            asked = ",".join(f"{name}={written(name, changed[name])}" for name in over)
            shown = ",".join(f"{name}={used.get(name, '0')}" for name in over)
            limits = ",".join(f"{name}={hard[name]}" for name in over)
            why = f"exceeded quota: {quota.name}, requested: {asked}, used: {shown}, limited: {limits}"
            raise attributes.refused(why)
        return {name: written(name, amount) for name, amount in after.items()}


def _difference(attributes: Attributes) -> dict[str, Fraction]:
    """Returns how much more is used after the write."""
    after = usage_of(attributes.kind, attributes.document)
    old: Document | None = attributes.old if attributes.operation == "UPDATE" else None
    before = usage_of(attributes.kind, old) if old is not None else {}
    return {name: after.get(name, Fraction(0)) - before.get(name, Fraction(0)) for name in {**after, **before}}
