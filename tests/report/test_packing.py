from __future__ import annotations

import base64
import json
import zlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wavetank.report.page.packing import NEVER, pack_floats, pack_texts, pack_words

words = st.lists(st.integers(0, NEVER), max_size=20)


def unpack(text: str, columns: int) -> list[list[int]]:
    """As data.js does: four planes of bytes per column, the lowest first."""
    raw = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint8)
    planes = raw.reshape(columns, 4, -1).astype(np.uint32)
    return [sum(plane << (8 * k) for k, plane in enumerate(column)).tolist() for column in planes]


@given(words)
def test_words_come_back(column: list[int]) -> None:
    array = np.array(column, dtype=np.uint32)
    assert unpack(pack_words([array, array[::-1]]), 2) == [column, column[::-1]]


def test_floats_are_words_of_single_precision() -> None:
    values = np.array([0.0, 1.5, np.nan])
    back = np.array(unpack(pack_floats([values]), 1)[0], dtype=np.uint32).view(np.float32)
    np.testing.assert_array_equal(back, values.astype(np.float32))


def test_texts_come_back() -> None:
    texts = ["</script>", "\u2028", "näme", ""]
    assert json.loads(zlib.decompress(base64.b64decode(pack_texts(texts)))) == texts
