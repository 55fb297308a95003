"""Types of values in documents: what the reference calls them, how they are read, and their JSON Schema."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from wavetank.documents import patterns, reading
from wavetank.documents.definitions import Definitions, Schema, SchemaWriter
from wavetank.errors import InputError
from wavetank.kernel.distributions import Distribution
from wavetank.kernel.durations import Nanoseconds

T = TypeVar("T")
S = TypeVar("S")
Word = TypeVar("Word", bound=str)
T_co = TypeVar("T_co", covariant=True)


class Readable(Protocol[T_co]):
    """A structure of fields, such as a subclass of `Structure`."""

    def read(self, value: object, path: str) -> T_co:
        """Reads a mapping; InputError names the place of what is wrong with it."""
        ...

    def refer(self, definitions: Definitions) -> Schema:
        """Returns a reference to its JSON Schema."""
        ...


class Type(Generic[T_co]):
    """A type of values: `label` is its name in the reference, `read` takes a value and its path in the document.

    `parts` are the structures that a value may consist of, each with what it adds to the path: `[]` in a list, or the
    kind of a value behind a space.
    """

    def __init__(
        self,
        label: str,
        read: Callable[[object, str], T_co],
        schema: Schema | SchemaWriter,
        parts: Iterable[tuple[str, Readable[Any]]] = (),
    ) -> None:
        self.label = label
        self.read = read
        self.parts = tuple(parts)
        self._schema = schema

    def schema(self, definitions: Definitions) -> Schema:
        """Returns the JSON Schema of its values."""
        return self._schema(definitions) if callable(self._schema) else self._schema


STRINGS: Schema = {"type": "array", "items": {"type": "string"}}
_TEXT: Schema = {"type": "string", "minLength": 1}

text = Type("text", reading.text, _TEXT)
file = Type("file", reading.text, _TEXT)
boolean = Type("true or false", reading.boolean, {"type": "boolean"})
mapping: Type[Mapping[str, Any]] = Type("mapping", reading.mapping, {"type": "object"})
strings = Type(
    "texts by name", reading.strings, {"type": ["object", "null"], "additionalProperties": {"type": "string"}}
)
manifests = Type("list", reading.sequence, {"type": "array", "items": {"type": "object"}})


def _defined(name: str, schema: SchemaWriter) -> SchemaWriter:
    return lambda definitions: definitions.refer(name, schema)


duration: Type[Nanoseconds] = Type("duration", reading.duration, _defined("duration", lambda _: patterns.DURATION))
distribution: Type[Distribution] = Type(
    "distribution", reading.distribution, _defined("distribution", patterns.write_distribution)
)
amounts: Type[Mapping[str, int]] = Type(
    "quantities by name", reading.amounts, _defined("amounts", patterns.write_amounts)
)
labels: Type[dict[str, str]] = Type("texts by name", reading.labels, _defined("labels", lambda _: patterns.LABELS))


def amount(resource: str, least: int = 0) -> Type[int]:
    """Returns the type of amounts of a resource, in milli-CPU, bytes or counts; `least` 1: above 0."""
    schema = _defined("quantity", lambda _: patterns.QUANTITY)
    return Type("quantity", lambda value, path: reading.amount(value, path, resource, least), schema)


def choice(words: Collection[Word]) -> Type[Word]:
    """Returns the type of one of some words."""
    return Type("text", lambda value, path: reading.choice(value, path, words), {"enum": list(words)})


def unread(label: str) -> Type[Any]:
    """Returns the type of values that are kept as they are."""
    return Type(label, lambda value, path: value, {})


def constant(word: str) -> Type[str]:
    """Returns the type of one word."""
    return Type("text", lambda value, path: reading.constant(value, path, word), {"const": word})


def integer(least: int = 0, most: int | None = None) -> Type[int]:
    """Returns the type of whole numbers from `least` to `most`."""
    schema: Schema = {"type": "integer", "minimum": least} | ({} if most is None else {"maximum": most})
    return Type("whole number", lambda value, path: reading.integer(value, path, least, most), schema)


def number(least: float = 0, most: float | None = None, expected: str | None = None) -> Type[float]:
    """Returns the type of numbers from `least` to `most`; `expected` says in words which ones."""
    schema: Schema = {"type": "number", "minimum": least} | ({} if most is None else {"maximum": most})
    bounds = f"{least:g} or more" if most is None else f"from {least:g} to {most:g}"

    def read(value: object, path: str) -> float:
        found = reading.number(value, path)
        if found < least or (most is not None and found > most):
            raise InputError(f"expected {expected or f'a number, {bounds}'}, got {value!r:.60}", path=path)
        return found

    return Type("number", read, schema)


def items(of: Type[T], label: str = "list", least: int = 1) -> Type[list[T]]:
    """Returns the type of lists with at least so many items, 0 or 1."""

    def read(value: object, path: str) -> list[T]:
        given = (reading.items if least else reading.sequence)(value, path)
        return [of.read(item, f"{path}[{i}]") for i, item in enumerate(given)]

    return Type(
        label,
        read,
        lambda definitions: {"type": "array", "minItems": least, "items": of.schema(definitions)},
        ((f"[]{place}", part) for place, part in of.parts),
    )


def nested(structure: Readable[T]) -> Type[T]:
    """Returns the type of mappings with the fields of a structure."""
    return Type("mapping", structure.read, structure.refer, [("", structure)])


def either(label: str, first: Type[S], other: Type[T], when: type[Any]) -> Type[S | T]:
    """Returns the type of values that are read as `first` if they are instances of `when`, else as `other`."""

    def read(value: object, path: str) -> S | T:
        return first.read(value, path) if isinstance(value, when) else other.read(value, path)

    def schema(definitions: Definitions) -> Schema:
        return {"anyOf": [each.schema(definitions) for each in (first, other)]}

    return Type(label, read, schema, (*first.parts, *other.parts))


def one_or_more(of: Type[T], label: str) -> Type[list[T]]:
    """Returns the type of a value, or a list of them."""
    alone: Type[list[T]] = Type(of.label, lambda value, path: [of.read(value, path)], of.schema)
    return either(label, items(of), alone, list)


def nullable(of: Type[T]) -> Type[T | None]:
    """Returns the type with null as another value."""

    def schema(definitions: Definitions) -> Schema:
        return {"anyOf": [of.schema(definitions), {"type": "null"}]}

    return Type(of.label, lambda value, path: None if value is None else of.read(value, path), schema, of.parts)


def as_written(of: Type[Any]) -> Type[Any]:
    """Returns the type of values that are checked as `of` and kept as the document has them."""

    def read(value: object, path: str) -> object:
        of.read(value, path)
        return value

    return Type(of.label, read, of.schema, of.parts)


def tagged(tag: str, structures: Mapping[str, Readable[T]], common: Readable[T]) -> Type[T]:
    """Returns the type of mappings whose field `tag` says which of the structures they have.

    `common` has the fields that they share.
    """

    def read(value: object, path: str) -> T:
        given = reading.mapping(value, path)
        return structures[reading.choice(given.get(tag), f"{path}.{tag}", structures)].read(value, path)

    def schema(definitions: Definitions) -> Schema:
        branches = [
            {"if": {"properties": {tag: {"const": name}}}, "then": structure.refer(definitions)}
            for name, structure in structures.items()
        ]
        return {"type": "object", "required": [tag], "properties": {tag: {"enum": list(structures)}}, "allOf": branches}

    kinds = ((f" {tag}: {name}", structure) for name, structure in structures.items())
    return Type("mapping", read, schema, (("", common), *kinds))
