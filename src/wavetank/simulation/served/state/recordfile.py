"""Files of records: a line with the format, then records that are only appended.

A record is preceded by its length, its checksum and the checksum of these two, so that a record which was not written
to its end can be told from one that was damaged later.
"""

from __future__ import annotations

import os
import struct
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wavetank.errors import InputError, WavetankError

FORMAT = 1
_TITLE = b"wavetank state "
HEADLINE = _TITLE + b"%d\n" % FORMAT
_HEAD = struct.Struct("<III")


@dataclass(frozen=True)
class Records:
    """The whole records of a file, where the last one ends, and how many bytes of an unfinished one follow."""

    payloads: list[bytes]
    end: int
    torn: int


class StateWriteError(WavetankError):
    """The state of a cluster cannot be written any more; what was not answered may be lost."""

    exit_status = 1


def frame(payload: bytes) -> bytes:
    """Returns a record as it stands in a file."""
    sums = struct.pack("<II", len(payload), zlib.crc32(payload))
    return sums + struct.pack("<I", zlib.crc32(sums)) + payload


def read_records(path: Path) -> Records:
    """Reads a file; InputError if it has another format, or if anything but its end is damaged."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=str(path)) from None
    _check_format(data, path)
    payloads: list[bytes] = []
    at = len(HEADLINE)
    while at < len(data):
        payload = _record_at(data, at, path)
        if payload is None:
            break
        payloads.append(payload)
        at += _HEAD.size + len(payload)
    return Records(payloads, at, len(data) - at)


def _check_format(data: bytes, path: Path) -> None:
    if data.startswith(HEADLINE):
        return
    line = data[:40].partition(b"\n")[0]
    if line.startswith(_TITLE) and line[len(_TITLE) :].isdigit():
        other = line[len(_TITLE) :].decode()
        raise InputError(f"has format {other}; this version of wavetank reads format {FORMAT}", source=str(path))
    raise InputError("is no state of wavetank", source=str(path))


def _record_at(data: bytes, at: int, path: Path) -> bytes | None:
    """Returns a record; None if the file ends before the record does."""
    start = at + _HEAD.size
    if start > len(data):
        return None
    length, checksum, of_head = _HEAD.unpack_from(data, at)
    if zlib.crc32(data[at : at + 8]) != of_head:
        if not any(data[at:]):  # a file system that lost power may have made it longer, but not written it
            return None
        raise _damaged(path, at)
    if start + length > len(data):
        return None
    payload = data[start : start + length]
    if zlib.crc32(payload) != checksum:
        if start + length == len(data):
            return None
        raise _damaged(path, at)
    return payload


def _damaged(path: Path, at: int) -> InputError:
    problem = f"is damaged at byte {at:,}, and more follows; restore it from a copy, or begin with an empty folder"
    return InputError(problem, source=str(path))


class RecordFile:
    """A file to which records are appended; `size` is its length in bytes."""

    def __init__(self, path: Path, size: int) -> None:
        self.path = path
        self.size = size
        self._file = _open(path, size)

    def append(self, framed: bytes, sync: bool = False) -> None:
        """Writes framed records, through to the disk if `sync`; StateWriteError if that fails."""
        try:
            rest = memoryview(framed)
            while rest:
                rest = rest[os.write(self._file, rest) :]
            if sync:
                os.fdatasync(self._file)
        except OSError as error:
            raise StateWriteError(f"{self.path}: cannot be written: {error.strerror}") from None
        self.size += len(framed)

    def read(self, start: int, most: int) -> bytes:
        """Returns what was appended from a position on, at most so many bytes; StateWriteError if that fails."""
        wanted = min(most, self.size - start)
        try:
            data = os.pread(self._file, wanted, start)
        except OSError as error:
            raise StateWriteError(f"{self.path}: cannot be read: {error.strerror}") from None
        if len(data) < wanted:
            raise StateWriteError(f"{self.path}: was cut off by another program")
        return data

    def sync(self) -> None:
        """Writes everything through to the disk, as far as the disk can."""
        with suppress(OSError):  # if it cannot be written, the next `append` tells
            os.fdatasync(self._file)

    def rename(self, path: Path) -> None:
        """Gives the file its final name; StateWriteError if that fails."""
        try:
            self.path.rename(path)
            folder = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise StateWriteError(f"{path}: cannot be written: {error.strerror}") from None
        self.path = path

    def close(self) -> None:
        """Closes the file."""
        os.close(self._file)


def _open(path: Path, size: int) -> int:
    """Opens a file after its first `size` bytes, which are all that is left of it; a new one gets its headline."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        os.ftruncate(file, size)
        os.lseek(file, size, os.SEEK_SET)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", source=str(path)) from None
    return file
