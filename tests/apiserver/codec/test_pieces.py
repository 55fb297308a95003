"""Large documents are written in pieces, and to the same text."""

from __future__ import annotations

import asyncio
from functools import reduce
from typing import Any

import msgspec
import pytest

from wavetank.apiserver.codec.pieces import encode, is_large
from wavetank.apiserver.waiting import beside

LARGE = (
    list(range(5000)),
    {str(key): key for key in range(5000)},
    {"spec": {"containers": [{"name": f"c{i}", "env": [{"name": "a", "value": "ü"}] * 20} for i in range(400)]}},
    [[], [{}], [[0] * 3000], {"a": {"b": [None] * 2001}}, "text", 1.5, True],
    [{'é"': list(range(i))} for i in range(300)],
    reduce(lambda inner, _: {"a": inner}, range(500), list(range(5000))),
)


@pytest.mark.parametrize("value", [*LARGE, {}, [], {"a": 1}, None])
def test_the_text_of_pieces_is_that_of_the_whole(value: Any) -> None:
    assert asyncio.run(beside(lambda: encode(value))) == encode(value) == msgspec.json.encode(value)


def test_no_piece_has_many_values(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces: list[Any] = []

    def note(value: Any) -> bytes:
        pieces.append(value)
        return write(value)

    write = msgspec.json.encode
    monkeypatch.setattr(msgspec.json, "encode", note)
    for value in LARGE:
        asyncio.run(beside(lambda value=value: encode(value)))
    assert len(pieces) > len(LARGE)
    assert not any(map(is_large, pieces))
