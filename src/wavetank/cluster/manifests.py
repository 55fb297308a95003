"""Kubernetes manifests in files: YAML or JSON, several documents, Lists."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import msgspec
import yaml

from wavetank.cluster.yamldepth import SafeLoader, is_too_deep, release
from wavetank.errors import InputError

MAX_VALUES = 100_000_000  # that a text with aliases may stand for
MAX_BYTES = 1 << 30  # of text, after decompression: enough for a million pods, not for a bomb
_PIECE = 1 << 20


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes:
        """Returns so many bytes at most."""


def read_limited(stream: _Readable) -> bytearray:
    """Returns what is in a stream, and not much more than MAX_BYTES of it; takes memory only for what is there."""
    data = bytearray()
    while len(data) <= MAX_BYTES and (part := stream.read(_PIECE)):
        data += part
    return data


def read_text(path: Path) -> str:
    """Reads a text file, gzipped or not; a missing, binary or oversized one is an InputError."""
    try:
        with path.open("rb") as file:
            zipped = file.peek(2)[:2] == b"\x1f\x8b"
            data = read_limited(gzip.GzipFile(fileobj=file) if zipped else file)
    except FileNotFoundError:
        raise InputError("no such file", source=str(path)) from None
    except IsADirectoryError:
        raise InputError("is a folder: expected a file", source=str(path)) from None
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"cannot be read: {error}", source=str(path)) from None
    if len(data) > MAX_BYTES:
        raise InputError(f"larger than {MAX_BYTES >> 20} MiB of text", source=str(path))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text: byte {error.start} is {data[error.start]:#04x}", source=str(path)) from None


def load_documents(text: str, source: str) -> list[Any]:
    """Parses YAML or JSON text into its documents; empty documents are left out."""
    try:
        if text.lstrip().startswith(("{", "[")):
            document = msgspec.json.decode(text)
            if is_too_deep(document):
                raise InputError("nested too deeply", source=source)
            return [document]
    except msgspec.DecodeError:
        pass  # flow-style YAML begins like JSON
    except RecursionError:
        raise InputError("nested too deeply", source=source) from None
    try:
        loader = _Loader if "&" in text else _PlainLoader
        documents = [document for document in yaml.load_all(text, Loader=loader) if document is not None]
        if "&" in text and "*" in text and _size(documents, {}) > MAX_VALUES:
            raise InputError(f"its aliases stand for more than {MAX_VALUES:,} values", source=source)
        return documents
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = f"line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise InputError(f"not valid YAML: {error.problem}", path=line, source=source) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        why = str(error).partition("; use sys.")[0]  # advice for programmers
        raise InputError(f"not valid YAML: {' '.join(why.split())}", source=source) from None


def _size(value: Any, known: dict[int, int]) -> int:
    """Counts the values in a document, those behind an alias each time that it stands for them."""
    if not isinstance(value, dict | list):
        return 1
    if id(value) not in known:
        known[id(value)] = 0  # an alias to what it stands in would never end: counted once
        parts = value.values() if isinstance(value, dict) else value
        known[id(value)] = 1 + sum(_size(part, known) for part in parts)
    return known[id(value)]


def manifests_in(documents: list[Any], source: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields (place, manifest) of each object, with Lists unfolded; `place` is the path inside the file."""
    for i, document in enumerate(documents):
        place = f"document {i + 1}" if len(documents) > 1 else ""
        yield from _unfold(document, place, source)


def _unfold(document: Any, place: str, source: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(document, list):
        items = document
    elif isinstance(document, dict) and str(document.get("kind", "")).endswith("List") and "items" in document:
        items = document["items"] or []
        place = f"{place}.items".lstrip(".")
        if not isinstance(items, list):
            raise InputError(f"expected a list of Kubernetes objects, got {items!r:.60}", path=place, source=source)
    elif isinstance(document, dict):
        yield place, document
        return
    else:
        raise InputError(f"expected a Kubernetes object, got {document!r:.60}", path=place, source=source)
    for i, item in enumerate(items):
        yield from _unfold(item, f"{place}[{i}]", source)


_MERGE = "tag:yaml.org,2002:merge"


class _Loader(SafeLoader):
    """The safe loader, with what Kubernetes' own YAML reader does differently: a duplicate key is an error."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """Builds a mapping, refusing a key that stands twice."""
        stated = [key for key, _ in node.value]  # before the keys of a merge (<<) come in, which may be overridden
        mapping: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        if len(mapping) < len(node.value):
            self._refuse_twins(stated)
        return mapping

    def _refuse_twins(self, keys: list[Any]) -> None:
        seen = set()
        for node in keys:
            if node.tag == _MERGE:
                continue
            key = self.construct_object(node, deep=True)  # the value: 1 and 0x1 are one key too
            if key in seen:
                raise yaml.constructor.ConstructorError(None, None, f"duplicate key {node.value!r}", node.start_mark)
            seen.add(key)


# A date stays the text that it is: Kubernetes has no date type, and JSON could not carry one.
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in _Loader.yaml_implicit_resolvers.items()
}

_TEXT, _MAPPING, _SEQUENCE = (f"tag:yaml.org,2002:{kind}" for kind in ("str", "map", "seq"))


class _PlainLoader(_Loader):
    """The same for a text without anchors: what has one owner is built as it is met, which takes half the time."""

    def construct_document(self, node: Any) -> Any:
        """Builds a document."""
        return self._build(node)

    def _build(self, node: Any) -> Any:
        tag, value = node.tag, node.value
        if tag == _TEXT and isinstance(value, str):
            return value
        if tag == _MAPPING and isinstance(node, yaml.MappingNode):
            return self._build_mapping(node)
        if tag == _SEQUENCE and isinstance(node, yaml.SequenceNode):
            items = [self._build(item) for item in value]
            release(value)
            return items
        return super().construct_document(node)

    def _build_mapping(self, node: Any) -> Any:
        if any(key.tag != _TEXT for key, _ in node.value):  # a merge, or a key that is no text
            return super().construct_document(node)
        built = {key.value: self._build(value) for key, value in node.value}
        if len(built) < len(node.value):
            self._refuse_twins([key for key, _ in node.value])
        release(node.value)
        return built
