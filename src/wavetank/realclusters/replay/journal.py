from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from wavetank.errors import InputError


class Header(msgspec.Struct, frozen=True):
    """What a replay was begun with; one that goes on has to be the same."""

    name: str
    experiment: str  # a digest of all objects
    server: str
    namespace: str
    speed: float
    seed: int
    began_ns: int  # wall-clock time of the workload's time 0


class Change(msgspec.Struct, frozen=True):
    """What was seen of a pod or a node, at a time of the workload in nanoseconds."""

    time: int
    kind: str
    action: str
    document: dict[str, Any]


def journal_path(out: Path) -> Path:
    """Returns where the journal of an unfinished replay is: beside its results."""
    return out.with_name(f"{out.name}.journal")


class Journal:
    """What a replay has seen, line by line, so that it can go on after an interruption."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: BinaryIO | None = None
        self._encode = msgspec.json.Encoder().encode

    def begin(self, header: Header) -> None:
        """Begins a new journal."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("wb")
        self._write(header)

    def resume(self, header: Header) -> tuple[Header, list[Change]]:
        """Reads what was written and goes on; InputError if it is not of the same replay."""
        try:
            lines = self.path.read_bytes().split(b"\n")
        except FileNotFoundError:
            raise InputError("there is no replay to resume", source=str(self.path)) from None
        before = _decode(lines[0], Header, self.path)
        for field in ("experiment", "server", "namespace", "speed", "seed"):
            old, new = getattr(before, field), getattr(header, field)
            if old != new:
                what = "another experiment" if field == "experiment" else f"{field} {old}, not {new}"
                raise InputError(f"is the journal of {what}", source=str(self.path))
        changes = list(self._changes(lines[1:]))
        whole = sum(len(line) + 1 for line in lines[: 1 + len(changes)])
        os.truncate(self.path, whole)  # a line that was half written when the program was killed
        self._file = self.path.open("ab")
        return before, changes

    def _changes(self, lines: list[bytes]) -> Iterator[Change]:
        for line in lines[:-1]:  # the last one has no end of line
            yield _decode(line, Change, self.path)

    def note(self, change: Change) -> None:
        """Adds a line."""
        self._write(change)

    def _write(self, content: object) -> None:
        assert self._file is not None
        self._file.write(self._encode(content) + b"\n")
        self._file.flush()

    def close(self) -> None:
        """Closes the file, which stays."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def remove(self) -> None:
        """Removes the journal of a replay that is finished."""
        self.close()
        self.path.unlink(missing_ok=True)


def _decode(line: bytes, kind: type[Any], path: Path) -> Any:
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.DecodeError as error:
        raise InputError(f"is no journal of a replay: {error}", source=str(path)) from None
