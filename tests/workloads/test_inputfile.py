from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from wavetank.errors import InputError
from wavetank.workloads import inputfile
from wavetank.workloads.inputfile import InputFile


@pytest.mark.parametrize("zipped", [False, True])
def test_blocks_are_whole_lines_and_together_the_file(tmp_path: Path, zipped: bool) -> None:
    content = "".join(f"line {i}\n" for i in range(1000)) + "the last, without its end"
    path = tmp_path / "in"
    path.write_bytes(gzip.compress(content.encode()) if zipped else content.encode())
    blocks = list(InputFile.read(path).blocks())
    assert b"".join(blocks).decode() == content
    assert all(block.endswith(b"\n") for block in blocks[:-1])


def test_small_blocks_cut_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputfile, "_BLOCK", 7)
    file = InputFile(Path("in"), "a\nlonger than a block\n\nb")
    *whole, last = file.blocks()
    assert all(block.endswith(b"\n") for block in whole)
    assert b"".join(whole) + last == b"a\nlonger than a block\n\nb"


def test_a_mark_of_the_encoding_is_no_content() -> None:
    assert list(InputFile(Path("in"), "\ufeffa\n").blocks()) == [b"a\n"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"\x1f\x8b", "cannot be read", id="no more than a beginning"),
        pytest.param(gzip.compress(b"abc" * 1000)[:30], "cannot be read", id="cut off"),
    ],
)
def test_a_broken_archive_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "in.gz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"in\.gz: {message}"):
        list(InputFile.read(path).blocks())


def test_a_line_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputfile, "_BLOCK", 8)
    monkeypatch.setattr(inputfile, "_LONGEST_LINE", 100)
    with pytest.raises(InputError, match="a line is longer than"):
        list(InputFile(Path("in"), "x" * 1000).blocks())


def test_strict_reading_raises_and_lenient_reading_counts() -> None:
    error = InputError("too short", path="line 3")
    with pytest.raises(InputError, match="in: line 3: too short"):
        InputFile(Path("in"), "").skip(error, "a short line")
    lenient = InputFile(Path("in"), "", lenient=True)
    lenient.skip(error, "a short line")
    assert lenient.skipped == {"a short line": 1}
    assert not lenient.again().skipped
