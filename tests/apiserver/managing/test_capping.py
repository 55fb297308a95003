"""At most ten managers that update are kept: the oldest become one of ancient changes, version by version."""

from __future__ import annotations

import pytest

from wavetank.apiserver.managedfields.capping import capped
from wavetank.apiserver.managedfields.entries import Entry, Managers, shared
from wavetank.apiserver.structured.fieldsets import FieldSet, union, union_of

ANCIENT = "ancient-changes"


def managers(count: int, *more: Entry) -> Managers:
    entries = [
        Entry(f"m{i:05}", "Update", "v1", fields={"f:data": {f"f:k{i}": {}}}, time=f"{i:05}") for i in range(count)
    ]
    return {entry.identifier: entry for entry in [*entries, *more]}


def test_ten_managers_stay_as_they_are() -> None:
    kept = managers(10)
    assert capped(kept) is kept


@pytest.mark.parametrize("count", [11, 12, 20, 1_000])
def test_ancient_changes_own_what_the_oldest_managers_owned(count: int) -> None:
    found = capped(managers(count))
    ancient = next(entry for entry in found.values() if entry.manager == ANCIENT)
    oldest = range(count - 9)
    assert len(found) == 10
    assert ancient.fields == {"f:data": {f"f:k{i}": {} for i in oldest}}
    assert ancient.time == f"{oldest[-1]:05}"


def test_managers_that_apply_are_not_counted() -> None:
    applying = Entry("a", "Apply", "v1", fields={"f:data": {}})
    assert len(capped(managers(11, applying))) == 11


def test_each_version_has_ancient_changes_of_its_own() -> None:
    others = [Entry(f"o{i}", "Update", "v2", fields={f"f:{i}": {}}, time="") for i in range(4)]
    found = capped(managers(10, *others))
    ancient = {entry.api_version: entry.fields for entry in found.values() if entry.manager == ANCIENT}
    assert ancient == {"v2": {f"f:{i}": {} for i in range(4)}, "v1": {"f:data": {"f:k0": {}, "f:k1": {}}}}


@pytest.mark.parametrize("count", range(6))
def test_the_union_of_several_sets_is_that_of_one_after_the_other(count: int) -> None:
    sets: list[FieldSet] = [{"f:a": {".": {}, f"f:{i}": {}}, f"f:{i % 2}": {}} for i in range(count)]
    made: FieldSet = {}
    for each in sets:
        made = union(made, each)
    assert union_of(sets) == made


def test_large_sets_are_written_in_the_order_of_their_elements() -> None:
    fields: FieldSet = {"f:spec": {f"f:{i}": {} for i in range(12_000)}, "f:data": {}}
    written = shared(fields)
    assert written == fields
    assert list(written) == ["f:data", "f:spec"]
    assert list(written["f:spec"]) == sorted(fields["f:spec"])
