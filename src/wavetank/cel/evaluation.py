"""Expressions evaluated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from wavetank.cel.cost import METER, CostError
from wavetank.cel.functions.table import FUNCTIONS, index, is_present
from wavetank.cel.syntax import Call, Entries, Has, Ident, Items, Literal, Macro, Node, Select
from wavetank.cel.values import EvaluationError, Optional, equal

Names = Mapping[str, Any]
_TYPES = frozenset(["bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"])


def evaluate(node: Node, names: Names) -> Any:
    """Returns the value of an expression; an EvaluationError says why there is none.

    `names` may have a meter (see `cost`), which ends an evaluation that costs too much.
    """
    if METER in names:
        names[METER].spend(1)
    match node:
        case Literal():
            return node.value
        case Ident():
            return names[node.name] if node.name in names else _type_named(node.name)
        case Select():
            return _select(evaluate(node.operand, names), node)
        case Has():
            return is_present(evaluate(node.operand, names), node.name)
        case Items():
            return _items(node, names)
        case Entries():
            return _entries(node, names)
        case Macro():
            return _MACROS[node.name](node, names)
        case Call():
            return _call(node, names)
    raise EvaluationError(f"unknown expression {node!r}")


def _type_named(name: str) -> Any:
    from wavetank.cel.functions.table import TypeValue

    assert name in _TYPES
    return TypeValue(name)


def _select(operand: Any, node: Select) -> Any:
    if isinstance(operand, Optional) or node.optional:
        inside = operand.value if isinstance(operand, Optional) else operand
        if isinstance(operand, Optional) and not operand.present:
            return operand
        found = isinstance(inside, Mapping) and node.name in inside
        return Optional(inside[node.name], True) if found else Optional()
    if not isinstance(operand, Mapping):
        raise EvaluationError("no such overload")
    try:
        return operand[node.name]
    except KeyError:
        raise EvaluationError(f"no such key: {node.name}") from None


def _items(node: Items, names: Names) -> list[Any]:
    found = []
    for i, each in enumerate(node.items):
        value = evaluate(each, names)
        if i in node.optional and isinstance(value, Optional):
            if value.present:
                found.append(value.value)
        else:
            found.append(value)
    return found


def _entries(node: Entries, names: Names) -> dict[Any, Any]:
    found = {}
    for key, value, optional in node.entries:
        made = evaluate(value, names)
        if optional and isinstance(made, Optional):
            if made.present:
                found[evaluate(key, names)] = made.value
        else:
            found[evaluate(key, names)] = made
    return found


# calls


def _call(node: Call, names: Names) -> Any:
    if node.name in _LAZY:
        return _LAZY[node.name](node, names)
    args = [evaluate(each, names) for each in ([node.target, *node.args] if node.target is not None else node.args)]
    if METER in names:
        names[METER].call(node.name, args)
    if node.name == "_==_":
        return equal(*args)
    if node.name == "_!=_":
        return not equal(*args)
    if node.name == "_[_]":
        return index(*args)
    try:
        return FUNCTIONS[node.name](*args)
    except (TypeError, KeyError, AttributeError):
        raise EvaluationError("no such overload") from None


def _attempt(node: Node, names: Names) -> Any:
    """Returns the value of an expression that must be true or false, or the error that it has instead."""
    try:
        value = evaluate(node, names)
    except CostError:
        raise
    except EvaluationError as error:
        return error
    return value if isinstance(value, bool) else EvaluationError("no such overload")


def _both(node: Call, names: Names) -> bool:
    return _settle((_attempt(each, names) for each in node.args), stop=False)


def _either(node: Call, names: Names) -> bool:
    return _settle((_attempt(each, names) for each in node.args), stop=True)


def _settle(results: Iterable[Any], *, stop: bool) -> bool:
    """Returns `stop` as soon as there is one; errors count only if there is none."""
    failure: EvaluationError | None = None
    for each in results:
        if each is stop:
            return bool(stop)
        if isinstance(each, EvaluationError):
            failure = failure or each
    if failure is not None:
        raise failure
    return not stop


def _choose(node: Call, names: Names) -> Any:
    condition = evaluate(node.args[0], names)
    if not isinstance(condition, bool):
        raise EvaluationError("no such overload")
    return evaluate(node.args[1 if condition else 2], names)


def _or_value(node: Call, names: Names) -> Any:
    """Evaluates what stands for a missing value only if it is missing."""
    assert node.target is not None
    found = evaluate(node.target, names)
    if not isinstance(found, Optional):
        raise EvaluationError("no such overload")
    if found.present:
        return found.value if node.name == "orValue" else found
    return evaluate(node.args[0], names)


_LAZY: Mapping[str, Callable[[Call, Names], Any]] = {
    "_&&_": _both,
    "_||_": _either,
    "_?_:_": _choose,
    "or": _or_value,
    "orValue": _or_value,
}


# macros


def _scopes(node: Macro, names: Names) -> Iterator[dict[str, Any]]:
    """Yields the names for each item of a range."""
    found = evaluate(node.target, names)
    if not isinstance(found, Mapping | list):
        raise EvaluationError("no such overload")
    if METER in names:
        names[METER].spend(len(found))
    if len(node.names) == 1:
        for each in found:  # of a map the keys
            yield {**names, node.names[0]: each}
        return
    first, second = node.names
    for key, value in found.items() if isinstance(found, Mapping) else enumerate(found):
        yield {**names, first: key, second: value}


def _all(node: Macro, names: Names) -> bool:
    return _settle((_attempt(node.args[0], each) for each in _scopes(node, names)), stop=False)


def _exists(node: Macro, names: Names) -> bool:
    return _settle((_attempt(node.args[0], each) for each in _scopes(node, names)), stop=True)


def _holds(node: Node, names: Names) -> bool:
    found = _attempt(node, names)
    if isinstance(found, EvaluationError):
        raise found
    return bool(found)


def _exists_one(node: Macro, names: Names) -> bool:
    return sum(_holds(node.args[0], each) for each in _scopes(node, names)) == 1


def _filter(node: Macro, names: Names) -> list[Any]:
    return [each[node.names[0]] for each in _scopes(node, names) if _holds(node.args[0], each)]


def _map(node: Macro, names: Names) -> list[Any]:
    *condition, made = node.args
    scopes = (each for each in _scopes(node, names) if not condition or _holds(condition[0], each))
    return [evaluate(made, each) for each in scopes]


def _transform_map(node: Macro, names: Names) -> dict[Any, Any]:
    *condition, made = node.args
    scopes = (each for each in _scopes(node, names) if not condition or _holds(condition[0], each))
    return {each[node.names[0]]: evaluate(made, each) for each in scopes}


def _optional(node: Macro, names: Names) -> Any:
    found = evaluate(node.target, names)
    if not isinstance(found, Optional) or not found.present:
        return Optional()
    value = evaluate(node.args[0], {**names, node.names[0]: found.value})
    return Optional(value, True) if node.name == "optMap" else value


def _bind(node: Macro, names: Names) -> Any:
    return evaluate(node.args[0], {**names, node.names[0]: evaluate(node.target, names)})


_MACROS: Mapping[str, Callable[[Macro, Names], Any]] = {
    "all": _all,
    "exists": _exists,
    "exists_one": _exists_one,
    "existsOne": _exists_one,
    "filter": _filter,
    "map": _map,
    "transformList": _map,
    "transformMap": _transform_map,
    "bind": _bind,
    "optMap": _optional,
    "optFlatMap": _optional,
}
