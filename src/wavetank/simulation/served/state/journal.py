from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import msgspec

from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.history import DELETED, History
from wavetank.cluster.store.store import Store
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.simulation.served.state.recordfile import HEADLINE, RecordFile, StateWriteError, frame
from wavetank.simulation.served.state.records import Actors, Batch, Removed, Snapshot, Written, keep

_LEAST_GROWTH = 8 * 1024 * 1024  # bytes after which a file is written anew, with the present objects only
_SLICE_S = 0.002  # of writing a file anew, at each commit
_PIECE = 4 * 1024 * 1024  # bytes that are copied at each commit: more than a commit adds
_TIME_EVERY_S = 1.0  # between two records of the time alone, in wall time
_UNFINISHED = ".part"

_encode = msgspec.json.Encoder().encode


class Journal:
    """Keeps all writes of a store in a file of a folder; the file is written anew when it has grown too long.

    A write is remembered when it is made and is safe from the end of the process when `commit` has returned; with
    `sync`, from that of the machine as well. The folder is the caller's to lock.
    """

    def __init__(self, file: RecordFile, sync: bool = False, least_growth: int = _LEAST_GROWTH) -> None:
        self._file = file
        self._sync = sync
        self._least_growth = least_growth
        self._actors = Actors()
        self._pending: list[tuple[str, str, Resource]] = []
        self._rewriting: Iterator[None] | None = None
        self._rewrite_at = 0
        self._told_at = time.monotonic()
        self._told: Nanoseconds | None = None

    def follow(self, store: Store, actors: Actors) -> None:
        """Begins to commit the writes of a store, those already remembered included; `actors` know more of objects."""
        self._store = store
        self._actors = actors
        self._plan_rewriting(self._file.size)

    def remember(self, type: str, table: str, resource: Resource) -> None:  # noqa: A002
        """Remembers a write until it is committed."""
        self._pending.append((type, table, resource))

    def commit(self, with_time: bool = False) -> None:
        """Writes what is remembered, and the time, if it has advanced noticeably or `with_time`.

        StateWriteError if that fails: then nothing may be answered any more.
        """
        if self._pending or (with_time and self._store.clock.now != self._told) or self._is_time_due():
            pending, self._pending = self._pending, []
            self._told, self._told_at = self._store.clock.now, time.monotonic()
            self._file.append(self._record(pending), self._sync)
        if self._rewriting is None and self._file.size >= self._rewrite_at:
            self._rewriting = self._rewrite()
        if self._rewriting is not None:
            next(self._rewriting, None)

    def close(self) -> None:
        """Commits what is left, and closes the file."""
        self.commit(with_time=True)
        self._rewriting = None
        _next_path(self._file.path).with_suffix(_UNFINISHED).unlink(missing_ok=True)
        self._file.close()

    def _is_time_due(self) -> bool:
        if self._told is not None and self._store.clock.now - self._told < SECOND:
            return False
        return time.monotonic() - self._told_at >= _TIME_EVERY_S

    def _record(self, pending: list[tuple[str, str, Resource]]) -> bytes:
        try:
            return frame(_encode(self._batch([self._change(*each) for each in pending])))
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise StateWriteError(f"an object cannot be kept: {error}") from None

    def _change(self, type: str, table: str, resource: Resource) -> Written | Removed:  # noqa: A002
        if type == DELETED:
            return Removed(table, resource.namespace, resource.name)
        return keep(resource, table, self._actors)

    def _batch(self, changes: list[Written | Removed]) -> Batch:
        return Batch(self._store.clock.now, self._store.version, self._store.reserved_uids, changes)

    # rewriting

    def _plan_rewriting(self, size: int) -> None:
        self._rewrite_at = size + max(size, self._least_growth)

    def _rewrite(self) -> Iterator[None]:
        """Writes the present objects into a new file, a few at each commit, followed by what is written meanwhile."""
        copied = self._file.size
        path = _next_path(self._file.path)
        objects = [(table, each) for table in self._store.group_kinds() for each in self._store.list(table)]
        new = begin_file(path.with_suffix(_UNFINISHED), len(objects))
        for records in self._records_of(objects):
            new.append(records)
            yield
        writing = Thread(target=new.sync)  # may take long, and must be done before the old file is removed
        writing.start()
        while writing.is_alive():
            yield
        while self._file.size - copied > _PIECE:
            new.append(self._file.read(copied, _PIECE))
            copied += _PIECE
            yield
        new.append(self._file.read(copied, _PIECE), self._sync)
        self._replace_file(new, path)

    def _records_of(self, objects: list[tuple[str, Resource]]) -> Iterator[bytes]:
        """Yields the records of objects, each time as many as are made within a slice."""
        records, end = [], time.perf_counter() + _SLICE_S
        for table, each in objects:
            records.append(frame(_encode(self._batch([keep(each, table, self._actors)]))))
            if time.perf_counter() >= end:
                yield b"".join(records)
                records, end = [], time.perf_counter() + _SLICE_S
        yield b"".join(records)

    def _replace_file(self, new: RecordFile, path: Path) -> None:
        old, self._rewriting = self._file, None
        new.rename(path)
        self._file = new
        self._plan_rewriting(new.size)
        old.close()
        old.path.unlink(missing_ok=True)


class JournaledHistory(History):
    """A store's history that also remembers each write for a journal."""

    def __init__(self, capacity: int, journal: Journal) -> None:
        super().__init__(capacity)
        self._journal = journal

    def remember(self, type: str, table: str, resource: Resource, old: Resource | None, version: int) -> None:  # noqa: A002
        """Adds a write."""
        super().remember(type, table, resource, old, version)
        self._journal.remember(type, table, resource)


def begin_file(path: Path, batches: int) -> RecordFile:
    """Creates a file that begins with a snapshot of so many batches, which are yet to be written."""
    path.unlink(missing_ok=True)
    file = RecordFile(path, 0)
    file.append(HEADLINE + frame(_encode(Snapshot(batches))))
    return file


def _next_path(path: Path) -> Path:
    return path.with_name(f"journal-{number_of(path) + 1:06d}")


def number_of(path: Path) -> int:
    """Returns the number of a file: of several, the highest one counts."""
    return int(path.stem.rpartition("-")[2])
