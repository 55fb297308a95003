"""What a container's command does, as far as it can be read: sleep, true, false, exit and echo, alone or in a shell."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wavetank.documents import reading as fields
from wavetank.kernel.durations import Nanoseconds, parse_duration

_BIN = re.compile(r"/(?:usr/)?bin/")
_SHELLS = frozenset({"sh", "bash", "dash", "ash"})
_TIME = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)[smhd]?|inf(?:inity)?")
# Loops, branches, pipes and background jobs: what such a script takes cannot be read off its commands.
_INVOLVED = re.compile(r"\b(?:while|until|for|if|case)\b|\||(?<!&)&(?!&)")
_SEPARATORS = ";&\n"
_SILENT = frozenset({"set", ":", "true", "cd", "export", "umask"})


@dataclass(frozen=True, slots=True)
class CommandRun:
    """A run of a command: how long it takes (None: forever), its exit code, and when it prints which lines."""

    duration: Nanoseconds | None
    exit_code: int = 0
    output: tuple[tuple[Nanoseconds, str], ...] = ()


def command_of(container: Mapping[str, Any], default: Nanoseconds | None = None) -> CommandRun:
    """Returns what a container does; one whose command tells nothing runs for `default`, None is forever."""
    words = [str(word) for field in ("command", "args") for word in container.get(field) or ()]
    run = _Run()
    if len(words) > 2 and _name(words[0]) in _SHELLS and re.fullmatch("-[eux]*c", words[1]):
        if _INVOLVED.search(words[2]):
            return CommandRun(default)
        run.do_script(words[2])
    elif words:
        run.do(words)
    else:
        return CommandRun(default)
    return run.result(default)


class _Run:
    """A run of simple commands, one after the other."""

    def __init__(self) -> None:
        self._slept: Nanoseconds | None = None  # None: no sleep that can be read
        self._endless = False
        self._unknown = False
        self._exit_code = 0
        self._output: list[tuple[Nanoseconds, str]] = []

    def do_script(self, script: str) -> None:
        """Runs the commands of a script, to its end or its `exit`."""
        try:
            commands = list(_commands(script))
        except ValueError:  # a quotation without an end
            self._unknown = True
            return
        for joined, words in commands:
            if joined == "&&" and self._exit_code:
                continue
            if words[0] == "exit":
                self._exit_code = _exit_code(words[1:], self._exit_code)
                return
            self.do(words)

    def do(self, words: Sequence[str]) -> None:
        """Runs a simple command."""
        name = _name(words[0])
        self._exit_code = int(name == "false")
        if name == "exec" and len(words) > 1:
            self.do(words[1:])
        elif name == "sleep":
            self._sleep(words[1:])
        elif name == "echo":
            self._echo(words[1:])
        elif name not in _SILENT and name != "false":
            self._unknown = True

    def result(self, default: Nanoseconds | None) -> CommandRun:
        """Returns what was run; commands that are not known take no time beside a sleep."""
        if self._endless:
            return CommandRun(None, 0, tuple(self._output))
        slept = default if self._unknown and self._slept is None else self._slept or 0
        return CommandRun(slept, self._exit_code, tuple(self._output))

    def _sleep(self, times: Sequence[str]) -> None:
        if not times or not all(_TIME.fullmatch(time) for time in times):
            self._unknown = True
            return
        if any(time.startswith("inf") for time in times):
            self._endless = True
            return
        self._slept = (self._slept or 0) + sum(parse_duration(time) for time in times)
        self._endless = self._slept > fields.LONGEST  # `sleep 9999999999` is meant as forever

    def _echo(self, words: Sequence[str]) -> None:
        if not any(word.startswith((">", "1>", "2>")) for word in words):
            text = " ".join(word for word in words if word not in ("-n", "-e"))
            self._output += ((self._slept or 0, line) for line in text.split("\n"))


def _commands(script: str) -> Iterator[tuple[str, list[str]]]:
    """Yields the simple commands of a script, each with the separator before it."""
    lexer = shlex.shlex(script, posix=True, punctuation_chars=_SEPARATORS)
    lexer.whitespace, lexer.whitespace_split = " \t\r", True
    joined, words = ";", list[str]()
    for token in lexer:
        if set(token) <= set(_SEPARATORS):
            if words:
                yield joined, words
            joined, words = token, []
        else:
            words.append(token)
    if words:
        yield joined, words


def _name(word: str) -> str:
    return _BIN.sub("", word, count=1) if word.startswith("/") else word


def _exit_code(words: Sequence[str], last: int) -> int:
    return int(words[0]) % 256 if words and words[0].isdecimal() else last
