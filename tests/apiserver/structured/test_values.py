"""Comparing, stating, merging and cutting values by their types: cases as the real library's tables have them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavetank.apiserver.schemas.schema import Schema, Structure
from wavetank.apiserver.structured import fieldsets
from wavetank.apiserver.structured.checking import check
from wavetank.apiserver.structured.comparing import compare
from wavetank.apiserver.structured.merging import merge
from wavetank.apiserver.structured.reconciling import reconcile
from wavetank.apiserver.structured.removing import remove, with_named_fields
from wavetank.apiserver.structured.stating import stated
from wavetank.apiserver.structured.types import MergeType, UntypedError, merge_type

TEXT, NUMBER = Schema("string"), Schema("integer", format="int64")


def an_object(fields: dict[str, Schema], **more: Any) -> Schema:
    structure = Structure("test", fields)
    return Schema("object", resolve=lambda: structure, **more)


ITEM = an_object({"name": TEXT, "value": NUMBER})
PORT = an_object({"port": NUMBER, "protocol": TEXT})
PORT_KEYS: dict[str, Any] = {"list_type": "map", "list_map_keys": ("port", "protocol"), "list_key_defaults": (0, "TCP")}
TYPE: MergeType = merge_type(
    an_object(
        {
            "text": TEXT,
            "number": NUMBER,
            "flag": Schema("boolean"),
            "size": Schema("quantity"),
            "map": Schema("map", items=TEXT),
            "whole": Schema("map", items=TEXT, map_type="atomic"),
            "struct": an_object({"a": TEXT, "b": TEXT}),
            "list": Schema("array", items=TEXT),
            "set": Schema("array", items=TEXT, list_type="set"),
            "keyed": Schema("array", items=ITEM, list_type="map", list_map_keys=("name",)),
            "ports": Schema("array", items=PORT, **PORT_KEYS),
            "raw": Schema("any", go_type="runtime.RawExtension"),
            "json": Schema("any", go_type="v1.JSON"),
        }
    )
)


def shown(fields: fieldsets.FieldSet) -> list[str]:
    return [fieldsets.shown(path) for path in fieldsets.paths(fields)]


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        pytest.param({"text": "x", "struct": {"a": "1"}}, [".text", ".struct.a"], id="objects around are not stated"),
        pytest.param({"map": {"x": "1"}, "whole": {"x": "1"}}, [".whole", ".map.x"], id="keys of maps are"),
        pytest.param({"map": {}, "struct": {}, "text": None}, [".map", ".struct", ".text"], id="empty or null"),
        pytest.param({"set": ["b", "a"], "list": ["b"]}, [".list", '.set[="a"]', '.set[="b"]'], id="lists"),
        pytest.param({"set": []}, [], id="an empty list of members"),
        pytest.param(
            {"keyed": [{"name": "x", "value": 1}]},
            ['.keyed[name="x"]', '.keyed[name="x"].name', '.keyed[name="x"].value'],
            id="items with all that is in them",
        ),
        pytest.param(
            {"ports": [{"port": 80}]},
            ['.ports[port=80,protocol="TCP"]', '.ports[port=80,protocol="TCP"].port'],
            id="a key that is not stated has its default",
        ),
        pytest.param({"raw": {"a": {"b": 1}}, "json": {"a": {"b": 1}}}, [".raw", ".json.a", ".json.a.b"], id="free"),
    ],
)
def test_what_a_value_states(value: dict[str, Any], fields: list[str]) -> None:
    assert sorted(shown(stated(TYPE, value))) == sorted(fields)


@pytest.mark.parametrize(
    ("old", "new", "removed", "modified", "added"),
    [
        pytest.param({"text": "x"}, {"text": "y"}, [], [".text"], [], id="another scalar"),
        pytest.param({}, {"map": {"a": "1"}}, [], [], [".map", ".map.a"], id="a new map, itself and its keys"),
        pytest.param({"struct": {}}, {"struct": {"a": "1"}}, [], [], [".struct.a"], id="a field in what is there"),
        pytest.param({"whole": {"a": "1"}}, {"whole": {"b": "1"}}, [], [".whole"], [], id="an atomic map"),
        pytest.param({"set": ["a"]}, {"set": ["b"]}, ['.set[="a"]'], [], ['.set[="b"]'], id="members"),
        pytest.param({"set": ["a", "b"]}, {"set": ["b", "a"]}, [], [], [], id="their order is no difference"),
        pytest.param(
            {"keyed": [{"name": "x", "value": 1}]},
            {"keyed": [{"name": "x", "value": 2}]},
            [],
            ['.keyed[name="x"].value'],
            [],
            id="an item of the same key",
        ),
        pytest.param(
            {"keyed": [{"name": "x"}]},
            {"keyed": [{"name": "x"}, {"name": "x", "value": 1}]},
            ['.keyed[name="x"]', '.keyed[name="x"].name'],
            [],
            ['.keyed[name="x"]'],
            id="items with the same key are one value",
        ),
        pytest.param({"map": None}, {"map": {}}, [], [".map"], [], id="null is not empty"),
        pytest.param({"json": 1}, {"json": {"a": 1}}, [], [".json"], [".json.a"], id="of another form"),
    ],
)
def test_what_is_different(old: Any, new: Any, removed: list[str], modified: list[str], added: list[str]) -> None:
    found = compare(TYPE, old, new)
    assert (shown(found.removed), shown(found.modified), shown(found.added)) == (removed, modified, added)


@pytest.mark.parametrize(
    ("old", "new", "merged"),
    [
        pytest.param({"text": "x", "number": 1}, {"text": "y"}, {"text": "y", "number": 1}, id="fields"),
        pytest.param({"map": {"a": "1"}}, {"map": {"b": "2"}}, {"map": {"a": "1", "b": "2"}}, id="maps"),
        pytest.param({"whole": {"a": "1"}}, {"whole": {"b": "2"}}, {"whole": {"b": "2"}}, id="atomic maps"),
        pytest.param({"map": {"a": "1"}}, {"map": None}, {"map": {"a": "1"}}, id="null takes nothing away"),
        pytest.param({"set": ["a", "b"]}, {"set": ["c", "a"]}, {"set": ["c", "a", "b"]}, id="new before shared"),
        pytest.param({"set": ["a", "b"]}, {"set": ["b", "a"]}, {"set": ["b", "a"]}, id="the new order"),
        pytest.param({"set": ["1", "2", "3"]}, {"set": ["3", "4"]}, {"set": ["1", "2", "3", "4"]}, id="after shared"),
        pytest.param(
            {"keyed": [{"name": "x", "value": 1}, {"name": "y"}]},
            {"keyed": [{"name": "y", "value": 2}, {"name": "z"}]},
            {"keyed": [{"name": "x", "value": 1}, {"name": "y", "value": 2}, {"name": "z"}]},
            id="items by their keys",
        ),
    ],
)
def test_values_are_merged(old: Any, new: Any, merged: Any) -> None:
    assert merge(TYPE, old, new) == merged


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"text": 5}, ".text: expected string, got &value.valueUnstructured{Value:5}"),
        ({"text": {"a": ["b", None]}}, 'Value:map[string]interface {}{"a":[]interface {}{"b", interface {}(nil)}}}'),
        ({"number": "x"}, ".number: expected numeric (int or float), got string"),
        ({"flag": 1}, ".flag: expected boolean, got &{1}"),
        ({"size": []}, ".size: expected any scalar, got &{[]}"),
        ({"map": "x"}, ".map: expected map, got &{x}"),
        ({"list": {"a": 1.5}}, ".list: expected list, got &{map[a:1.5]}"),
        ({"unknown": 1}, ".unknown: field not declared in schema"),
        ({"set": ["a", "a"]}, '.set: duplicate entries for key [="a"]'),
        (
            {"keyed": [{"value": 1}]},
            'element 0: associative list with keys has an element that omits all key fields ["name"]',
        ),
        ({"keyed": [None]}, "associative list with keys may not have a null element"),
        ({"set": [{}]}, "associative list without keys has an element that's a map type"),
        ({"text": 1, "flag": 2}, "errors:\n  .text: expected string"),
    ],
)
def test_a_value_of_another_type_is_told(value: Any, why: str) -> None:
    with pytest.raises(UntypedError) as error:
        check(TYPE, value)
    assert why in str(error.value)


def test_what_is_removed_leaves_the_rest() -> None:
    value = {"map": {"a": "1"}, "set": ["a", "b"], "keyed": [{"name": "x", "value": 1}], "text": "t"}
    fields = fieldsets.of(("f:map", "f:a"), ("f:set", 'v:"a"'), ("f:keyed", 'k:{"name":"x"}', "f:value"))
    left = {"map": None, "set": ["b"], "keyed": [{"name": "x"}], "text": "t"}
    assert remove(TYPE, value, fields) == left


def test_declared_fields_around_others_can_be_named() -> None:
    fields = with_named_fields(TYPE, fieldsets.of(("f:struct", "f:a"), ("f:map", "f:x"), ("f:other", "f:y")))
    assert shown(fields) == [".map", ".struct", ".map.x", ".other.y", ".struct.a"]


def test_fields_of_what_has_become_one_value_become_one_field() -> None:
    fields = fieldsets.of(("f:whole", "f:a"), ("f:list", 'v:"x"'), ("f:map", "f:a"))
    assert shown(reconcile(TYPE, fields)) == [".list", ".whole", ".map.a"]
    fitting = fieldsets.of(("f:whole",), ("f:map", "f:a"))
    assert reconcile(TYPE, fitting) is fitting


TEXTS = st.sampled_from(("a", "b", "c"))
VALUES = st.fixed_dictionaries(
    {},
    optional={
        "text": TEXTS,
        "map": st.dictionaries(TEXTS, TEXTS),
        "struct": st.fixed_dictionaries({}, optional={"a": TEXTS, "b": TEXTS}),
        "set": st.lists(TEXTS, unique=True),
        "keyed": st.lists(
            st.fixed_dictionaries({"name": TEXTS, "value": st.integers(0, 2)}), unique_by=lambda i: i["name"]
        ),
        "whole": st.dictionaries(TEXTS, TEXTS, min_size=1),
    },
)


@given(VALUES, VALUES)
def test_merging_loses_nothing_and_takes_all_that_is_new(old: Any, new: Any) -> None:
    merged = merge(TYPE, old, new)
    wanted = compare(TYPE, new, merged)
    assert not wanted.modified
    assert not wanted.removed
    assert not compare(TYPE, old, merged).removed
    assert merge(TYPE, merged, new) == merged


@given(VALUES, VALUES)
def test_a_comparison_read_backwards_is_the_opposite(old: Any, new: Any) -> None:
    there, back = compare(TYPE, old, new), compare(TYPE, new, old)
    assert (there.added, there.removed, there.modified) == (back.removed, back.added, back.modified)


@given(VALUES)
def test_what_is_removed_is_stated_no_more(value: Any) -> None:
    fields = stated(TYPE, value)
    rest = remove(TYPE, value, fields) or {}
    assert not fieldsets.intersection(stated(TYPE, rest), fields)
