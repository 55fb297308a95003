"""What a container's command does, as far as it can be read: simple programs, alone or in a shell script."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from wavetank.documents import reading as fields
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.shell.interpreter import Interpreter
from wavetank.nodes.shell.programs import EndlessError
from wavetank.nodes.shell.session import Files, MemoryFiles, Session, Variables
from wavetank.nodes.shell.syntax import UnreadableError
from wavetank.textcache import cached_texts

MESSAGE_FILE = "/dev/termination-log"

_SHELL = re.compile(r"(?:/(?:usr/)?bin/)?(?:ba|da|a)?sh")
_REFERENCE = re.compile(r"\$\$|\$\(([^()]+)\)")
_MESSAGE_LINES = 80
_LINE_WEIGHT = 100  # bytes, besides its characters


@dataclass(frozen=True, slots=True)
class CommandRun:
    """A run of a command: how long it takes (None: forever), its exit code, and when it prints which lines.

    `message` is what it leaves in its termination message file, `changes` when which file appears (True) or vanishes. A
    command that does not `heed` SIGTERM, such as a shell or sleep as the first process of a container, runs on until it
    is killed. One that only runs simple programs `serves` nothing: no port is open.
    """

    duration: Nanoseconds | None
    exit_code: int = 0
    output: tuple[tuple[Nanoseconds, str], ...] = ()
    message: str = ""
    changes: tuple[tuple[Nanoseconds, str, bool], ...] = ()
    heeds: bool = True
    serves: bool = True

    def message_of(self, exit_code: int, policy: str) -> str:
        """Returns the termination message by the container's policy: after an error it may be the last output."""
        if self.message or not exit_code or policy != "FallbackToLogsOnError":
            return self.message
        return "\n".join(line for _, line in self.output[-_MESSAGE_LINES:])


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a container finds when it starts: its environment, the files of its volumes, a seed for `$RANDOM`."""

    variables: tuple[tuple[str, str], ...] = ()
    files: Files | None = None
    seed: int = 0


_BARE = Surroundings()


def command_of(
    container: Mapping[str, Any], default: Nanoseconds | None = None, surroundings: Surroundings = _BARE
) -> CommandRun:
    """Returns what a container does; one whose command tells nothing runs for `default`, None is forever."""
    words = tuple(str(word) for field in ("command", "args") for word in container.get(field) or ())
    if not words:
        return _unknown(default)
    path = str(container.get("terminationMessagePath") or MESSAGE_FILE)
    if surroundings.files is None:
        return _cached(words, default, path, surroundings.variables, surroundings.seed)
    return _run(words, default, path, surroundings)


@lru_cache
def _unknown(duration: Nanoseconds | None) -> CommandRun:
    return CommandRun(duration)


def _weight(run: CommandRun) -> int:
    """Returns the size of what it prints: a short script may print a million lines."""
    return sum(len(line) + _LINE_WEIGHT for _, line in run.output) + len(run.message) + len(run.changes) * _LINE_WEIGHT


@cached_texts(4096, long=1_000_000, weigh=_weight)
def _cached(
    words: tuple[str, ...],
    default: Nanoseconds | None,
    path: str,
    variables: tuple[tuple[str, str], ...],
    seed: int,
) -> CommandRun:
    return _run(words, default, path, Surroundings(variables, MemoryFiles(), seed))


def _run(words: Sequence[str], default: Nanoseconds | None, path: str, surroundings: Surroundings) -> CommandRun:
    variables = Variables(dict(surroundings.variables), surroundings.seed)
    files = surroundings.files or MemoryFiles()
    words = [_expanded(word, variables) for word in words]
    session = Session(variables, files)
    try:
        exit_code = _execute(words, session)
    except UnreadableError:
        return CommandRun(default, heeds=not _SHELL.fullmatch(words[0]))
    except EndlessError:
        return _ended(session, None, 0, path)
    if session.time > fields.LONGEST:  # `sleep 9999999999` is meant as forever
        return _ended(session, None, 0, path)
    duration = default if session.unknown and not session.slept else session.time
    return _ended(session, duration, exit_code, path)


def _execute(words: Sequence[str], session: Session) -> int:
    interpreter = Interpreter(session)
    if len(words) > 2 and _SHELL.fullmatch(words[0]) and re.fullmatch("-[elux]*c", words[1]):
        session.variables.update({str(place): word for place, word in enumerate(words[3:])})
        return interpreter.run(words[2])
    return interpreter.run_words(words)


def _expanded(word: str, variables: Mapping[str, str]) -> str:
    """Returns a word with the references `$(NAME)` that a kubelet expands; unknown ones stay."""
    if "$" not in word:
        return word
    return _REFERENCE.sub(lambda match: variables.get(match[1], match[0]) if match[1] else "$", word)


def _ended(session: Session, duration: Nanoseconds | None, exit_code: int, path: str) -> CommandRun:
    unheeding = duration is None or session.slept
    heeds = session.traps or not unheeding or (session.unknown > 0 and not session.slept)
    output, message = tuple(_lines(session.printed)), session.files.read(path) or ""
    return CommandRun(duration, exit_code, output, message, tuple(session.changes), heeds, session.unknown > 0)


def _lines(printed: Sequence[tuple[Nanoseconds, str]]) -> Iterator[tuple[Nanoseconds, str]]:
    """Yields the lines of an output with their times; what has no end yet is the last one."""
    begun, line = 0, ""
    for time, text in printed:
        for piece in text.splitlines(keepends=True):
            begun = begun if line else time
            line += piece
            if line.endswith("\n"):
                yield begun, line[:-1]
                line = ""
    if line:
        yield begun, line
