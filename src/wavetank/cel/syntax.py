"""Expressions as trees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

# Words that no name in an expression may be.
RESERVED_NAMES = frozenset(
    [
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    ]
)


@dataclass(slots=True)
class Node:
    """A part of an expression; `at` is the offset of the character by which messages point at it."""

    at: int


@dataclass(slots=True)
class Literal(Node):
    """A constant."""

    value: Any


@dataclass(slots=True)
class Ident(Node):
    """A name."""

    name: str


@dataclass(slots=True)
class Select(Node):
    """A field of something; `optional` is written with a question mark."""

    operand: Node
    name: str
    optional: bool = False


@dataclass(slots=True)
class Has(Node):
    """Whether a field is there."""

    operand: Node
    name: str


@dataclass(slots=True)
class Call(Node):
    """A function or an operator, perhaps of something."""

    name: str
    args: list[Node]
    target: Node | None = None


@dataclass(slots=True)
class Items(Node):
    """A list; `optional` are the places of items that may be missing."""

    items: list[Node]
    optional: frozenset[int] = frozenset()


@dataclass(slots=True)
class Entries(Node):
    """A map; an entry with a question mark may be missing."""

    entries: list[tuple[Node, Node, bool]]


@dataclass(slots=True)
class Macro(Node):
    """Something done with each item of a range (all, exists, exists_one, map, filter, …), or with one value (bind).

    `names` are the variables, one or two, `args` what is evaluated with them.
    """

    name: str
    target: Node
    names: list[str]
    args: list[Node] = field(default_factory=list)


class ExpressionError(ValueError):
    """An expression that cannot be used; the text is that of the real compiler, one paragraph for each mistake."""


def report(source: str, problems: list[tuple[int, str]]) -> ExpressionError:
    """Returns the error for problems at offsets of the source."""
    if not source:
        return ExpressionError("\n".join(f"ERROR: <input>:1:0: {message}" for _, message in problems))
    paragraphs = []
    for at, message in sorted(problems, key=lambda problem: problem[0]):
        line = source.count("\n", 0, at) + 1
        start = source.rfind("\n", 0, at) + 1
        text = source[start:].partition("\n")[0]
        column = at - start
        paragraphs.append(f"ERROR: <input>:{line}:{column + 1}: {message}\n | {text}\n | {'.' * column}^")
    return ExpressionError("\n".join(paragraphs))
