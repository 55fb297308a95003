"""The programs of this shell: each takes its arguments and its input, prints, and returns its exit code."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from wavetank.kernel.durations import parse_duration
from wavetank.nodes.shell.expansion import arithmetic
from wavetank.nodes.shell.session import Session
from wavetank.nodes.shell.syntax import UnreadableError

_TIME = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)[smhd]?")
_ESCAPES = {r"\n": "\n", r"\t": "\t", r"\r": "\r", r"\\": "\\"}
_FORMAT = re.compile(r"%([sdiq%])")

SPECIAL = frozenset("?#@*$!0123456789")  # variables that are not part of the environment

# Of the session, the arguments, the input, and what prints; returns the exit code.
Program = Callable[[Session, Sequence[str], str, Callable[[str], None]], int]


class EndlessError(Exception):
    """A script never ends by itself."""


def echo(_: Session, words: Sequence[str], __: str, out: Callable[[str], None]) -> int:
    """Prints its arguments."""
    end, escapes = "\n", False
    while words and re.fullmatch("-[neE]+", words[0]):
        end = "" if "n" in words[0] else end
        escapes = escapes or "e" in words[0]
        words = words[1:]
    text = " ".join(words)
    out((_unescaped(text) if escapes else text) + end)
    return 0


def printf(_: Session, words: Sequence[str], __: str, out: Callable[[str], None]) -> int:
    """Prints by a format; of conversions it knows %s, %d and %%."""
    if not words:
        return 1
    given = iter(words[1:])
    form = _unescaped(words[0])
    if "%" in _FORMAT.sub("", form):
        raise UnreadableError("printf")
    out(_FORMAT.sub(lambda match: "%" if match[1] == "%" else next(given, ""), form))
    return 0


def sleep(session: Session, words: Sequence[str], _: str, __: Callable[[str], None]) -> int:
    """Waits."""
    if any(word.startswith("inf") for word in words):
        raise EndlessError
    if not words or not all(_TIME.fullmatch(word) for word in words):
        session.unknown += 1
        return 0
    session.slept = True
    session.time += sum(parse_duration(word) for word in words)
    return 0


def cat(session: Session, words: Sequence[str], given: str, out: Callable[[str], None]) -> int:
    """Prints files, or its input."""
    names = [word for word in words if not word.startswith("-")]
    if not names:
        out(given)
    status = 0
    for name in names:
        content = session.files.read(name)
        if content is None:
            out(f"cat: can't open '{name}': No such file or directory\n")
            status = 1
        else:
            out(content)
    return status


def touch(session: Session, words: Sequence[str], _: str, __: Callable[[str], None]) -> int:
    """Makes files."""
    for word in words:
        if not word.startswith("-"):
            session.write(word, session.files.read(word) or "")
    return 0


def remove(session: Session, words: Sequence[str], _: str, __: Callable[[str], None]) -> int:
    """Removes files."""
    forced = any("f" in word for word in words if word.startswith("-"))
    status = 0
    for word in (word for word in words if not word.startswith("-")):
        if session.files.read(word) is not None:
            session.write(word, None)
        elif not forced:
            status = 1
    return status


def test(session: Session, words: Sequence[str], _: str, __: Callable[[str], None]) -> int:
    """Tests files, strings and numbers."""
    given = [word for word in words if word not in ("]", "]]")]
    return int(not _holds(session, given))


def _holds(session: Session, words: Sequence[str]) -> bool:
    for joint, combine in (("-o", any), ("||", any), ("-a", all), ("&&", all)):
        if joint in words:
            place = words.index(joint)
            return combine((_holds(session, words[:place]), _holds(session, words[place + 1 :])))
    if words and words[0] == "!":
        return not _holds(session, words[1:])
    if len(words) == 1:
        return bool(words[0])
    if len(words) == 2:
        return _unary(session, *words)
    if len(words) == 3:
        return _compares(*words)
    if not words:
        return False
    raise UnreadableError(f"test {' '.join(words)}")


def _unary(session: Session, operator: str, word: str) -> bool:
    if operator == "-n":
        return bool(word)
    if operator == "-z":
        return not word
    content = session.files.read(word)
    if operator == "-s":
        return bool(content)
    if operator == "-d":
        return session.files.has_directory(word)
    if operator == "-e":
        return content is not None or session.files.has_directory(word)
    if operator in ("-f", "-r", "-w"):
        return content is not None
    raise UnreadableError(f"test {operator}")


_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}


def _compares(left: str, operator: str, right: str) -> bool:
    if operator in ("=", "=="):
        return left == right
    if operator == "!=":
        return left != right
    if operator in _NUMBERS and re.fullmatch(r"-?\d+", left) and re.fullmatch(r"-?\d+", right):
        return _NUMBERS[operator](int(left), int(right))
    raise UnreadableError(f"test {operator}")


def expr(_: Session, words: Sequence[str], __: str, out: Callable[[str], None]) -> int:
    """Prints the value of an expression."""
    value = arithmetic(" ".join(words).replace(" = ", " == "), {})
    out(f"{value}\n")
    return int(value == 0)


def seq(_: Session, words: Sequence[str], __: str, out: Callable[[str], None]) -> int:
    """Prints numbers."""
    if not 1 <= len(words) <= 3 or not all(re.fullmatch(r"-?\d{1,9}", word) for word in words):
        raise UnreadableError("seq")
    numbers = [int(word) for word in words]
    first = numbers[0] if len(numbers) > 1 else 1
    step = numbers[1] if len(numbers) == 3 else 1
    last = numbers[-1]
    if step == 0 or (last - first) // step > 10_000:
        raise UnreadableError("seq")
    out("".join(f"{number}\n" for number in range(first, last + (1 if step > 0 else -1), step)))
    return 0


def env(session: Session, words: Sequence[str], _: str, out: Callable[[str], None]) -> int:
    """Prints the environment."""
    if words:
        raise UnreadableError("env")
    out("".join(f"{name}={value}\n" for name, value in session.variables.items() if name not in SPECIAL))
    return 0


def hostname(session: Session, _: Sequence[str], __: str, out: Callable[[str], None]) -> int:
    """Prints the pod's name."""
    out(f"{session.variables.get('HOSTNAME') or ''}\n")
    return 0


def wait(session: Session, _: Sequence[str], __: str, ___: Callable[[str], None]) -> int:
    """Waits for background commands."""
    session.time = max(session.time, session.background)
    return 0


def export(session: Session, words: Sequence[str], _: str, __: Callable[[str], None]) -> int:
    """Sets variables."""
    for word in words:
        name, equals, value = word.partition("=")
        if equals:
            session.variables[name] = value
    return 0


def trap(session: Session, words: Sequence[str], _: str, __: Callable[[str], None]) -> int:
    """Handles signals."""
    session.traps = session.traps or bool(words)
    return 0


def follow(_: Session, words: Sequence[str], __: str, ___: Callable[[str], None]) -> int:
    """Follows a file for ever."""
    if any(word.startswith("-f") or word == "-F" for word in words):
        raise EndlessError
    raise UnreadableError("tail")


def _input(session: Session, names: Sequence[str], given: str) -> str:
    """Returns the content of the named files, or the input if none is named."""
    return "".join(session.files.read(name) or "" for name in names) if names else given


def wc(session: Session, words: Sequence[str], given: str, out: Callable[[str], None]) -> int:
    """Counts lines."""
    if not words or words[0] != "-l":
        raise UnreadableError("wc")
    number = _input(session, words[1:], given).count("\n")
    out(f"{number} {' '.join(words[1:])}".rstrip() + "\n")
    return 0


def awk(session: Session, words: Sequence[str], given: str, out: Callable[[str], None]) -> int:
    """Prints a column: of awk it knows `{print $2}`."""
    program = re.fullmatch(r"\s*\{\s*print \$(\d)\s*;?\s*\}\s*", words[0] if words else "")
    if program is None:
        raise UnreadableError("awk")
    column = int(program[1])
    for line in _input(session, words[1:], given).splitlines():
        fields = [line, *line.split()]
        out((fields[column] if column < len(fields) else "") + "\n")
    return 0


def grep(session: Session, words: Sequence[str], given: str, out: Callable[[str], None]) -> int:
    """Prints the lines that contain a word; `-q` prints none."""
    quiet = "-q" in words
    names = [word for word in words if word != "-q"]
    if not names or names[0].startswith("-") or re.search(r"[\\.*\[\]^$+?(){}|]", names[0]):
        raise UnreadableError("grep")
    found = [line for line in _input(session, names[1:], given).splitlines() if names[0] in line]
    if not quiet:
        out("".join(f"{line}\n" for line in found))
    return int(not found)


def nothing(_: Session, __: Sequence[str], ___: str, ____: Callable[[str], None]) -> int:
    """Does nothing."""
    return 0


def fail(_: Session, __: Sequence[str], ___: str, ____: Callable[[str], None]) -> int:
    """Fails."""
    return 1


def _unescaped(text: str) -> str:
    return re.sub(r"\\[ntr\\]", lambda match: _ESCAPES[match[0]], text)


PROGRAMS: dict[str, Program] = {
    "echo": echo,
    "printf": printf,
    "sleep": sleep,
    "cat": cat,
    "touch": touch,
    "rm": remove,
    "test": test,
    "[": test,
    "[[": test,
    "expr": expr,
    "seq": seq,
    "env": env,
    "printenv": env,
    "hostname": hostname,
    "wait": wait,
    "export": export,
    "trap": trap,
    "tail": follow,
    "wc": wc,
    "awk": awk,
    "grep": grep,
    "false": fail,
    **dict.fromkeys(("true", ":", "set", "cd", "umask", "mkdir", "chmod", "chown", "sync", "date", "ls"), nothing),
}
