"""Long JSON texts, which are read in Python so that other threads can run, are read like short ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavetank.apiserver.codec import jsontext
from wavetank.apiserver.codec.jsontext import DuplicateKeysError, parse_json, parse_json_lenient, parse_json_pairs
from wavetank.apiserver.codec.mismatch import UnreadableError

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
READERS = [parse_json, parse_json_lenient, parse_json_pairs]


def found(read: Callable[[bytes], Any], text: str, long: int) -> Any:
    """Returns what is read, or the error, if texts count as long from so many characters."""
    with patch.object(jsontext, "_LONG", long):
        try:
            return read(text.encode())
        except (UnreadableError, DuplicateKeysError) as error:
            return type(error), str(error)


@given(VALUES)
def test_values_are_the_same(value: object) -> None:
    text = json.dumps(value)
    for read in READERS:
        assert found(read, text, 0) == found(read, text, len(text) + 1)


@pytest.mark.parametrize("text", ['{"a":1,"a":2}', "[1,", '{"a" 1}', "NaN", "[1e5,01]", '"\\ud800"', "", "[" * 100_000])
def test_mistakes_are_the_same(text: str) -> None:
    for read in READERS:
        assert found(read, text, 0) == found(read, text, len(text) + 1)
