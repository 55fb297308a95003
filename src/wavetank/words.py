"""Words of messages: plurals, and what a misspelt name may have meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def plural(number: int, noun: str) -> str:
    """Returns the noun for so many: `pod`, `pods`."""
    return noun if number == 1 else f"{noun}s"


def counted(number: int, noun: str) -> str:
    """Returns `1 pod`, `2,000 pods`."""
    return f"{number:,} {plural(number, noun)}"


def closest(word: str, known: Iterable[str]) -> str:
    """Returns the known word that is most like this one, "" if none is."""
    return next(iter(get_close_matches(word, list(known), 1)), "")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Returns ` (did you mean X?)` for the closest known word, "" if none is close."""
    near = closest(word, known)
    return f" (did you mean {near}?)" if near else ""


_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}


def printable(text: str) -> str:
    """Returns a text in which control characters, which a terminal would obey, are written as their codes."""
    return text.translate(_CONTROLS)
