"""Values checked by a JSON schema, in the real server's words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from wavetank.apiserver.custom.schema.correlation import Correlation
from wavetank.apiserver.custom.schema.formats import known_format
from wavetank.apiserver.custom.schema.gotext import go_json, shown
from wavetank.apiserver.fielderrors import (
    ENOUGH,
    INVALID,
    TYPE_INVALID,
    FieldError,
    Raw,
    invalid,
    required,
    too_long,
    too_many,
    unsupported,
)
from wavetank.cel.gotext import go_number, quote
from wavetank.cel.patterns import PatternError, go_pattern

RawSchema = Mapping[str, Any]
_ROOT = "<nil>"  # what Go calls the path of a whole document
_LARGEST_INT = 2**63
_EPSILON = 1e-9


class Findings:
    """What is wrong with a value, and how much of it was looked at: the alternative that fits best has most."""

    __slots__ = ("errors", "matches")

    def __init__(self, errors: Iterable[FieldError] = (), matches: int = 0) -> None:
        self.errors = list(errors)
        self.matches = matches

    def merge(self, other: Findings | None) -> None:
        """Adds other findings, each error once."""
        if other is not None:
            self.add(*other.errors)
            self.matches += other.matches

    def add(self, *errors: FieldError) -> None:
        """Adds errors that are not there yet, until there are enough."""
        for error in errors:
            if self.are_enough:
                return
            if error not in self.errors:
                self.errors.append(error)

    @property
    def are_enough(self) -> bool:
        """Tells whether there are so many errors that no more are looked for."""
        return len(self.errors) >= ENOUGH


def check_value(
    schema: RawSchema, value: Any, correlation: Correlation | None = None, prefix: str = ""
) -> list[FieldError]:
    """Returns what is wrong with a value; `correlation` leaves out what was wrong before and has not changed.

    `prefix` is the path of the value in its object: messages do not have it, the fields of the errors do.
    """
    found = _check(schema, value, "", correlation).errors
    return [error._replace(field=_place(prefix, error.field)) for error in found]


def _place(prefix: str, field: str) -> str:
    name = field.removeprefix(".")
    if not name:
        return prefix or _ROOT
    return f"{prefix}.{name}" if prefix else name


def json_type(value: Any) -> str:
    """Returns what messages call the type of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer" if -_LARGEST_INT <= value < _LARGEST_INT else "number"
    names: dict[type, str] = {float: "number", str: "string", list: "array", dict: "object"}
    return names[type(value)]


def _check(schema: RawSchema, value: Any, path: str, correlation: Correlation | None) -> Findings:
    found = _check_all(schema, value, path, correlation)
    if found.errors and correlation is not None and correlation.unchanged:
        return Findings((), found.matches)
    return found


def _check_all(schema: RawSchema, value: Any, path: str, correlation: Correlation | None) -> Findings:
    found = Findings()
    types = _types(schema)
    if value is None:
        found.merge(_check_type(schema, types, value, path))
        found.merge(_check_enum(schema, value, path))
        return found
    form = schema.get("format", "") if known_format(schema.get("format", "")) else ""
    checks: list[Findings | None] = [_check_type(schema, types, value, path)] if types or form else []
    checks.append(_check_logic(schema, value, path, correlation))
    if isinstance(value, str):
        checks.append(_check_string(schema, value, path))
        if form:
            checks.append(_check_format(form, value, path))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        checks.append(_check_number(schema, value, path))
    elif isinstance(value, list):
        checks.append(_check_items(schema, value, path, correlation))
    checks.append(_check_enum(schema, value, path))
    if isinstance(value, dict):
        checks.append(_check_fields(schema, value, path, correlation))
    for each in checks:
        found.merge(each)
        found.matches += 1
    found.matches += 1
    return found


def _types(schema: RawSchema) -> tuple[str, ...]:
    if schema.get("x-kubernetes-int-or-string"):
        return ("integer", "string")
    return (schema["type"],) if schema.get("type") else ()


def _check_type(schema: RawSchema, types: tuple[str, ...], value: Any, path: str) -> Findings:
    kind, wanted = json_type(value), ",".join(types)
    if value is None:
        wrong = bool(types) and not schema.get("nullable")
        return Findings([_wrong_type(path, wanted, kind)]) if wrong else Findings(matches=1)
    form = schema.get("format", "") if known_format(schema.get("format", "")) else ""
    fits = kind in types or (kind == "integer" and "number" in types)
    fits = fits or (kind == "number" and "integer" in types and _is_whole(value))
    if form and not fits and not isinstance(value, (str, list)):
        return Findings([_wrong_type(path, form, {"integer": "int64", "number": "float64"}.get(kind, ""))])
    if form and isinstance(value, (str, list)) and not {"number", "integer"} & set(types):
        return Findings(matches=1)
    return Findings(matches=1) if fits else Findings([_wrong_type(path, wanted, kind)])


def _is_whole(value: float) -> bool:
    """Says whether Go takes a fraction for an integer: near enough to one, and not too large to be exact."""
    whole = int(value) if -(2**53) <= value <= 2**53 else None
    if whole is None or value == whole:
        return whole is not None
    return whole > 0 and (value - whole) / (value + whole) < _EPSILON


def _wrong_type(path: str, wanted: str, found: str) -> FieldError:
    return FieldError(TYPE_INVALID, path, found, f"{path} in body must be of type {wanted}: {quote(found)}")


def _check_enum(schema: RawSchema, value: Any, path: str) -> Findings | None:
    choices = schema.get("enum")
    if not choices or any(_same(value, each) for each in choices):
        return None
    words = [each if isinstance(each, str) else go_json(each) for each in choices]
    return Findings([unsupported(path, shown(value), words)])


def _same(value: Any, choice: Any) -> bool:
    if choice is None or value is None:
        return False
    if isinstance(value, bool) or isinstance(choice, bool):
        return value is choice
    if isinstance(choice, int) and isinstance(value, float):
        return int(value) == choice  # Go converts before it compares
    return (type(value) is type(choice) and bool(value == choice)) or (isinstance(choice, float) and value == choice)


def _check_string(schema: RawSchema, value: str, path: str) -> Findings | None:
    longest, shortest, pattern = schema.get("maxLength"), schema.get("minLength"), schema.get("pattern")
    if longest is not None and len(value) > longest:
        return Findings([too_long(path, longest)])
    if shortest is not None and len(value) < shortest:
        return Findings([invalid(path, value, f"{path} in body should be at least {shortest} chars long")])
    if pattern:
        try:
            matches = go_pattern(pattern).search(value) is not None
        except PatternError as error:
            pattern, matches = f"{pattern}, but pattern is invalid: {error}", False
        if not matches:
            return Findings([invalid(path, value, f"{path} in body should match '{pattern}'")])
    return None


def _check_format(form: str, value: str, path: str) -> Findings | None:
    check = known_format(form)
    return None if check is None or check(value) else Findings([_wrong_type(path, form, value)])


def _check_number(schema: RawSchema, value: float, path: str) -> Findings:
    found = Findings(matches=1)
    if (factor := schema.get("multipleOf")) is not None:
        found.add(*_check_multiple(value, factor, path))
    if (least := schema.get("minimum")) is not None:
        bound = int(least) if isinstance(value, int) else float(least)
        exclusive = schema.get("exclusiveMinimum")
        if value < bound or (exclusive and value == bound):
            words = "greater than" if exclusive else "greater than or equal to"
            found.add(_out_of_range(path, value, words, bound))
    if (most := schema.get("maximum")) is not None:
        bound = int(most) if isinstance(value, int) else float(most)
        exclusive = schema.get("exclusiveMaximum")
        if value > bound or (exclusive and value == bound):
            words = "less than" if exclusive else "less than or equal to"
            found.add(_out_of_range(path, value, words, bound))
    return found


def _out_of_range(path: str, value: float, words: str, bound: float) -> FieldError:
    return invalid(path, Raw(go_number(value)), f"{path} in body should be {words} {go_number(bound)}")


def _check_multiple(value: float, factor: float, path: str) -> Iterable[FieldError]:
    whole = isinstance(value, int)
    if whole:
        factor = int(factor)
    if factor <= 0:
        detail = f"factor MultipleOf declared for {path} must be positive: {go_number(factor)}"
        yield invalid(path, Raw(go_number(factor)), detail)
        return
    is_multiple = value % factor == 0 if whole else _is_whole(1 / factor * value if factor < 1 else value / factor)
    if not is_multiple:
        yield invalid(path, Raw(go_number(value)), f"{path} in body should be a multiple of {go_number(factor)}")


def _check_items(schema: RawSchema, items: list[Any], path: str, correlation: Correlation | None) -> Findings:
    found = Findings(matches=1)
    inner = schema.get("items")
    if inner is not None:
        for i, each in enumerate(items):
            part = correlation.index(i) if correlation is not None else None
            found.merge(_check(inner, each, f"{path}[{i}]", part))
            if found.are_enough:
                return found
    fewest, most = schema.get("minItems"), schema.get("maxItems")
    if fewest is not None and len(items) < fewest:
        found.add(invalid(path, len(items), f"{path} in body should have at least {fewest} items"))
    if most is not None and len(items) > most:
        found.add(too_many(path, len(items), most))
    return found


def _check_fields(schema: RawSchema, value: dict[str, Any], path: str, correlation: Correlation | None) -> Findings:
    found = Findings()
    fewest, most = schema.get("minProperties"), schema.get("maxProperties")
    if fewest is not None and len(value) < fewest:
        found.add(invalid(path, len(value), f"{path} in body should have at least {fewest} properties"))
    if most is not None and len(value) > most:
        found.add(too_many(path, len(value), most))
    known, rest = schema.get("properties") or {}, schema.get("additionalProperties")
    if rest is False:
        for name in islice(value.keys() - known.keys(), ENOUGH):
            found.add(invalid(path, name, f"{path}.{name} in body is a forbidden property"))
    elif isinstance(rest, Mapping):
        for name in value:
            if name not in known:
                part = correlation.key(name) if correlation is not None else None
                found.merge(_check(rest, value[name], f"{path}.{name}", part))
                if found.are_enough:
                    return found
    for name, inner in known.items():
        if name in value:
            part = correlation.key(name) if correlation is not None and _may_ratchet(path, name) else None
            found.merge(_check(inner, value[name], f"{path}.{name}" if path else name, part))
    for name in schema.get("required") or ():
        if name not in value:
            found.add(required(f"{path}.{name}"))
    return found


def _may_ratchet(path: str, name: str) -> bool:
    return bool(path) or name not in ("apiVersion", "kind")


def _check_logic(schema: RawSchema, value: Any, path: str, correlation: Correlation | None) -> Findings:
    found = Findings()
    if anyof := schema.get("anyOf"):
        _check_any(found, (_check_all(each, value, path, correlation) for each in anyof), path)
    if oneof := schema.get("oneOf"):
        _check_one(found, [_check_all(each, value, path, correlation) for each in oneof], path)
    if allof := schema.get("allOf"):
        _check_each(found, [_check_all(each, value, path, correlation) for each in allof], path)
    if (refused := schema.get("not")) is not None and not _check_all(refused, value, path, correlation).errors:
        found.add(_plain(f"{quote(path)} must not validate the schema (not)"))
    found.matches += 1
    return found


def _check_any(found: Findings, results: Iterable[Findings], path: str) -> None:
    best: Findings | None = None
    for each in results:
        if not each.errors:
            found.merge(each)
            return
        if best is None or each.matches > best.matches:
            best = each
    found.add(_plain(f"{quote(path)} must validate at least one schema (anyOf)"))
    found.merge(best)


def _check_one(found: Findings, results: list[Findings], path: str) -> None:
    fitting = [each for each in results if not each.errors]
    if len(fitting) == 1:
        found.merge(fitting[0])
        return
    which = f"Found {len(fitting)} valid alternatives" if fitting else "Found none valid"
    found.add(_plain(f"{quote(path)} must validate one and only one schema (oneOf). {which}"))
    if not fitting:
        found.merge(max(results, key=lambda each: each.matches))


def _check_each(found: Findings, results: list[Findings], path: str) -> None:
    for each in results:
        found.merge(each)
    failed = sum(bool(each.errors) for each in results)
    if failed:
        none = ". None validated" if failed == len(results) else ""
        found.add(_plain(f"{quote(path)} must validate all the schemas (allOf){none}"))


def _plain(message: str) -> FieldError:
    """Makes an error of the whole document, as the real server does of errors without a place."""
    return FieldError(INVALID, "", "", message)
