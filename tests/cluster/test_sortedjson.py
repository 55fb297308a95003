"""JSON with sorted keys."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavetank.cluster import sortedjson
from wavetank.cluster.sortedjson import encode_sorted, sorted_keys

TEXTS = st.text(max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=6),
    max_leaves=20,
)


@given(VALUES)
def test_short_and_long_texts_are_written_alike(value: Any) -> None:
    with pytest.MonkeyPatch.context() as patch:
        expected = msgspec.json.encode(value, order="sorted")
        assert encode_sorted(value) == expected
        patch.setattr(sortedjson, "_SHORT", 0)
        patch.setattr(sortedjson, "_AT_ONCE", 2)
        assert encode_sorted(value) == expected


@given(st.dictionaries(TEXTS, st.none()))
def test_keys_are_sorted_in_pieces(value: dict[str, None]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sortedjson, "_AT_ONCE", 3)
        assert sorted_keys(value) == sorted(value)


def test_msgspec_sorts_no_long_text(monkeypatch: pytest.MonkeyPatch) -> None:
    # keys that fall and then rise: msgspec compares each with each other one
    keys = [f"k{i:05}" for i in (*range(4000, 0, -1), *range(4001, 8000))]
    orders = []
    encode = msgspec.json.encode
    monkeypatch.setattr(msgspec.json, "encode", lambda value, order=None: orders.append(order) or encode(value))
    assert list(json.loads(encode_sorted(dict.fromkeys(keys)))) == sorted(keys)
    assert orders == [None, None]
