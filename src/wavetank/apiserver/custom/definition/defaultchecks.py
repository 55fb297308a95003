"""Whether the defaults of a schema are values that it allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from wavetank.apiserver.codec.copying import copied
from wavetank.apiserver.codec.mismatch import UnreadableError
from wavetank.apiserver.custom.schema.embedded import Coercion, check_embedded
from wavetank.apiserver.custom.schema.gotext import shown
from wavetank.apiserver.custom.schema.pruning import prune
from wavetank.apiserver.custom.schema.structural import META_FIELDS, Document, Structural
from wavetank.apiserver.custom.schema.values import check_value
from wavetank.apiserver.fielderrors import FieldError, invalid

# Puts a value into the object around it.
Surround = Callable[[Any], Any]
_HEAD = {"apiVersion": "validation/v1", "kind": "Validation"}


def check_defaults(schema: Document, path: str) -> list[FieldError]:
    """Returns what is wrong with defaults."""
    root = Structural.read({**schema, "x-kubernetes-embedded-resource": True})
    return list(_check(root, root, path, lambda value: {**_HEAD, **value}, inside=False))


def _check(
    schema: Structural, root: Structural, path: str, surround: Surround, *, inside: bool
) -> Iterator[FieldError]:
    if schema.embedded:
        inside, root, surround = False, schema, lambda value: {**_HEAD, **value}
    if schema.default is not None:
        place = f"{path}.default"
        if inside:
            yield from _check_inside(schema, root, place, surround)
        else:
            yield from _check_outside(schema, place)
    if schema.items is not None:
        yield from _check(schema.items, root, f"{path}.items", lambda value: surround([value]), inside=inside)
    for name, each in schema.properties.items():
        below = inside or (schema.embedded and name in META_FIELDS)
        around = _surround_with(surround, name)
        yield from _check(each, root, f"{path}.properties[{name}]", around, inside=below)


def _surround_with(surround: Surround, name: str) -> Surround:
    return lambda value: surround({name: value})


def _check_inside(schema: Structural, root: Structural, place: str, surround: Surround) -> Iterator[FieldError]:
    """Checks a default that becomes a part of an object's metadata."""
    whole = surround(copied(schema.default))
    try:
        Coercion().coerce(whole, root)
    except UnreadableError as error:
        yield invalid(place, shown(schema.default), f"must result in valid metadata: {error}")
        return
    if errors := list(check_embedded(whole, root)):
        texts = list(dict.fromkeys(str(error) for error in errors))
        problems = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
        yield invalid(place, shown(schema.default), f"must result in valid metadata: {problems}")
        return
    yield from check_value(_as_compiled(schema.raw), schema.default, prefix=place)


def _check_outside(schema: Structural, place: str) -> Iterator[FieldError]:
    pruned = copied(schema.default)
    prune(pruned, schema, root=schema.embedded)
    if pruned != schema.default:
        yield invalid(place, shown(schema.default), "must not have unknown fields")
    value = copied(schema.default)
    try:
        Coercion().coerce(value, schema, place)
    except UnreadableError as error:
        yield FieldError(*_split(str(error)))
        return
    if errors := list(check_embedded(value, schema, place)):
        yield from errors
        return
    yield from check_value(_as_compiled(schema.raw), value, prefix=place)


def _as_compiled(raw: Any) -> Any:
    """Returns a schema as defaults are checked by it: there the real server forgets what int-or-string means."""
    if isinstance(raw, Mapping):
        return {name: _as_compiled(each) for name, each in raw.items() if name != "x-kubernetes-int-or-string"}
    return [_as_compiled(each) for each in raw] if isinstance(raw, list) else raw


def _split(text: str) -> tuple[str, str, str, str]:
    """Takes the text of an error about a field apart again."""
    field, _, body = text.partition(": ")
    kind, _, detail = body.partition(": ")
    return kind, field, "", detail
