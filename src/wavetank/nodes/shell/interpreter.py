from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence

from wavetank.nodes.shell import syntax
from wavetank.nodes.shell.expansion import Expander
from wavetank.nodes.shell.programs import PROGRAMS, EndlessError
from wavetank.nodes.shell.session import LONGEST_OUTPUT, Session
from wavetank.nodes.shell.syntax import (
    Block,
    Command,
    For,
    Function,
    Group,
    If,
    Loop,
    Node,
    Pipeline,
    Redirection,
    UnreadableError,
)

_MOST_STEPS = 5_000  # commands; a script with more is taken for one that never ends
_BIN = re.compile(r"/(?:usr/)?s?bin/")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_SHELLS = frozenset({"sh", "bash", "dash", "ash"})
_DEVICES = ("/dev/stdout", "/dev/stderr", "/dev/null", "/dev/tty")

Print = Callable[[str], None]


class _ExitError(Exception):
    """The script exits."""


class _BreakError(Exception):
    """The innermost loop ends, or its round does if `goes_on`."""

    def __init__(self, goes_on: bool) -> None:
        super().__init__()
        self.goes_on = goes_on


class Interpreter:
    """Runs scripts in a session: its time goes on with each `sleep`, nothing else takes any.

    Programs that are not simulated succeed and print nothing; if the script depends on one, it is unreadable.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._functions: dict[str, Block] = {}
        self._steps = 0

    def run(self, script: str) -> int:
        """Runs a script to its end and returns its exit code; raises EndlessError, or UnreadableError."""
        with contextlib.suppress(_ExitError, _BreakError):
            self._block(syntax.parse(script), "", self._print)
        return self._session.status

    def run_words(self, words: Sequence[str]) -> int:
        """Runs one command, as a container without a shell does."""
        try:
            return self._program(words, "", self._print)
        except _ExitError:
            return self._session.status

    def _print(self, text: str) -> None:
        if text:
            self._session.printed.append((self._session.time, text[:LONGEST_OUTPUT]))

    # blocks

    def _block(self, block: Block, given: str, out: Print) -> int:
        status = 0
        for place, (joint, pipeline) in enumerate(block.items):
            if (joint == "&&" and self._session.status) or (joint == "||" and not self._session.status):
                continue
            decides = place + 1 < len(block.items) and block.items[place + 1][0] != ";"
            status = self._session.status = self._pipeline(pipeline, given, out, decides)
        return status

    def _pipeline(self, pipeline: Pipeline, given: str, out: Print, decides: bool) -> int:
        if pipeline.background:
            return self._in_background(pipeline, out)
        before = self._session.unknown
        for part in pipeline.parts[:-1]:
            printed: list[str] = []
            self._node(part, given, printed.append)
            given = "".join(printed)
        status = self._node(pipeline.parts[-1], given, out)
        if self._session.unknown > before and (decides or len(pipeline.parts) > 1):
            raise UnreadableError("a program that is not simulated")
        return int(not status) if pipeline.negated else status

    def _in_background(self, pipeline: Pipeline, out: Print) -> int:
        session = self._session
        begun = session.time
        with contextlib.suppress(_ExitError):
            self._pipeline(Pipeline(pipeline.parts), "", out, False)
        session.background, session.time = max(session.background, session.time), begun
        return 0

    def _node(self, node: Node, given: str, out: Print) -> int:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise EndlessError
        if isinstance(node, Command):
            return self._command(node, given, out)
        if isinstance(node, Group):
            return self._redirected(node.redirections, given, out, lambda text, to: self._block(node.body, text, to))
        if isinstance(node, If):
            return self._if(node, out)
        if isinstance(node, Function):
            self._functions[node.name] = node.body
            return 0
        return self._for(node, out) if isinstance(node, For) else self._loop(node, out)

    def _if(self, node: If, out: Print) -> int:
        for condition, body in node.branches:
            if condition is None or self._decide(condition, out):
                return self._block(body, "", out)
        return 0

    def _decide(self, condition: Block, out: Print) -> bool:
        before = self._session.unknown
        status = self._block(condition, "", out)
        if self._session.unknown > before:
            raise UnreadableError("a condition that is not simulated")
        return status == 0

    def _loop(self, node: Loop, out: Print) -> int:
        while self._decide(node.condition, out) is not node.until:
            try:
                self._block(node.body, "", out)
            except _BreakError as broken:
                if not broken.goes_on:
                    break
        return 0

    def _for(self, node: For, out: Print) -> int:
        for word in [each for given in node.words for each in self._expander().words(given.text)]:
            self._session.variables[node.variable] = word
            try:
                self._block(node.body, "", out)
            except _BreakError as broken:
                if not broken.goes_on:
                    break
        return self._session.status

    # commands

    def _expander(self) -> Expander:
        variables = self._session.variables
        variables["?"] = str(self._session.status)
        return Expander(variables, self._captured)

    def _captured(self, script: str) -> str:
        """Returns what a script prints."""
        printed: list[str] = []
        before = self._session.unknown
        with contextlib.suppress(_ExitError):
            self._block(syntax.parse(script), "", printed.append)
        if self._session.unknown > before:
            raise UnreadableError("the output of a program that is not simulated")
        return "".join(printed).rstrip("\n")

    def _command(self, node: Command, given: str, out: Print) -> int:
        expander = self._expander()
        texts = [each.text for each in node.words]
        while texts and (assigned := _ASSIGNMENT.fullmatch(texts[0])):
            self._session.variables[assigned[1]] = expander.text(assigned[2])
            del texts[0]
        words = [word for text in texts for word in expander.words(text)]
        if not words:
            return self._redirected(node.redirections, given, out, lambda _, __: 0)
        return self._redirected(node.redirections, given, out, lambda text, to: self._program(words, text, to))

    def _redirected(
        self, redirections: Sequence[Redirection], given: str, out: Print, run: Callable[[str, Print], int]
    ) -> int:
        for each in redirections:
            target = self._expander().text(each.target.text)
            if each.operator == "<":
                given = self._session.files.read(target) or ""
            elif target in ("1", "2", "&1", "&2", *_DEVICES) or each.errors:
                out = _discard if target == "/dev/null" and not each.errors else out
            else:
                out = self._opened(target, append=each.operator == ">>")
        return run(given, out)

    def _opened(self, path: str, append: bool) -> Print:
        session = self._session
        session.write(path, (session.files.read(path) or "") if append else "")
        return lambda text: session.write(path, (session.files.read(path) or "") + text)

    def _program(self, words: Sequence[str], given: str, out: Print) -> int:
        name = _BIN.sub("", words[0], count=1) if words[0].startswith("/") else words[0]
        if name == "exit":
            if len(words) > 1 and words[1].isdecimal():
                self._session.status = int(words[1]) % 256
            raise _ExitError
        if name in ("break", "continue"):
            raise _BreakError(goes_on=name == "continue")
        if name == "exec" and len(words) > 1:
            self._session.status = self._program(words[1:], given, out)
            raise _ExitError
        if name in ("nohup", "time") and len(words) > 1:
            return self._program(words[1:], given, out)
        if name in _SHELLS and len(words) > 2 and re.fullmatch("-[elux]*c", words[1]):
            return self._block(syntax.parse(words[2]), given, out)
        if name in self._functions:
            return self._block(self._functions[name], given, out)
        program = PROGRAMS.get(name)
        if program is None:
            self._session.unknown += 1
            return 0
        return program(self._session, words[1:], given, out)


def _discard(_: str) -> None:
    return
