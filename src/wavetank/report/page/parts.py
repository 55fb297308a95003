"""Parts of pages: lists, sections and tables; styles and scripts of pages that need no others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

SCRIPTS = ("js/page/dom", "js/page/theme", "js/page/downloads", "js/page/boxpicture", "planning/main")
STYLES = ("report.css", "planning/planning.css")


def items(texts: Iterable[str]) -> str:
    """Returns texts as list items."""
    return "".join(f"<li>{escape(text)}</li>" for text in texts)


def marked(text: str) -> str:
    """Returns a text with what is between backquotes as code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))


def section(name: str, title: str, lead: str, content: str) -> str:
    """Returns a section of the page."""
    head = f'<h2 id="{name}-title">{escape(title)}</h2><p class="lead">{escape(lead)}</p>'
    return f'<section id="{name}" aria-labelledby="{name}-title">{head}{content}</section>'


def rows_table(heading: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1) -> str:
    """Returns a table whose first `texts` columns are words and the others numbers."""
    head = "".join(f"<th{_side(i, texts)}>{escape(text)}</th>" for i, text in enumerate(heading))
    body = "".join(
        "<tr>" + "".join(f"<td{_side(i, texts)}>{escape(text)}</td>" for i, text in enumerate(row)) + "</tr>"
        for row in rows
    )
    table = f'<table class="numbers"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    return scrolling(table)


def scrolling(table: str) -> str:
    """Returns a table that scrolls if it is wider than the page, also by keyboard."""
    return f'<div class="scroll" tabindex="0" role="group" aria-label="Table">{table}</div>'


def drawing(name: str, label: str, svg: str) -> str:
    """Returns a picture that keeps a readable size on narrow pages and scrolls there."""
    return f'<div class="scroll drawing" id="{name}" tabindex="0" role="group" aria-label="{escape(label)}">{svg}</div>'


def _side(column: int, texts: int) -> str:
    return ' class="words"' if column < texts else ""
