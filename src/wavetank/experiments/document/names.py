from __future__ import annotations

import re

from wavetank.errors import InputError

_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")


def read_name(value: object, path: str) -> str:
    """Reads a name that may stand for a folder: letters, digits, dots, dashes and underscores."""
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        expected = "expected a name of letters, digits, '.', '-' and '_' that begins and ends with a letter or digit"
        raise InputError(f"{expected}, got {value!r:.60}", path=path)
    return value


def make_name(text: str) -> str:
    """Makes such a name of any text, with dashes for what may not be in it."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text)[:100].strip("._-") or "unnamed"
