from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from wavetank.apiserver.codec.yamlwriter import dump
from wavetank.apiserver.waiting import HEAVIEST, run_beside, run_waiting

TEXTS = st.one_of(
    st.text(max_size=100), st.sampled_from(["y", "1", "1e3", "null", "a\nb", " a", "=", "*", "a: b", "#"])
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inside: st.lists(inside) | st.dictionaries(TEXTS, inside),
    max_leaves=20,
)


@given(VALUES)
def test_a_large_document_is_written_like_a_small_one(value: Any) -> None:
    beside = asyncio.run(run_waiting(partial(run_beside, partial(dump, value), HEAVIEST)))
    assert beside == dump(value)
