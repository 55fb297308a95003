"""Objects within objects: their apiVersion, kind and metadata are typed, whatever the schema says of the rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wavetank.apiserver.codec.canonical import canonical
from wavetank.apiserver.codec.diagnosis import diagnose
from wavetank.apiserver.codec.mismatch import MismatchError, UnreadableError, json_type
from wavetank.apiserver.custom.schema.gotext import shown
from wavetank.apiserver.custom.schema.structural import Document, Structural
from wavetank.apiserver.fielderrors import FieldError, invalid, required
from wavetank.apiserver.schemas.metadata import object_metadata
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.metadata import check_metadata

_STRING = "must be a string"


def read_metadata(metadata: Any) -> tuple[Document, list[str]]:
    """Returns metadata as Go writes it back, and the paths of the fields in it that are unknown.

    Raises an UnreadableError where a field has a wrong type.
    """
    if not isinstance(metadata, dict):
        if metadata is None:
            return {}, []
        raise MismatchError(json_type(metadata), "v1.ObjectMeta")
    schema = object_metadata()
    strict = diagnose(schema, metadata)
    prefix = 'unknown field "'
    return canonical(schema, metadata), [text[len(prefix) : -1] for text in strict if text.startswith(prefix)]


class Coercion:
    """Makes the metadata of embedded objects canonical; `unknown` are the paths of what it has dropped."""

    def __init__(self) -> None:
        self.unknown: list[str] = []

    def coerce(self, value: Any, schema: Structural | None, path: str = "") -> None:
        """Goes through a value, in place; an UnreadableError if a field of a head has a wrong type."""
        if schema is None:
            return
        if isinstance(value, dict):
            for name in list(value):
                if schema.embedded:
                    self._coerce_head(value, name, path)
                self.coerce(value[name], schema.below(name), self._below(schema, path, name))
        elif isinstance(value, list):
            for i, each in enumerate(value):
                self.coerce(each, schema.items, f"{path}[{i}]")

    def _below(self, schema: Structural, path: str, name: str) -> str:
        return f"{path}.{name}" if path and name in schema.properties else name if not path else f"{path}[{name}]"

    def _coerce_head(self, value: Document, name: str, path: str) -> None:
        place = f"{path}.{name}" if path else name
        if name in ("apiVersion", "kind") and not isinstance(value[name], str):
            raise UnreadableError(str(invalid(place, shown(value[name]), _STRING)))
        if name == "metadata":
            try:
                value[name], unknown = read_metadata(value[name])
            except UnreadableError as error:
                raise UnreadableError(str(invalid(place, shown(value[name]), str(error)))) from None
            self.unknown += (f"{place}.{each}" for each in unknown)


def check_embedded(value: Any, schema: Structural | None, path: str = "") -> Iterator[FieldError]:
    """Checks the head of each embedded object."""
    if schema is None:
        return
    if isinstance(value, dict):
        if schema.embedded:
            yield from _check_head(value, path)
        for name, each in value.items():
            inner = schema.below(name)
            known = name in schema.properties
            place = f"{path}.{name}" if known and path else name if known else f"{path}[{name}]"
            yield from check_embedded(each, inner, place)
    elif isinstance(value, list):
        for i, each in enumerate(value):
            yield from check_embedded(each, schema.items, f"{path}[{i}]")


def _check_head(value: Document, path: str) -> Iterator[FieldError]:
    prefix = f"{path}." if path else ""
    for name in ("apiVersion", "kind"):
        if name not in value:
            yield required(prefix + name)
        elif not isinstance(value[name], str):
            yield invalid(prefix + name, shown(value[name]), _STRING)
        elif not value[name]:
            yield invalid(prefix + name, value[name], "must not be empty")
        else:
            yield from _check_word(name, value[name], prefix)
    if "metadata" in value:
        yield from _check_metadata(value["metadata"], f"{prefix}metadata")


def _check_word(name: str, word: str, prefix: str) -> Iterator[FieldError]:
    if name == "apiVersion" and word.count("/") > 1:
        yield invalid(prefix + name, word, f"unexpected GroupVersion string: {word}")
    if name == "kind" and (problems := names.label_1035_problems(word.lower())):
        why = f"may have mixed case, but should otherwise match: {','.join(problems)}"
        yield invalid(prefix + name, word, why)


def _check_metadata(value: Any, path: str) -> Iterator[FieldError]:
    try:
        metadata, _ = read_metadata(value)
    except UnreadableError as error:
        yield invalid(path, shown(value), str(error))
        return
    metadata.setdefault("name", "fakename")
    yield from check_metadata(metadata, bool(metadata.get("namespace")), names.path_segment_problems, path, core=False)
