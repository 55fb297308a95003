"""Names in files do not control the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import Wavetank
from wavetank.words import printable

MANIFEST = 'apiVersion: v1\nkind: "\\e]0;owned\\a\\e[31mX"\nmetadata: {name: a}\n'


def test_an_escape_sequence_in_a_table_is_shown(wavetank: Wavetank, here: Path) -> None:
    (here / "a.yaml").write_text(MANIFEST)
    ended = wavetank("inspect", "a.yaml")
    assert "\x1b" not in ended.out
    assert "\\x1b[31mX" in ended.out


def test_an_escape_sequence_in_a_message_is_shown(wavetank: Wavetank, here: Path) -> None:
    ended = wavetank("inspect", "\x1b[31mno-such-file")
    assert (ended.status, ended.err) == (2, "\\x1b[31mno-such-file: no such file\n")


@pytest.mark.parametrize("text", ["plain", "two\nlines", "tab\t", "ü ± ∞ 日本"])
def test_other_texts_are_as_they_were(text: str) -> None:
    assert printable(text) == text
