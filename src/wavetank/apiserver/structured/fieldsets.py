"""Sets of fields, in the very form that FieldsV1 has.

A set is a mapping from elements to what is below them. An element with nothing below it is in the set; one with
something below it is in the set if `.` stands beside that. Sets are never changed once they are made: they share parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wavetank.apiserver.structured import elements

FieldSet = dict[str, Any]
Path = tuple[str, ...]

SELF = "."
EMPTY: FieldSet = {}
LEAF: FieldSet = {}  # what is below an element that is in a set and has nothing below it


def is_member(below: FieldSet) -> bool:
    """Says whether an element is in a set, by what is below it."""
    return not below or SELF in below


def children(below: FieldSet) -> FieldSet:
    """Returns the set of what is below an element."""
    if SELF not in below:
        return below
    return {element: each for element, each in below.items() if element != SELF}


def node(member: bool, below: FieldSet) -> FieldSet | None:
    """Returns the node at an element; None if there is none."""
    if not member:
        return below or None
    return {SELF: LEAF, **below} if below else LEAF


def of(*paths: Path) -> FieldSet:
    """Returns the set of some paths."""
    made: FieldSet = {}
    for path in paths:
        made = union(made, _nested(path))
    return made


def _nested(path: Path) -> FieldSet:
    return {path[0]: _nested(path[1:]) if len(path) > 1 else LEAF}


def has(fields: FieldSet, path: Path) -> bool:
    """Says whether a path is in a set."""
    for element in path[:-1]:
        fields = fields.get(element) or {}
    return path[-1] in fields and is_member(fields[path[-1]])


def union(one: FieldSet, other: FieldSet) -> FieldSet:
    """Returns what is in either set."""
    if not one or not other:
        return one or other
    made = dict(one)
    for element, below in other.items():
        mine = made.get(element)
        if mine is None:
            made[element] = below
        elif element != SELF:
            member = is_member(mine) or is_member(below)
            made[element] = node(member, union(children(mine), children(below)))
    return made


def union_of(sets: list[FieldSet]) -> FieldSet:
    """Returns what is in any of several sets, in time that hardly grows faster than what they hold."""
    while len(sets) > 1:
        pairs = zip(sets[::2], sets[1::2], strict=False)
        sets = [union(*pair) for pair in pairs] + (sets[-1:] if len(sets) % 2 else [])
    return sets[0] if sets else EMPTY


def intersection(one: FieldSet, other: FieldSet) -> FieldSet:
    """Returns what is in both sets."""
    made: FieldSet = {}
    for element, below in one.items():
        theirs = other.get(element)
        if theirs is None or element == SELF:
            continue
        both = node(is_member(below) and is_member(theirs), intersection(children(below), children(theirs)))
        if both is not None:
            made[element] = both
    return made


def difference(one: FieldSet, other: FieldSet) -> FieldSet:
    """Returns what is in the first set and not in the second; what is below an element of the second stays.

    The first set itself is returned if all of it stays.
    """
    if not one or not other:
        return one
    made: FieldSet = {}
    changed = False
    for element, below in one.items():
        theirs = other.get(element)
        if theirs is None or element == SELF:
            made[element] = below
            continue
        rest = _left(below, theirs)
        changed = changed or rest is not below
        if rest is not None:
            made[element] = rest
    return made if changed else one


def _left(below: FieldSet, theirs: FieldSet) -> FieldSet | None:
    """Returns what stays of what is at an element; None if nothing does."""
    member = is_member(below)
    mine = children(below)
    rest = difference(mine, children(theirs))
    if rest is mine and not (member and is_member(theirs)):
        return below
    return node(member and not is_member(theirs), rest)


def without(one: FieldSet, other: FieldSet) -> FieldSet:
    """Returns what is in the first set and neither in the second nor below an element of it."""
    if not one or not other:
        return one
    made: FieldSet = {}
    for element, below in one.items():
        theirs = other.get(element)
        if theirs is None:
            made[element] = below
        elif not is_member(theirs):
            rest = node(is_member(below), without(children(below), theirs))
            if rest is not None:
                made[element] = rest
    return made


def paths(fields: FieldSet, prefix: Path = ()) -> Iterator[Path]:
    """Yields what is in a set: first what is right here, then what is below, in the order of the real server."""
    ordered = sorted((element for element in fields if element != SELF), key=elements.rank)
    for element in ordered:
        if is_member(fields[element]):
            yield (*prefix, element)
    for element in ordered:
        yield from paths(fields[element], (*prefix, element))


def shown(path: Path) -> str:
    """Returns a path as messages show it: `.spec.containers[name="web"].image`."""
    return "".join(map(elements.shown, path))


def parse(written: Any) -> FieldSet:
    """Reads a set that a client has sent; a ValueError if it is none."""
    if written is None:
        return EMPTY
    if not isinstance(written, dict):
        raise ValueError("a set of fields must be an object")
    made: FieldSet = {}
    for text, below in written.items():
        if text == SELF:
            made[SELF] = LEAF
        elif (element := elements.parse(text)) is not None:
            made[element] = parse(below)
    return LEAF if made.keys() == {SELF} else made
