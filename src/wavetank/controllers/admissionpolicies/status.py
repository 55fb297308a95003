from __future__ import annotations

from typing import Any

from wavetank.cluster.objects.groupkinds import POLICIES
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key


class PolicyStatuses:
    """Writes into the status of each ValidatingAdmissionPolicy whether its expressions fit the types of its kinds."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._queue = context.queue(self._sync)
        context.store.subscribe(POLICIES, added=self._enqueue, modified=lambda old, new: self._enqueue(new))
        for policy in context.store.list(POLICIES):
            self._enqueue(policy)

    def _enqueue(self, policy: Resource) -> None:
        self._queue.add(("", policy.name))

    def _sync(self, key: Key) -> None:
        policy = self._context.store.find(POLICIES, *key)
        if policy is None or policy.deleted is not None:
            return
        generation = policy.manifest["metadata"].get("generation", 1)
        status = policy.manifest.get("status") or {}
        if status.get("observedGeneration", 0) >= generation:
            return
        warnings = self._context.policy_warnings(dict(policy.manifest.get("spec") or {}))
        checked: dict[str, Any] = {"expressionWarnings": warnings} if warnings else {}
        found = {**status, "observedGeneration": generation, "typeChecking": checked}
        self._context.client.update_status(policy, found)
