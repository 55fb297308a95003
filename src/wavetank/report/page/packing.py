"""Columns of numbers as text to embed in a page."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

NEVER = 0xFFFFFFFF  # no such event, or no node

_MUCH = 1 << 20  # bytes

Words = NDArray[np.uint32]


def pack_words(columns: Sequence[Words]) -> str:
    """Returns columns of equal length as base64 of deflated bytes, for `unpackWords` in data.js.

    The lowest bytes of a column stand together, then the next ones: slow high bytes then shrink to nothing.
    """
    planes = [column.astype("<u4").view(np.uint8).reshape(-1, 4).T.tobytes() for column in columns]
    return _pack(b"".join(planes))


def pack_floats(columns: Sequence[NDArray[np.float64]]) -> str:
    """Returns columns of equal length in single precision, packed as words."""
    return pack_words([column.astype("<f4").view("<u4") for column in columns])


def pack_bytes(values: NDArray[np.uint8]) -> str:
    """Returns bytes in row order, for `unpackBytes` in data.js."""
    return _pack(values.tobytes())


def pack_texts(texts: Sequence[str]) -> str:
    """Returns a list of texts, for `unpackTexts` in data.js."""
    return _pack(msgspec.json.encode(texts))


def _pack(raw: bytes) -> str:
    level = 9 if len(raw) <= _MUCH else 4  # which takes a tenth of the time for two hundredths of the size
    return base64.b64encode(zlib.compress(raw, level)).decode("ascii")
