from __future__ import annotations

import gzip
import io
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from wavetank.cluster.manifests import load_documents, read_text
from wavetank.errors import InputError

_HEAD = 1 << 16  # bytes of text by which a format is recognized
_BLOCK = 1 << 17  # bytes of text parsed at a time: as much as fits into a processor's cache
_LONGEST_LINE = 1 << 24  # bytes: longer lines are not those of a table
_GZIP = b"\x1f\x8b"


def on_line(error: InputError, line: int) -> InputError:
    """Returns the same error as one of a line of a file, in the field that it names."""
    return InputError(error.message, path=f"line {line}: {error.path}" if error.path else f"line {line}")


class InputFile:
    """A file, gzipped or not, read as far as its format needs: its head, its text, its documents, or as a stream.

    `source` is its path as given, for errors; `name` its last part, for descriptions. Strict reading is the
    default: what is wrong with one entry is wrong with the file. A `lenient` reader leaves the entry out, counts it in
    `skipped`, and keeps the `first_error`; `assumed` counts what was read in a way that the file does not state.
    `options` are the format's own.
    """

    def __init__(
        self,
        path: Path,
        text: str | None = None,
        *,
        lenient: bool = False,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.path = path
        self.source = str(path)
        self.name = path.name
        self.lenient = lenient
        self.options: Mapping[str, Any] = options or {}
        self.skipped: Counter[str] = Counter()
        self.assumed: Counter[str] = Counter()
        self.first_error: InputError | None = None
        if text is not None:
            self.text = text
        self._given = None if text is None else text.encode("utf-8", "surrogatepass")

    @classmethod
    def read(cls, path: Path, *, lenient: bool = False, options: Mapping[str, Any] | None = None) -> InputFile:
        """Opens the file; one that is missing or cannot be read is an InputError."""
        file = cls(path, lenient=lenient, options=options)
        assert file.head is not None  # reads it, so that a missing file is said now
        return file

    def again(self) -> InputFile:
        """Returns the same file to be read once more, with counters of its own."""
        text = None if self._given is None else self.text
        return InputFile(self.path, text, lenient=self.lenient, options=self.options)

    def skip(self, error: InputError, kind: str) -> None:
        """Raises the error, seen from this file; a lenient reader goes on and counts it as one of its `kind`."""
        if not self.lenient:
            raise error.inside(source=self.source) from None
        self.first_error = self.first_error or error
        self.skipped[kind] += 1

    @cached_property
    def head(self) -> bytes:
        """Returns the first 64 KiB, decompressed."""
        with self.stream() as stream:
            return stream.read(_HEAD)

    @cached_property
    def text(self) -> str:
        """Returns the whole text; a file that is none is an InputError."""
        return read_text(self.path)

    @cached_property
    def documents(self) -> list[Any]:
        """Returns the YAML or JSON documents in the file."""
        return load_documents(self.text, self.source)

    @contextmanager
    def stream(self) -> Iterator[io.BufferedIOBase]:
        """Opens the content, decompressed; errors in reading it are InputErrors."""
        try:
            with io.BytesIO(self._given) if self._given is not None else self.path.open("rb") as file:
                zipped = file.read(2) == _GZIP
                file.seek(0)
                yield gzip.GzipFile(fileobj=file) if zipped else file
        except FileNotFoundError:
            raise InputError("no such file", source=self.source) from None
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"cannot be read: {error}", source=self.source) from None

    def blocks(self) -> Iterator[bytes]:
        """Yields the content in blocks of about 128 KiB, each of whole lines, with no mark of its encoding."""
        with self.stream() as stream:
            rest = stream.read(_BLOCK).removeprefix(b"\xef\xbb\xbf")
            while block := stream.read(_BLOCK):
                whole, newline, tail = block.rpartition(b"\n")
                if newline:
                    yield rest + whole + newline
                    rest = tail
                else:
                    rest += block
                if len(rest) > _LONGEST_LINE:
                    raise InputError(f"a line is longer than {_LONGEST_LINE >> 20} MiB", source=self.source)
            if rest:
                yield rest


@contextmanager
def naming(file: InputFile) -> Iterator[None]:
    """Adds the file's name to errors that name no file."""
    try:
        yield
    except InputError as error:
        raise error if error.source else error.inside(source=file.source) from None
