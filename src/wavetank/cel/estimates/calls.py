"""What calls cost at most, beyond their arguments, and how large their results are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from wavetank.cel.estimates.sizes import MOST, PATTERN_FACTOR, TEXT_FACTOR, UNKNOWN, Size, add, exactly, multiply, scale
from wavetank.cel.syntax import Literal, Node
from wavetank.cel.types import Type

_LIST_BASE = 10  # the cost of making a list
_NAMES = ("string", "bytes")
_ADDRESS = 16  # bytes, at most


class Argument(NamedTuple):
    """An argument of a call: its tree, its type, its size, and the size of its items if it is a list or a map."""

    node: Node
    type: Type
    size: Size
    item: Size

    @property
    def is_text(self) -> bool:
        """Tells whether it may be a text or bytes."""
        return self.type.name in (*_NAMES, "dyn")

    @property
    def is_list(self) -> bool:
        """Tells whether it may be a list."""
        return self.type.name in ("list", "dyn")


class CallEstimate(NamedTuple):
    """The cost of a call without its arguments, and the size of its result if it is known."""

    cost: int
    size: Size | None = None


ONE = CallEstimate(1)
Estimate = Callable[[Argument | None, list[Argument]], CallEstimate]


def estimate_call(name: str, target: Argument | None, args: list[Argument]) -> CallEstimate:
    """Returns the estimate of a call of a function or an operator that evaluates all its arguments."""
    known = _MEMBERS.get(name) if target is not None else _FUNCTIONS.get(name)
    return ONE if known is None else known(target, args)


def _walk(size: Size, factor: float = 1) -> CallEstimate:
    return CallEstimate(size.cost(factor * TEXT_FACTOR), size)


def _of_argument(factor: float = 1, sized: bool = False) -> Estimate:
    """Returns the estimate of a function that walks over its first argument."""

    def estimate(target: Argument | None, args: list[Argument]) -> CallEstimate:
        found = _walk(args[0].size, factor)
        return found if sized else CallEstimate(found.cost)

    return estimate


def _of_target(target: Argument | None, args: list[Argument]) -> CallEstimate:
    assert target is not None
    return _walk(target.size)


def _each_item(target: Argument | None, args: list[Argument]) -> CallEstimate:
    """Estimates one walk over a list, or over a text."""
    assert target is not None
    if not target.type.params:
        return CallEstimate(target.size.cost(TEXT_FACTOR))
    is_text = target.type.params[0].name in _NAMES
    each = add(1, target.item.cost(TEXT_FACTOR)) if is_text else 1
    return CallEstimate(multiply(target.size.most, each))


def _replace(target: Argument | None, args: list[Argument]) -> CallEstimate:
    assert target is not None
    text, old, new = target.size, args[0].size, args[1].size
    if old.least == 0:  # the replacement may surround every character
        most = add(multiply(min(text.most + 1, MOST), new.most), text.most)
    elif new.most <= old.least:
        most = text.most
    else:
        most = multiply(math.ceil(text.most / old.least), new.most)
    if old.most == 0:
        least = add(multiply(min(text.least + 1, MOST), new.least), text.least)
    elif old.most <= new.least:
        least = text.least
    else:
        least = multiply(math.ceil(text.least / old.most), new.least)
    return CallEstimate(text.cost(2 * TEXT_FACTOR), Size(least, most))


def _split(target: Argument | None, args: list[Argument]) -> CallEstimate:
    assert target is not None
    most = target.size.most
    if len(args) > 1 and isinstance(args[1].node, Literal) and isinstance(args[1].node.value, int):
        most = args[1].node.value % 2**64
    return CallEstimate(target.size.cost(2 * TEXT_FACTOR), Size(0, most))


def _join(target: Argument | None, args: list[Argument]) -> CallEstimate:
    assert target is not None
    size = target.size.times(target.item) if target.type.params else exactly(0)
    if args:
        between = Size(max(target.size.least - 1, 0), max(target.size.most - 1, 0))
        size = size.plus(args[0].size.times(between))
    return CallEstimate(size.cost(TEXT_FACTOR), size)


def _matching(text: Size, pattern: Size) -> int:
    return multiply(scale(add(text.most, 1), TEXT_FACTOR), pattern.cost(PATTERN_FACTOR))


def _find(target: Argument | None, args: list[Argument]) -> CallEstimate:
    assert target is not None
    return CallEstimate(_matching(target.size, args[0].size), Size(0, target.size.most))


def _matches(target: Argument | None, args: list[Argument]) -> CallEstimate:
    assert target is not None
    return CallEstimate(_matching(target.size, args[0].size))


def _contains(target: Argument | None, args: list[Argument]) -> CallEstimate:
    assert target is not None
    return CallEstimate(multiply(target.size.cost(TEXT_FACTOR), args[0].size.cost(TEXT_FACTOR)))


def _contains_address(more: int) -> Estimate:
    """Returns the estimate of a comparison of addresses; those that are texts are parsed before."""

    def estimate(target: Argument | None, args: list[Argument]) -> CallEstimate:
        parsing = args[0].size.cost(TEXT_FACTOR) if args[0].is_text else 0
        return CallEstimate(add(scale(2 * _ADDRESS, TEXT_FACTOR), more, parsing))

    return estimate


def _slice(target: Argument | None, args: list[Argument]) -> CallEstimate:
    assert target is not None
    start, end = _number(args[0], 0), _number(args[1], target.size.most)
    return _allocating(1, exactly((end - start) % 2**64))


def _range(target: Argument | None, args: list[Argument]) -> CallEstimate:
    return _allocating(1, exactly(_number(args[0], MOST)))


def _flatten(target: Argument | None, args: list[Argument]) -> CallEstimate:
    assert target is not None
    return _allocating(float(_number(args[0], MOST)) if args else 1, target.size)


def _reverse(target: Argument | None, args: list[Argument]) -> CallEstimate:
    assert target is not None
    return _allocating(1, target.size)


def _distinct(target: Argument | None, args: list[Argument]) -> CallEstimate:
    assert target is not None
    return _allocating(2, target.size.times(target.size))


def _sort(target: Argument | None, args: list[Argument]) -> CallEstimate:
    assert target is not None
    is_text = bool(target.type.params) and target.type.params[0].name in _NAMES
    return _allocating(2 + TEXT_FACTOR if is_text else 2, target.size.times(target.size))


def _allocating(factor: float, size: Size) -> CallEstimate:
    return CallEstimate(add(size.cost(factor), 1, _LIST_BASE), size)


def _number(argument: Argument, otherwise: int) -> int:
    node = argument.node
    return node.value if isinstance(node, Literal) and isinstance(node.value, int) else otherwise


def _sets(factor: float) -> Estimate:
    return lambda target, args: CallEstimate(add(args[0].size.times(args[1].size).cost(factor), 1))


def _to_bytes(target: Argument | None, args: list[Argument]) -> CallEstimate:
    if not args[0].is_text:
        return ONE
    return CallEstimate(args[0].size.cost(TEXT_FACTOR), Size(args[0].size.least, args[0].size.most * 4 % 2**64))


def _to_string(target: Argument | None, args: list[Argument]) -> CallEstimate:
    if args[0].type.name not in ("bytes", "dyn"):
        return ONE
    return CallEstimate(max(args[0].size.cost(TEXT_FACTOR), 1), Size(args[0].size.least // 4, args[0].size.most))


def _quote(target: Argument | None, args: list[Argument]) -> CallEstimate:
    size = args[0].size
    return CallEstimate(size.cost(TEXT_FACTOR), Size(size.least + 2, (size.most * 2 + 2) % 2**64))


def _in(target: Argument | None, args: list[Argument]) -> CallEstimate:
    return CallEstimate(max(args[1].size.most, 1 if args[1].type.name == "dyn" else 0)) if args[1].is_list else ONE


def _plus(target: Argument | None, args: list[Argument]) -> CallEstimate:
    size = args[0].size.plus(args[1].size)
    texts, lists = all(each.is_text for each in args), all(each.is_list for each in args)
    if not texts and not lists:
        return ONE
    return CallEstimate(max(size.cost(TEXT_FACTOR) if texts else 0, 1 if lists else 0), size)


def _compare(target: Argument | None, args: list[Argument]) -> CallEstimate:
    if not all(each.is_text for each in args):
        return ONE
    found = _equal(target, args)
    return CallEstimate(max(found.cost, 1)) if any(each.type.name == "dyn" for each in args) else found


def _equal(target: Argument | None, args: list[Argument]) -> CallEstimate:
    if args[0].type == args[1].type and args[0].type.name in ("IP", "CIDR", "Quantity", "Semver"):
        return ONE
    return CallEstimate(scale(min(each.size.most for each in args), TEXT_FACTOR))


def _unequal(target: Argument | None, args: list[Argument]) -> CallEstimate:
    return CallEstimate(scale(min(each.size.most for each in args), TEXT_FACTOR))


_MEMBERS: dict[str, Estimate] = {
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), _each_item),
    **dict.fromkeys(("lowerAscii", "upperAscii", "substring", "trim"), _of_target),
    **dict.fromkeys(("startsWith", "endsWith"), _of_argument()),
    **dict.fromkeys(("find", "findAll"), _find),
    "format": lambda target, args: CallEstimate((target.size if target else UNKNOWN).cost(TEXT_FACTOR)),
    "replace": _replace,
    "split": _split,
    "join": _join,
    "matches": _matches,
    "contains": _contains,
    "containsIP": _contains_address(0),
    "containsCIDR": _contains_address(scale(_ADDRESS, TEXT_FACTOR) + 1),
    "slice": _slice,
    "flatten": _flatten,
    "reverse": _reverse,
    "distinct": _distinct,
    "sort": _sort,
}
_FUNCTIONS: dict[str, Estimate] = {
    "url": _of_argument(sized=True),
    **dict.fromkeys(("cidr", "isIP", "isCIDR", "ip", "quantity", "isQuantity", "semver", "isSemver"), _of_argument()),
    "ip.isCanonical": _of_argument(2),
    "lists.range": _range,
    **dict.fromkeys(("sets.contains", "sets.intersects"), _sets(1)),
    "sets.equivalent": _sets(2),
    "bytes": _to_bytes,
    "string": _to_string,
    "strings.quote": _quote,
    "@in": _in,
    "_+_": _plus,
    **dict.fromkeys(("_<_", "_<=_", "_>_", "_>=_"), _compare),
    "_==_": _equal,
    "_!=_": _unequal,
}
