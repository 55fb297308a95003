"""The controller that says of each FlowSchema whether its priority level exists."""

from __future__ import annotations

from wavetank.apiserver.definitions.statuses import apply_status
from wavetank.apiserver.initial import FLOW_CONSUMER
from wavetank.apiserver.verbs.objects import Document
from wavetank.apiserver.verbs.writing import Writer
from wavetank.cluster.objects.resource import Resource

_SCHEMA, _LEVEL = "FlowSchema", "PriorityLevelConfiguration"
_VERSION = "flowcontrol.apiserver.k8s.io/v1"
_COMPARED = ("status", "reason", "message")


class FlowSchemaController:
    """Keeps the condition Dangling of all FlowSchemas up to date, at once after each write."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._store = writer.objects.store
        kinds = writer.objects.kinds
        schemas, levels = kinds.named(_VERSION, _SCHEMA), kinds.named(_VERSION, _LEVEL)
        assert schemas is not None
        assert levels is not None
        self._schemas, self._levels = schemas, levels
        self._store.subscribe(schemas.group_kind, self)
        self._store.subscribe(levels.group_kind, added=lambda _: self._sync_all(), deleted=lambda _: self._sync_all())
        self._sync_all()

    def added(self, new: Resource) -> None:
        """Syncs a new schema."""
        self._sync(new.name)

    def modified(self, old: Resource, new: Resource) -> None:
        """Syncs a changed schema."""
        self._sync(new.name)

    def deleted(self, old: Resource) -> None:
        """Has nothing to do."""

    def _sync_all(self) -> None:
        for schema in list(self._store.list(self._schemas.group_kind)):
            self._sync(schema.name)

    def _sync(self, name: str) -> None:
        present = self._store.find(self._schemas.group_kind, "", name)
        if present is None:
            return
        wanted = self._condition(present.manifest["spec"]["priorityLevelConfiguration"]["name"])
        conditions = (present.manifest.get("status") or {}).get("conditions") or ()
        found: Document = next((each for each in conditions if each["type"] == wanted["type"]), {})
        if any(found.get(key) != wanted[key] for key in _COMPARED):
            apply_status(self._writer, self._schemas, {"conditions": [wanted]}, present, FLOW_CONSUMER)

    def _condition(self, level: str) -> Document:
        exists = self._store.find(self._levels.group_kind, "", level) is not None
        head = f'This FlowSchema references the PriorityLevelConfiguration object named "{level}"'
        status, reason, rest = ("False", "Found", "and it exists")
        if not exists:
            status, reason, rest = ("True", "NotFound", "but there is no such object")
        condition = {"type": "Dangling", "status": status, "lastTransitionTime": self._writer.now}
        return condition | {"reason": reason, "message": f"{head} {rest}"}
