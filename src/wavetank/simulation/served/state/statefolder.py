from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, TypeVar

import msgspec

from wavetank.errors import InputError
from wavetank.files import LockedError, take_lock
from wavetank.kernel.durations import Nanoseconds
from wavetank.simulation.served.state.journal import Journal, begin_file, number_of
from wavetank.simulation.served.state.recordfile import RecordFile, read_records
from wavetank.simulation.served.state.records import Batch, Key, Removed, Snapshot, Written

_LOCK = "lock"

T = TypeVar("T")


@dataclass(frozen=True)
class KeptState:
    """A cluster as it was kept: its time, the counters of its store, and its objects in the order of creation."""

    now: Nanoseconds
    version: int
    reserved: int
    objects: list[Written]


class StateFolder:
    """A folder that keeps a cluster; no other process can open it before `close`, or the end of this one.

    `kept` is the cluster that was kept in it, None if there is none yet, `torn` the number of bytes of an unfinished
    record that were cut off. InputError if the folder cannot be used.
    """

    def __init__(self, folder: Path, sync: bool = False) -> None:
        self._lock = _lock(folder)
        try:
            file, self.kept, self.torn = _open_newest(folder)
        except InputError:
            self._lock.close()
            raise
        self.journal = Journal(file, sync)

    def close(self) -> None:
        """Commits what is left, and unlocks the folder."""
        self.journal.close()
        self._lock.close()


def _lock(folder: Path) -> TextIO:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return take_lock(folder / _LOCK)
    except LockedError as error:
        raise InputError(f"is used by another server ({error})", source=str(folder)) from None
    except OSError as error:
        raise InputError(f"cannot be used as a folder for state: {error.strerror}", source=str(folder)) from None


def _open_newest(folder: Path) -> tuple[RecordFile, KeptState | None, int]:
    """Opens the newest file, or the first one; older ones and those that were never finished are removed."""
    for left in folder.glob("journal-*.part"):
        left.unlink()
    *older, newest = [None, *sorted((path for path in folder.glob("journal-*")), key=number_of)]
    for path in older:
        if path is not None:
            path.unlink()
    if newest is None:
        file = begin_file(folder / "journal-000001.part", 0)
        file.rename(folder / "journal-000001")
        return file, None, 0
    records = read_records(newest)
    kept = fold(records.payloads, str(newest))
    return RecordFile(newest, records.end), kept, records.torn


def fold(payloads: Iterable[bytes], source: str) -> KeptState | None:
    """Returns the cluster that the records of a file tell of, None if there is none; InputError if they end early."""
    objects: dict[Key, Written] = {}
    last: Batch | None = None
    records = iter(payloads)
    first = next(records, None)
    missing = 1 if first is None else _decode(first, Snapshot, source).batches
    for payload in records:
        last = _decode(payload, Batch, source)
        missing -= 1
        for change in last.changes:
            if isinstance(change, Removed):
                objects.pop(change.key, None)
            else:
                objects[change.key] = change
    if missing > 0:
        raise InputError("ends before the objects that it begins with are complete", source=source)
    return None if last is None else KeptState(last.now, last.version, last.reserved, list(objects.values()))


def _decode(payload: bytes, type_: type[T], source: str) -> T:
    try:
        return msgspec.json.decode(payload, type=type_)
    except msgspec.DecodeError as error:
        raise InputError(f"has a record that cannot be read: {error}", source=source) from None
