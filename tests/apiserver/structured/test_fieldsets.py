"""Sets of fields against what sets of paths say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavetank.apiserver.structured import elements, fieldsets
from wavetank.apiserver.structured.fieldsets import FieldSet, Path

ELEMENTS = ("f:a", "f:b", 'k:{"name":"x"}', 'k:{"port":80}', 'v:"y"')
PATHS = st.lists(st.sampled_from(ELEMENTS), min_size=1, max_size=3).map(tuple)
SETS = st.frozensets(PATHS, max_size=6)


def made(paths: frozenset[Path]) -> FieldSet:
    return fieldsets.of(*sorted(paths))


@given(SETS)
def test_a_set_has_its_paths_and_no_others(paths: frozenset[Path]) -> None:
    fields = made(paths)
    assert set(fieldsets.paths(fields)) == paths
    assert all(fieldsets.has(fields, path) for path in paths)
    assert not fieldsets.has(fields, ("f:none",))
    assert fieldsets.parse(fields) == fields


@given(SETS, SETS)
def test_the_algebra_is_that_of_paths(one: frozenset[Path], other: frozenset[Path]) -> None:
    assert set(fieldsets.paths(fieldsets.union(made(one), made(other)))) == one | other
    assert set(fieldsets.paths(fieldsets.intersection(made(one), made(other)))) == one & other
    assert set(fieldsets.paths(fieldsets.difference(made(one), made(other)))) == one - other


@given(SETS, SETS)
def test_what_is_without_others_is_without_all_below_them(one: frozenset[Path], other: frozenset[Path]) -> None:
    kept = {path for path in one if not any(path[: len(prefix)] == prefix for prefix in other)}
    assert set(fieldsets.paths(fieldsets.without(made(one), made(other)))) == kept


@given(SETS, SETS)
def test_a_set_of_which_all_stays_is_the_same_object(one: frozenset[Path], other: frozenset[Path]) -> None:
    fields = made(one)
    rest = fieldsets.difference(fields, made(other))
    assert (rest is fields) == (not one & other or not one)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("f:spec", ".spec"),
        ('k:{"name":"web"}', '[name="web"]'),
        ('k:{"protocol":"TCP","port":80}', '[port=80,protocol="TCP"]'),
        ('v:"e.x/keep"', '[="e.x/keep"]'),
        ("i:3", "[3]"),
    ],
)
def test_an_element_has_one_form_and_is_shown(text: str, shown: str) -> None:
    element = elements.parse(text)
    assert element is not None
    assert elements.shown(element) == shown


@pytest.mark.parametrize("text", ["", "f", "spec", "v:{", "k:[]", "i:x"])
def test_what_is_no_element_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        elements.parse(text)


def test_elements_stand_in_the_order_of_the_real_server() -> None:
    sets = {'v:"a"': {}, 'k:{"port":443}': {}, 'k:{"port":80}': {}, "f:b": {}, "f:a": {}}
    assert [path[0] for path in fieldsets.paths(sets)] == ["f:a", "f:b", 'k:{"port":80}', 'k:{"port":443}', 'v:"a"']
