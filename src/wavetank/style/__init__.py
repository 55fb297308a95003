"""The colours of all pages: of reports, of served clusters and of the batch operator."""

from __future__ import annotations

from functools import cache
from importlib import resources

COLOURS = "colours.css"


@cache
def colours() -> str:
    """Returns the style sheet that names the colours, on light and on dark ground."""
    return (resources.files(__package__) / COLOURS).read_text(encoding="utf-8")
