"""The entries of managedFields: which manager has set which fields, and how."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import msgspec

from wavetank.apiserver.structured import fieldsets
from wavetank.apiserver.structured.fieldsets import FieldSet
from wavetank.cluster.sortedjson import encode_sorted, in_order
from wavetank.textcache import cached_texts

APPLY, UPDATE = "Apply", "Update"
_FIELDS_V1 = "FieldsV1"
_MOST_SETS = 1024  # of a generation of sets that are shared by all objects that have them
_LARGE = 10_000  # elements of a set
_MOST_BYTES = 2 * 1024 * 1024  # of their JSON


class Entry:
    """The fields that one manager owns; immutable. `time` is when it last changed something, None if it never did.

    `written` is the entry as an object has it, if it comes from there.
    """

    __slots__ = ("api_version", "fields", "manager", "operation", "subresource", "time", "written")

    def __init__(
        self,
        manager: str,
        operation: str,
        api_version: str,
        subresource: str = "",
        fields: FieldSet = fieldsets.EMPTY,
        time: str | None = None,
        written: dict[str, Any] | None = None,
    ) -> None:
        self.manager = manager
        self.operation = operation
        self.api_version = api_version
        self.subresource = subresource
        self.fields = fields
        self.time = time
        self.written = written

    @property
    def applied(self) -> bool:
        """Says whether the fields were applied, as opposed to updated."""
        return self.operation == APPLY

    @property
    def identifier(self) -> str:
        """Returns the identity of the manager; one that applies is the same in all versions."""
        version = "" if self.operation == APPLY else self.api_version
        return _identifier(self.manager, self.operation, version, self.subresource)

    def owning(self, fields: FieldSet) -> Entry:
        """Returns the entry with other fields."""
        if fields is self.fields:
            return self
        return Entry(self.manager, self.operation, self.api_version, self.subresource, fields, self.time)

    def at(self, time: str | None) -> Entry:
        """Returns the entry with another time."""
        return Entry(self.manager, self.operation, self.api_version, self.subresource, self.fields, time)

    def in_version(self, api_version: str) -> Entry:
        """Returns the entry with its fields in another version."""
        return Entry(self.manager, self.operation, api_version, self.subresource, self.fields, self.time)


Managers = dict[str, Entry]


@cached_texts(1024)
def _identifier(manager: str, operation: str, version: str, subresource: str) -> str:
    named = {"manager": manager, "operation": operation, "apiVersion": version, "subresource": subresource}
    return json.dumps({name: value for name, value in named.items() if value}, separators=(",", ":"))


def read(written: Iterable[dict[str, Any]]) -> Managers:
    """Reads entries that this server has written."""
    found: Managers = {}
    for each in written:
        manager, operation, version = each.get("manager", ""), each["operation"], each["apiVersion"]
        sub, fields = each.get("subresource", ""), each.get("fieldsV1") or fieldsets.EMPTY
        entry = Entry(manager, operation, version, sub, fields, each.get("time"), each)
        found[entry.identifier] = entry
    return found


def read_sent(written: Iterable[dict[str, Any]]) -> Managers:
    """Reads entries that a client has sent; a ValueError if they are malformed."""
    checked = []
    for entry in written:
        if entry.get("operation") not in (APPLY, UPDATE):
            raise ValueError("operation must be `Apply` or `Update`")
        if not entry.get("apiVersion"):
            raise ValueError("apiVersion must not be empty")
        if entry.get("fieldsType") != _FIELDS_V1:
            raise ValueError("fieldsType must be FieldsV1")
        checked.append({**entry, "fieldsV1": fieldsets.parse(entry.get("fieldsV1"))})
    return {identifier: entry.at(entry.time) for identifier, entry in read(checked).items()}


def write(managers: Managers) -> list[dict[str, Any]]:
    """Returns entries as objects have them."""
    return listed(managers.values())


def listed(managers: Iterable[Entry]) -> list[dict[str, Any]]:
    """Returns entries as objects have them, in the order of the real server."""
    ordered = list(managers)
    if len(ordered) > 1:
        ordered.sort(key=_order)
    return [_written(entry) for entry in ordered]


def _order(entry: Entry) -> tuple[str, ...]:
    return entry.operation, entry.time or "", entry.manager, entry.api_version, entry.subresource


def _written(entry: Entry) -> dict[str, Any]:
    if entry.written is not None:
        return entry.written
    made: dict[str, Any] = {"manager": entry.manager, "operation": entry.operation, "apiVersion": entry.api_version}
    if entry.time:
        made["time"] = entry.time
    made.update(fieldsType=_FIELDS_V1, fieldsV1=shared(entry.fields))
    if entry.subresource:
        made["subresource"] = entry.subresource
    return made


def timeless(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns entries without their times."""
    return [{name: value for name, value in entry.items() if name != "time"} for entry in entries]


class _SharedSets:
    """Sets of fields by their JSON, in two generations: those that are not used while the new one fills are forgotten.

    Many sets name a uid and are used for one object only; they must not crowd out those that many objects share.
    """

    def __init__(self) -> None:
        self._new: dict[bytes, FieldSet] = {}
        self._old: dict[bytes, FieldSet] = {}
        self._size = 0  # bytes of JSON of the new generation

    def shared(self, text: bytes) -> FieldSet:
        """Returns the set that is written like this."""
        found = self._new.get(text)
        if found is None:
            found = self._old.get(text)
            found = self._new[text] = msgspec.json.decode(text) if found is None else found
            self._size += len(text)
            if len(self._new) >= _MOST_SETS or self._size >= _MOST_BYTES:
                self._old, self._new, self._size = self._new, {}, 0
        return found


_sets = _SharedSets()


def shared(fields: FieldSet) -> FieldSet:
    """Returns the instance of a set that all objects with the same fields share; large sets are not shared."""
    if _is_large(fields):
        ordered: FieldSet = in_order(fields)
        return ordered
    return _sets.shared(encode_sorted(fields))


def _is_large(fields: FieldSet) -> bool:
    found, sets = 0, [fields]
    while sets and found < _LARGE:
        each = sets.pop()
        found += len(each)
        sets.extend(filter(None, each.values()))
    return found >= _LARGE
