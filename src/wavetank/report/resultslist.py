"""A list of results, for the terminal and as a page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from os.path import relpath
from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from wavetank.report.page.pagefile import fill_page, write_page
from wavetank.report.page.parts import SCRIPTS, STYLES, items, scrolling, section
from wavetank.results.layout import REPORT
from wavetank.results.read.listing import ListedResults

_HEADING = ("Folder", "Kind", "Written (UTC)", "Schedulers", "Runs", "Nodes", "Pods", "Warnings")
_TEXTS = 4  # columns of words; the others are numbers
_UNBROKEN = (1, 2)  # the kind and the date stay on one line
_MOST_NAMES = 3


def results_table(listed: Sequence[ListedResults]) -> Table:
    """Returns a row per results folder."""
    table = Table(box=box.SIMPLE_HEAD)
    table.pad_edge, table.collapse_padding = False, True
    for i, text in enumerate(_HEADING):
        table.add_column(Text(text), justify="left" if i < _TEXTS else "right", overflow="fold")
    for each in listed:
        table.add_row(*map(Text, (str(each.path), *_cells(each))))
    return table


def write_results_page(listed: Sequence[ListedResults], folder: Path, path: Path) -> Path:
    """Writes a page that links the reports of all results, and returns its path."""
    head = "".join(f"<th{_side(i)}>{escape(text)}</th>" for i, text in enumerate(_HEADING))
    rows = "".join(f"<tr>{_page_cells(each, path)}</tr>" for each in listed)
    table = f'<table class="numbers"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    body = section(
        "results",
        "Results",
        "The newest first; a name opens the report.",
        scrolling(table),
    )
    slots = {"facts": items([str(folder), f"{len(listed)} results"]), "warnings": "", "body": body}
    page = fill_page("planning/template.html", f"Results in {folder.name or folder}", STYLES, SCRIPTS, {}, slots)
    return write_page(path, page)


def _cells(each: ListedResults) -> tuple[str, ...]:
    names = ", ".join(each.schedulers[:_MOST_NAMES]) + (", …" if len(each.schedulers) > _MOST_NAMES else "")
    pods = "–" if each.pods is None else f"{each.pods:,}"
    written = each.written.strftime("%Y-%m-%d %H:%M")
    return each.kind, written, each.note or names, f"{each.runs:,}", f"{each.nodes:,}", pods, str(each.warnings or "")


def _page_cells(each: ListedResults, page: Path) -> str:
    link = escape(relpath(each.path / REPORT, page.parent).replace("\\", "/"), quote=True)
    first = f'<td class="words"><a href="{link}">{escape(each.name)}</a> <small>{escape(str(each.path))}</small></td>'
    return first + "".join(f"<td{_side(i)}>{escape(text)}</td>" for i, text in enumerate(_cells(each), 1))


def _side(column: int) -> str:
    if column in _UNBROKEN:
        return ' class="words short"'
    return ' class="words"' if column < _TEXTS else ""
