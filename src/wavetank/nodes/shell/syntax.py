"""The grammar of shell scripts, as far as it is simulated: lists, pipelines, if, while, for, groups, redirections."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

_OPERATORS = ("&&", "||", ";;", ">>", "&>", ">&", ";", "&", "|", "(", ")", ">", "<", "\n")
_REDIRECTION = re.compile(r"[012]?(>>|>&|&>|>|<)")
_ENDS = frozenset({"then", "else", "elif", "fi", "do", "done", "}", ")"})
_UNREAD = frozenset({"case", "function", "select"})


class UnreadableError(Exception):
    """A script, or a part of it, is beyond this shell: what it does cannot be told."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a command, with its quotes; `text` is as written."""

    text: str


@dataclass(frozen=True, slots=True)
class Redirection:
    """Output or input of a command: `>`, `>>` or `<`, and the file; stderr if `errors`."""

    operator: str
    target: Word
    errors: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """A simple command: assignments, words and redirections."""

    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands joined by `|`; `negated` by `!`, in the `background` by `&`."""

    parts: tuple[Node, ...]
    negated: bool = False
    background: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """Pipelines one after the other, each with what joins it to the one before: `;`, `&&` or `||`."""

    items: tuple[tuple[str, Pipeline], ...]


@dataclass(frozen=True, slots=True)
class If:
    """Branches: conditions with what follows them; the last one may have none, it is the `else`."""

    branches: tuple[tuple[Block | None, Block], ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop while a condition holds, or until it does if `until`."""

    condition: Block
    body: Block
    until: bool = False


@dataclass(frozen=True, slots=True)
class For:
    """A loop over words."""

    variable: str
    words: tuple[Word, ...]
    body: Block


@dataclass(frozen=True, slots=True)
class Group:
    """A block in braces or parentheses, with redirections."""

    body: Block
    redirections: tuple[Redirection, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Function:
    """A definition of a function."""

    name: str
    body: Block


Node = Command | If | Loop | For | Group | Function


def parse(script: str) -> Block:
    """Reads a script; UnreadableError if it has more than this shell knows."""
    parser = _Parser(tokens(script))
    block = parser.block(())
    if parser.token is not None:
        raise UnreadableError(f"unexpected {parser.token!r}")
    return block


def tokens(script: str) -> list[str]:
    """Returns the operators and words of a script; words keep their quotes."""
    found: list[str] = []
    place = 0
    while place < len(script):
        character = script[place]
        if character in " \t\r":
            place += 1
        elif character == "#":
            end = script.find("\n", place)
            place = len(script) if end < 0 else end
        elif script.startswith("\\\n", place):
            place += 2
        elif script.startswith("<<", place):
            raise UnreadableError("a here-document")
        elif redirection := _REDIRECTION.match(script, place):
            found.append(redirection[0])
            place = redirection.end()
        elif operator := next((each for each in _OPERATORS if script.startswith(each, place)), ""):
            found.append(operator)
            place += len(operator)
        else:
            end = word_end(script, place)
            found.append(script[place:end])
            place = end
    return found


def word_end(script: str, place: int) -> int:
    """Returns where the word ends that begins at a place."""
    while place < len(script) and script[place] not in " \t\r\n;&|()<>":
        place = part_end(script, place)
    return place


def part_end(script: str, place: int) -> int:
    """Returns where a character, a quotation or an expansion ends that begins at a place."""
    character = script[place]
    if character == "\\":
        return min(place + 2, len(script))
    if character == "'":
        return _after(script, "'", place + 1)
    if character == '"':
        place += 1
        while place < len(script) and script[place] != '"':
            place = part_end(script, place) if script[place] in "\\$`" else place + 1
        return _closed(script, place) + 1
    if character == "`":
        return _after(script, "`", place + 1)
    if script.startswith(("$(", "${"), place):
        return _bracket_end(script, place + 1)
    return place + 1


def _after(script: str, mark: str, place: int) -> int:
    end = script.find(mark, place)
    if end < 0:
        raise UnreadableError(f"no closing {mark}")
    return end + 1


def _closed(script: str, place: int) -> int:
    if place >= len(script):
        raise UnreadableError("no closing quote")
    return place


def _bracket_end(script: str, place: int) -> int:
    opening = script[place]
    closing = {"(": ")", "{": "}"}[opening]
    depth = 0
    while place < len(script):
        if script[place] in "'\"\\":
            place = part_end(script, place)
            continue
        depth += (script[place] == opening) - (script[place] == closing)
        place += 1
        if depth == 0:
            return place
    raise UnreadableError(f"no closing {closing}")


class _Parser:
    """Reads the tokens of a script from left to right."""

    def __init__(self, given: Sequence[str]) -> None:
        self._tokens = given
        self._place = 0

    @property
    def token(self) -> str | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None

    def take(self) -> str:
        token = self.token
        if token is None:
            raise UnreadableError("the script ends too early")
        self._place += 1
        return token

    def expect(self, token: str) -> None:
        if self.take() != token:
            raise UnreadableError(f"expected {token!r}")

    def block(self, ends: Sequence[str]) -> Block:
        """Reads pipelines up to one of the words that end a block."""
        items: list[tuple[str, Pipeline]] = []
        joint = ";"
        while True:
            while self.token in (";", "\n"):
                self._place += 1
            if self.token is None or self.token in ends:
                return Block(tuple(items))
            if self.token in _ENDS:
                raise UnreadableError(f"unexpected {self.token!r}")
            pipeline = self._pipeline()
            if self.token == "&":
                pipeline = Pipeline(pipeline.parts, pipeline.negated, background=True)
            items.append((joint, pipeline))
            joint = self._joint(ends)

    def _joint(self, ends: Sequence[str]) -> str:
        token = self.token
        if token is None or token in ends:
            return ";"
        if token not in (";", "\n", "&", "&&", "||"):
            raise UnreadableError(f"unexpected {token!r}")
        self._place += 1
        if token in ("&&", "||"):
            while self.token == "\n":
                self._place += 1
            return token
        return ";"

    def _pipeline(self) -> Pipeline:
        negated = self.token == "!"
        if negated:
            self._place += 1
        parts = [self._command()]
        while self.token == "|":
            self._place += 1
            parts.append(self._command())
        return Pipeline(tuple(parts), negated)

    def _command(self) -> Node:
        if self._tokens[self._place + 1 : self._place + 3] == ["(", ")"]:
            return self._function()
        compound = self._COMPOUND.get(self.token or "")
        if compound is None:
            return self._simple()
        self._place += 1
        return compound(self)

    def _function(self) -> Function:
        name = self.take()
        self._place += 2
        while self.token == "\n":
            self._place += 1
        self.expect("{")
        body = self.block(("}",))
        self.expect("}")
        return Function(name, body)

    def _if(self) -> If:
        branches: list[tuple[Block | None, Block]] = []
        while True:
            condition = self.block(("then",))
            self.expect("then")
            branches.append((condition, self.block(("elif", "else", "fi"))))
            word = self.take()
            if word == "elif":
                continue
            if word == "else":
                branches.append((None, self.block(("fi",))))
                self.expect("fi")
            return If(tuple(branches))

    def _loop(self, until: bool) -> Loop:
        condition = self.block(("do",))
        return Loop(condition, self._body(), until)

    def _body(self) -> Block:
        self.expect("do")
        body = self.block(("done",))
        self.expect("done")
        return body

    def _for(self) -> For:
        variable = self.take()
        self.expect("in")
        words: list[Word] = []
        while self.token not in (";", "\n"):
            words.append(Word(self.take()))
        while self.token in (";", "\n"):
            self._place += 1
        return For(variable, tuple(words), self._body())

    def _group(self, end: str) -> Group:
        body = self.block((end,))
        self.expect(end)
        return Group(body, tuple(self._redirections()))

    def _redirections(self) -> list[Redirection]:
        found = []
        while self.token is not None and _REDIRECTION.fullmatch(self.token):
            found.append(self._redirection())
        return found

    def _redirection(self) -> Redirection:
        operator = self.take()
        return Redirection(operator.lstrip("012"), Word(self.take()), errors=operator.startswith("2"))

    def _simple(self) -> Command:
        words: list[Word] = []
        redirections: list[Redirection] = []
        while self.token is not None:
            if _REDIRECTION.fullmatch(self.token):
                redirections.append(self._redirection())
            elif self.token in _OPERATORS:
                break
            else:
                words.append(Word(self.take()))
        if not words and not redirections:
            raise UnreadableError(f"unexpected {self.token!r}")
        if (words and words[0].text in _UNREAD) or self.token == "(":
            raise UnreadableError("a case")
        return Command(tuple(words), tuple(redirections))

    _COMPOUND: ClassVar[dict[str, Callable[[_Parser], Node]]] = {
        "if": _if,
        "while": lambda self: self._loop(until=False),
        "until": lambda self: self._loop(until=True),
        "for": _for,
        "{": lambda self: self._group("}"),
        "(": lambda self: self._group(")"),
    }
