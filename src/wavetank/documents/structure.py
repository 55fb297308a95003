"""Structures of documents: a class is a mapping, an attribute is one of its fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, Self, TypeVar, dataclass_transform, overload

from wavetank.documents import reading
from wavetank.documents.definitions import Definitions, Schema
from wavetank.documents.rules import Rule
from wavetank.documents.types import Type
from wavetank.errors import InputError

T = TypeVar("T")
Written = str | int | float | list[Any] | dict[str, Any]

_REQUIRED = object()


class Field(Generic[T]):
    """A field: its name in documents, type, unit, default and what it means.

    The default is what a document would say, and is read as that. If it is None, `otherwise` says what holds then.
    """

    def __init__(self, type: Type[T], default: object, doc: str, unit: str, otherwise: str) -> None:  # noqa: A002
        self.name = self.attribute = ""  # known once its class is
        self.type = type
        self.default = default
        self.doc = doc
        self.unit = unit
        self.otherwise = otherwise

    @property
    def required(self) -> bool:
        """Tells whether a document must have it."""
        return self.default is _REQUIRED

    def read(self, given: Mapping[str, Any], path: str) -> T | None:
        """Reads the field of a mapping at `path`."""
        place = f"{path}.{self.name}" if path else self.name
        if self.name in given:
            return self.type.read(given[self.name], place)
        if self.required:
            raise InputError(f"this field is required ({self.type.label}): {self.doc}", path=place)
        return None if self.default is None else self.type.read(self.default, place)

    def schema(self, definitions: Definitions) -> Schema:
        """Returns its JSON Schema, with the description that editors show."""
        type_schema = self.type.schema(definitions)
        if "$ref" in type_schema:  # draft 7 ignores what stands beside a reference
            type_schema = {"allOf": [type_schema]}
        about: Schema = {"description": f"{self.doc} ({self.unit})" if self.unit else self.doc}
        if not self.required and self.default is not None:
            about["default"] = self.default
        return {**about, **type_schema}


@overload
def field(type: Type[T], *, doc: str, unit: str = "") -> T: ...
@overload
def field(type: Type[T], *, default: Written, doc: str, unit: str = "") -> T: ...
@overload
def field(type: Type[T], *, default: None, doc: str, unit: str = "", otherwise: str = "none") -> T | None: ...
def field(
    type: Type[Any],  # noqa: A002
    *,
    default: object = _REQUIRED,
    doc: str,
    unit: str = "",
    otherwise: str = "none",
) -> Any:
    """Makes an attribute of a structure a field of documents.

    Without a `default` it is required. With None the attribute is None if the field is not there, and `otherwise`
    tells readers of the reference what happens in that case.
    """
    return Field(type, default, doc, unit, otherwise)


def camel_case(attribute: str) -> str:
    """Returns the usual name of an attribute in documents: scheduler_name is schedulerName, for_ is for."""
    first, *others = attribute.strip("_").split("_")
    return first + "".join(word.capitalize() for word in others)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
class Structure:
    """A mapping of a document with the fields that its subclass lists, and no others.

    `rules` say which fields go together. `rename` turns the names of attributes into those of fields. The docstring
    of a subclass is its paragraph in the reference.
    """

    fields: ClassVar[Mapping[str, Field[Any]]] = {}
    rules: ClassVar[tuple[Rule, ...]] = ()

    def __init_subclass__(cls, rename: Callable[[str], str] = camel_case) -> None:
        own = {name: each for name, each in vars(cls).items() if isinstance(each, Field)}
        for attribute, each in own.items():
            each.attribute, each.name = attribute, rename(attribute)
        inherited = [base.fields for base in cls.__bases__ if issubclass(base, Structure)]
        fields = {name: each for base in inherited for name, each in base.items()}
        cls.fields = {**fields, **{each.name: each for each in own.values()}}

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    @classmethod
    def read(cls, value: object, path: str) -> Self:
        """Reads a mapping at `path` of a document; InputError names the place of what is wrong with it."""
        given = reading.mapping(value, path, cls.fields)
        for rule in cls.rules:
            rule.check(given, path)
        read = cls(**{each.attribute: each.read(given, path) for each in cls.fields.values()})
        read.check(path)
        return read

    def check(self, path: str) -> None:
        """Refuses values that do not go together; for subclasses."""

    @classmethod
    def refer(cls, definitions: Definitions) -> Schema:
        """Returns a reference to its JSON Schema."""
        return definitions.refer(cls.__name__, cls.schema)

    @classmethod
    def schema(cls, definitions: Definitions) -> Schema:
        """Returns its JSON Schema."""
        rules = [rule.schema() for rule in cls.rules]
        return {
            "description": _paragraph(cls.__doc__ or ""),
            "type": "object",
            "required": [name for name, each in cls.fields.items() if each.required],
            "properties": {name: each.schema(definitions) for name, each in cls.fields.items()},
            "additionalProperties": False,
        } | ({"allOf": rules} if rules else {})


def _paragraph(text: str) -> str:
    return " ".join(text.split())
