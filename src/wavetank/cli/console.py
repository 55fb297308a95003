"""Where the commands print."""

from __future__ import annotations

import json
from collections.abc import Sequence
from textwrap import fill
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from wavetank.cli.outputoptions import settings
from wavetank.words import printable


class _SafeConsole(Console):
    """A console that shows control characters instead of sending them: names in files are not to be trusted."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Returns a text as it is shown."""
        return super().render_str(printable(text), **options)


console = _SafeConsole(emoji=False)
errors = _SafeConsole(stderr=True, emoji=False)

_MOST_WARNINGS = 8


def print_json(document: object) -> None:
    """Prints a document as JSON."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


def print_verdict(sentences: Sequence[str]) -> None:
    """Prints the sentences of a verdict, wrapped to the terminal, and an empty line."""
    for sentence in sentences:
        console.print(
            fill(sentence, console.width, initial_indent="• ", subsequent_indent="  "),
            soft_wrap=True,
            highlight=False,
            markup=False,
        )
    console.print()


def print_warnings(warnings: Sequence[str]) -> None:
    """Prints each distinct warning on a line, the first few of many unless --verbose is given."""
    distinct = list(dict.fromkeys(warnings))
    most = len(distinct) if settings.verbose else _MOST_WARNINGS
    for warning in distinct[:most]:
        errors.print("warning:", warning, style="yellow", soft_wrap=True, highlight=False, markup=False)
    if len(distinct) > most:
        errors.print(f"… and {len(distinct) - most} more warnings in the report", style="yellow")
