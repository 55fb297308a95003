"""The webhooks of a cluster, as its configurations state them, in the order in which they are called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from wavetank.apiserver.admission.webhooks.conditions import MatchCondition, loops
from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.groupkinds import MUTATING_WEBHOOKS, VALIDATING_WEBHOOKS
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store

Document = dict[str, Any]


@dataclass(frozen=True)
class Webhook:
    """One webhook of a configuration, with its defaults; `uid` is unique among all."""

    uid: str
    stated: Document
    conditions: tuple[MatchCondition, ...] = ()
    namespaces: LabelSelector = field(default_factory=lambda: LabelSelector.parse({}))
    objects: LabelSelector = field(default_factory=lambda: LabelSelector.parse({}))
    rules_about: dict[tuple[str, ...], list[Document]] = field(default_factory=dict, compare=False)  # if there are many

    @classmethod
    def read(cls, stated: Document, uid: str) -> Webhook:
        """Returns a webhook of a valid configuration."""
        return cls(
            uid,
            stated,
            tuple(MatchCondition(each["name"], each["expression"]) for each in stated.get("matchConditions") or ()),
            LabelSelector.parse(stated.get("namespaceSelector") or {}),
            LabelSelector.parse(stated.get("objectSelector") or {}),
        )

    @property
    def name(self) -> str:
        """Returns its name."""
        return str(self.stated["name"])

    @cached_property
    def has_costly_conditions(self) -> bool:
        """Tells whether its conditions may take long, however small the object is."""
        return any(loops(each.expression) for each in self.conditions)

    @property
    def ignores_failures(self) -> bool:
        """Tells whether a write goes on if the webhook cannot be called."""
        return bool(self.stated.get("failurePolicy") == "Ignore")

    @property
    def is_equivalent(self) -> bool:
        """Tells whether it is called for other versions of its kinds as well."""
        return bool(self.stated.get("matchPolicy", "Equivalent") == "Equivalent")

    @property
    def may_be_reinvoked(self) -> bool:
        """Tells whether it is called again if others have changed the object after it."""
        return bool(self.stated.get("reinvocationPolicy") == "IfNeeded")

    @property
    def supports_dry_run(self) -> bool:
        """Tells whether it may be called in a dry run."""
        return self.stated.get("sideEffects") in ("None", "NoneOnDryRun")


class WebhookTable:
    """All webhooks of a store: configurations by name, and their webhooks as they are listed."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, list[Webhook] | None] = {MUTATING_WEBHOOKS: None, VALIDATING_WEBHOOKS: None}
        for group_kind in self._known:
            store.subscribe(
                group_kind,
                added=lambda new: self._forget(new.group_kind),
                modified=lambda old, new: self._forget(new.group_kind),
                deleted=lambda old: self._forget(old.group_kind),
            )

    def _forget(self, group_kind: str) -> None:
        self._known[group_kind] = None

    @property
    def is_empty(self) -> bool:
        """Tells whether there is no webhook."""
        return not (self.mutating or self.validating)

    @property
    def mutating(self) -> list[Webhook]:
        """Returns the webhooks that may change objects."""
        return self._of(MUTATING_WEBHOOKS)

    @property
    def validating(self) -> list[Webhook]:
        """Returns the webhooks that check objects."""
        return self._of(VALIDATING_WEBHOOKS)

    def _of(self, group_kind: str) -> list[Webhook]:
        known = self._known[group_kind]
        if known is None:
            configurations = sorted(self._store.list(group_kind), key=lambda each: each.name)
            known = self._known[group_kind] = [hook for each in configurations for hook in _webhooks(each)]
        return known


def _webhooks(configuration: Resource) -> Iterator[Webhook]:
    for i, stated in enumerate(configuration.manifest.get("webhooks") or ()):
        yield Webhook.read(dict(stated), f"{configuration.name}/{stated.get('name')}/{i}")
