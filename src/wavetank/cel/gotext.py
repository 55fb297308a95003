"""Numbers, quoted strings and regular expressions as Go writes and reads them."""

from __future__ import annotations

import re
from functools import lru_cache

_LARGEST_PLAIN = 1e21  # from here on Go writes an exponent
_SMALLEST_PLAIN = 1e-4
_CLASSES = {
    "[:alnum:]": "0-9A-Za-z",
    "[:alpha:]": "A-Za-z",
    "[:digit:]": "0-9",
    "[:lower:]": "a-z",
    "[:upper:]": "A-Z",
    "[:space:]": r"\t\n\v\f\r ",
    "[:punct:]": r"!-/:-@\[-`{-~",
    "[:xdigit:]": "0-9A-Fa-f",
    "[:word:]": "0-9A-Za-z_",
}


def go_number(value: float) -> str:
    """Writes a number as Go's %v does."""
    if isinstance(value, int):
        return str(value)
    if value.is_integer() and abs(value) < _LARGEST_PLAIN:
        return "-0" if value == 0 and str(value).startswith("-") else str(int(value))
    text = repr(value)
    mantissa, exponent, power = text.partition("e")
    if not exponent:
        return text
    if _SMALLEST_PLAIN <= abs(value) < _LARGEST_PLAIN:
        return f"{value:.17f}".rstrip("0")
    return f"{mantissa.removesuffix('.0')}e{'-' if int(power) < 0 else '+'}{abs(int(power)):02d}"


class PatternError(ValueError):
    """A pattern that Go would not compile, or that cannot be translated."""


@lru_cache(maxsize=1024)
def go_pattern(text: str) -> re.Pattern[str]:
    """Compiles a pattern of Go's language; raises a PatternError with the reason."""
    try:
        return re.compile(_translate(text), re.ASCII)
    except re.error as error:
        raise PatternError(f"error parsing regexp: {_reason(error, text)}") from None
    except (OverflowError, RecursionError):
        raise PatternError(f"error parsing regexp: expression nests too deeply: `{text}`") from None


def _reason(error: re.error, text: str) -> str:
    """Returns in Go's words what is wrong with a pattern."""
    message = error.msg
    if message.startswith("missing ),"):
        return f"missing closing ): `{text}`"
    if message.startswith("unterminated character set"):
        return f"missing closing ]: `{text[text.rindex('[') :]}`"
    if message.startswith("unbalanced parenthesis"):
        return f"unexpected ): `{text}`"
    if message.startswith("nothing to repeat"):
        place = next(i for i, char in enumerate(text) if char in "*+?{")
        return f"missing argument to repetition operator: `{text[place]}`"
    if message.startswith("bad character range"):
        return f"invalid character class range: `{message.removeprefix('bad character range ')}`"
    if message.startswith("bad escape"):
        return f"invalid escape sequence: `{message.removeprefix('bad escape ').split()[0]}`"
    return f"{message}: `{text}`"


def _translate(text: str) -> str:
    _refuse_perl(text)
    out, i, in_class, scope = [], 0, False, _FlagScopes()
    while i < len(text):
        char = text[i]
        if char == "\\" and i + 1 < len(text):
            out.append(_escape(text[i + 1]))
            i += 2
            continue
        if in_class and text.startswith("[:", i) and (named := _named_class(text, i)):
            out.append(_CLASSES[named])
            i += len(named)
            continue
        if char == "[" and in_class:
            out.append(r"\[")
        elif char == "[":
            in_class = True
            start = "[^" if text.startswith("[^", i) else "["
            out.append(start)
            i += len(start)
            if text.startswith("]", i):  # a bracket that comes first is an ordinary one
                out.append(r"\]")
                i += 1
            continue
        elif char == "$" and not in_class:
            out.append(r"\Z")
        elif not in_class and (flags := _FLAGS.match(text, i)):
            out.append(scope.begin(flags[1]))
            i = flags.end()
            continue
        elif not in_class and char in "(|)":
            out.append(scope.pass_on(char))
        else:
            in_class = in_class and char != "]"
            out.append(char)
        i += 1
    return "".join(out) + scope.end()


_FLAGS = re.compile(r"\(\?([ims]*(?:-[ims]+)?)\)")


class _FlagScopes:
    """Flags such as (?i) hold up to the end of their group, where Python allows them at the start of a pattern only."""

    def __init__(self) -> None:
        self._groups: list[list[str]] = [[]]  # the open groups, and the flags that were set in each

    def begin(self, flags: str) -> str:
        self._groups[-1].append(flags)
        return f"(?{flags}:"

    def pass_on(self, char: str) -> str:
        """Returns a bracket or bar, with what it ends and begins again."""
        if char == "(":
            self._groups.append([])
            return char
        flags = self._groups[-1]
        if char == "|":
            return ")" * len(flags) + "|" + "".join(f"(?{each}:" for each in flags)
        if len(self._groups) > 1:
            self._groups.pop()
            return ")" * len(flags) + char
        return char

    def end(self) -> str:
        return ")" * len(self._groups[0])


def _refuse_perl(text: str) -> None:
    """Rejects what Python has and Go has not: lookarounds, and repeated repetitions."""
    plain = re.sub(r"\\.|\[\^?\]?(?:[^\]\\]|\\.)*\]", "x", text)
    if found := re.search(r"\(\?(?:<?[=!]|#|\(|>)", plain):
        raise PatternError(f"error parsing regexp: invalid or unsupported Perl syntax: `{found.group()}`")
    if found := re.search(r"(?:[*+?]|\{\d+(?:,\d*)?\})[*+]", plain):
        raise PatternError(f"error parsing regexp: invalid nested repetition operator: `{found.group()}`")


def _escape(char: str) -> str:
    if char.isdigit() and char != "0":
        raise PatternError(f"error parsing regexp: invalid escape sequence: `\\{char}`")
    if char == "z":
        return r"\Z"
    if char in "pPQECZ":
        raise PatternError(f"\\{char} is not supported in patterns")
    return "\\" + char


def _named_class(text: str, at: int) -> str | None:
    return next((name for name in _CLASSES if text.startswith(name, at)), None)


def quote(text: str) -> str:
    """Quotes a string as Go does."""
    return '"' + "".join(_ESCAPES.get(char) or _printable(char) for char in text) + '"'


_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\n": "\\n",
    "\t": "\\t",
    "\r": "\\r",
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\v": "\\v",
}


def _printable(char: str) -> str:
    if char.isprintable():
        return char
    code = ord(char)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
