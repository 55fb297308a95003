from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wavetank.experiments.coded import Coded


@given(st.lists(st.lists(st.sampled_from("abc"))))
def test_rows_keep_their_values(parts: list[list[str]]) -> None:
    whole = [value for part in parts for value in part]
    column = Coded[str](len(whole))
    begin = 0
    for part in parts:
        column.put(slice(begin, begin + len(part)), part)
        begin += len(part)
    assert column.values == list(dict.fromkeys(whole))
    assert column.each(str).tolist() == whole
    assert column.count("b") == whole.count("b")
