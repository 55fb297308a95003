"""Expansion of words: quotes, variables, commands and arithmetic."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping

from wavetank.nodes.shell.syntax import UnreadableError, part_end

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9?#@*$!]")
_BRACED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*|[0-9?#@*])(?:(:?[-+=?])(.*))?", re.DOTALL)
_VARIABLE = re.compile(r"\$?\{?([A-Za-z_][A-Za-z0-9_]*)\}?")


_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_UNARY: dict[type[ast.unaryop], Callable[[int], int]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


class Expander:
    """Expands words with variables; `run` returns what a command prints."""

    def __init__(self, variables: Mapping[str, str], run: Callable[[str], str]) -> None:
        self._variables = variables
        self._run = run

    def words(self, text: str) -> Iterator[str]:
        """Yields the words that a word stands for: what is not quoted is split at blanks."""
        present: str | None = None
        for part, quoted in self._parts(text):
            if quoted:
                present = (present or "") + part
                continue
            pieces = re.split(r"[ \t\n]+", part)
            for index, piece in enumerate(pieces):
                if index and present is not None:
                    yield present
                    present = None
                if piece:
                    present = (present or "") + piece
        if present is not None:
            yield present

    def text(self, text: str) -> str:
        """Returns a word without its quotes, expanded but not split."""
        return "".join(part for part, _ in self._parts(text))

    def _parts(self, text: str) -> Iterator[tuple[str, bool]]:
        """Yields the parts of a word, and whether each of them is quoted."""
        place = 0
        while place < len(text):
            end = part_end(text, place)
            part = text[place:end]
            if part[0] == "'":
                yield part[1:-1], True
            elif part[0] == '"':
                yield self._quoted(part[1:-1]), True
            elif part[0] == "\\":
                yield part[1:].replace("\n", ""), True
            elif part[0] in "$`":
                value, end = self._expansion(text, place)
                yield value, False
            else:
                yield part, bool(part.strip())  # not split again: blanks have ended the word already
            place = end

    def _quoted(self, text: str) -> str:
        found, place = "", 0
        while place < len(text):
            if text[place] == "\\" and text[place + 1 : place + 2] in ("$", "`", '"', "\\", "\n"):
                found += text[place + 1].replace("\n", "")
                place += 2
            elif text[place] in "$`":
                value, place = self._expansion(text, place)
                found += value
            else:
                found += text[place]
                place += 1
        return found

    def _expansion(self, text: str, place: int) -> tuple[str, int]:
        """Returns the value of the expansion at a place, and where it ends."""
        end = part_end(text, place)
        if text[place] == "`":
            return self._run(text[place + 1 : end - 1]), end
        if text.startswith("$((", place):
            return str(arithmetic(text[place + 3 : end - 2], self._variables)), end
        if text.startswith("$(", place):
            return self._run(text[place + 2 : end - 1]), end
        if text.startswith("${", place):
            return self._braced(text[place + 2 : end - 1]), end
        name = _NAME.match(text, place + 1)
        if name is None:
            return "$", place + 1
        return self._variables.get(name[0], ""), name.end()

    def _braced(self, text: str) -> str:
        match = _BRACED.fullmatch(text)
        if match is None or (match[2] and match[2][-1] in "=?"):
            raise UnreadableError(f"${{{text}}}")
        value = self._variables.get(match[1])
        if match[2] is None:
            return value or ""
        missing = value is None or (match[2][0] == ":" and not value)
        if match[2][-1] == "+":
            return "" if missing else self.text(match[3])
        return self.text(match[3]) if missing else value or ""


def arithmetic(text: str, variables: Mapping[str, str]) -> int:
    """Evaluates an expression of integers, as `$((…))` and `expr` do."""
    valued = _VARIABLE.sub(lambda match: f"({variables.get(match[1]) or 0})", text)
    for written, python in (("&&", " and "), ("||", " or "), ("/", "//"), ("!", " not ")):
        valued = valued.replace(written, python)
    try:
        tree = ast.parse(valued.replace(" not =", "!=").strip(), mode="eval")
        return _value(tree.body)
    except (SyntaxError, ZeroDivisionError, ValueError, RecursionError, MemoryError):  # Python's word for too deep
        raise UnreadableError(f"$(({text}))") from None


def _value(node: ast.expr) -> int:
    """Returns the value of an expression of plain operators; anything else is UnreadableError."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return int(node.value)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _wrapped(_OPERATORS[type(node.op)](_value(node.left), _value(node.right)))
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        return int(_UNARY[type(node.op)](_value(node.operand)))
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARISONS:
        return int(_COMPARISONS[type(node.ops[0])](_value(node.left), _value(node.comparators[0])))
    if isinstance(node, ast.BoolOp):
        values = (bool(_value(each)) for each in node.values)
        return int(all(values) if isinstance(node.op, ast.And) else any(values))
    raise UnreadableError("an expression")


def _wrapped(value: int) -> int:
    return (value + 2**63) % 2**64 - 2**63
