"""Regular expressions of Go's language: RE2, which takes linear time for any pattern and text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Protocol, cast

import re2

from wavetank.textcache import cached_text

# What is wrong with a pattern, in RE2's words and in Go's.
_REASONS = {
    "missing )": "missing closing )",
    "missing ]": "missing closing ]",
    "bad repetition operator": "invalid nested repetition operator",
    "no argument for repetition operator": "missing argument to repetition operator",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid repetition size": "invalid repeat count",
    "invalid named capture group": "invalid named capture",
}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_REPEAT = re.compile(r"\{([0-9]{1,4})(?:,([0-9]{0,4}))?\}|\?")

# Nothing else runs while a pattern is compiled, so it may take some 50 ms and not, as one of 3 MB, a minute.
_LONGEST = 64 * 1024  # characters
_MOST_REPEATED = 5_000  # the sum of how often its parts are repeated: a? and a{1,30} take quadratic time
_MOST_CLASSES = 100  # such as \pL, each of which has hundreds of ranges


class PatternError(ValueError):
    """A pattern that Go would not compile."""


class Match(Protocol):
    """A place where a pattern was found."""

    def group(self) -> str:
        """Returns the text there."""


class Pattern(Protocol):
    """A compiled pattern."""

    def search(self, text: str) -> Match | None:
        """Returns the first match."""

    def finditer(self, text: str) -> Iterator[Match]:
        """Yields all matches."""


def _weight(pattern: Any) -> int:
    """Returns the size of its program: a pattern of twenty characters may take megabytes."""
    return int(pattern.programsize)


@cached_text(64, long=4_000_000, weigh=_weight)  # the largest one too: each value of a field asks for it
def go_pattern(text: str) -> Pattern:
    """Compiles a pattern of Go's language; raises a PatternError with the reason.

    Patterns that would take long to compile are refused as too large, as Go refuses those a hundred times as large.
    """
    if _is_large(text):
        raise PatternError(f"error parsing regexp: expression too large: `{text}`")
    for escape in _ESCAPE.finditer(text):
        if escape[1] == "C":  # which RE2 has and Go has not
            raise PatternError("error parsing regexp: invalid escape sequence: `\\C`")
    try:
        return cast(Pattern, re2.compile(text, _options()))
    except re2.error as error:
        raise PatternError(f"error parsing regexp: {_reason(error, text)}") from None
    finally:
        re2.purge()  # it keeps the last 128 itself, however long they are


def _is_large(text: str) -> bool:
    if len(text) > _LONGEST or text.count("\\p") + text.count("\\P") > _MOST_CLASSES:
        return True
    return sum(int(found[2] or found[1] or 1) for found in _REPEAT.finditer(text)) > _MOST_REPEATED


def _options() -> Any:
    options = re2.Options()
    options.log_errors = False
    return options


def _reason(error: Exception, text: str) -> str:
    message = error.args[0].decode("utf-8", "replace") if error.args else ""
    if message.startswith("trailing"):
        return "trailing backslash at end of expression: ``"
    if message.startswith("pattern too large"):
        return f"expression too large: `{text}`"
    kind, _, part = message.partition(": ")
    return f"{_REASONS.get(kind, kind)}: `{part}`"
