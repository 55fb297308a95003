from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wavetank.results.columns.coded import Coded

COLUMNS = st.lists(st.sampled_from("abc"))


def texts(column: Coded[str]) -> list[str]:
    assert column.values == list(dict.fromkeys(column.each(str).tolist()))  # those of its rows, in their order
    return column.each(str).tolist()


@given(st.lists(COLUMNS))
def test_rows_keep_their_values(parts: list[list[str]]) -> None:
    whole = [value for part in parts for value in part]
    column = Coded[str]()
    for part in parts:
        column.extend(part)
    assert texts(column) == whole
    assert column.count("b") == whole.count("b")


@given(COLUMNS)
def test_values_may_become_one(values: list[str]) -> None:
    made = {"a": "x", "b": "x", "c": "y"}
    assert texts(Coded(values).mapped(made.__getitem__)) == [made[value] for value in values]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("de"))))
def test_two_columns_make_one(pairs: list[tuple[str, str]]) -> None:
    left, right = Coded(left for left, _ in pairs), Coded(right for _, right in pairs)
    assert left.paired(right, str.__add__).each(str).tolist() == [one + other for one, other in pairs]


@given(st.data())
def test_rows_are_taken_in_any_order(data: st.DataObject) -> None:
    values = data.draw(COLUMNS)
    rows = data.draw(st.lists(st.sampled_from(range(len(values))))) if values else []
    taken, places = Coded(values).taken(np.array(rows, np.int64))
    assert [taken[place] for place in places] == [values[row] for row in rows]
    assert taken == list(dict.fromkeys(values[row] for row in rows))
