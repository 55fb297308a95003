"""Pages of the docs as something that can be run: their blocks, in order.

A block that begins with a comment that is a file's name (`# nodes.yaml`) is written to that file. A `console` block has
commands behind `$` with what they print below; a `python` block is a script, and a `text` block right after it is what
it prints. There `…` stands for anything, on a line of its own for any lines; what is not shown is not compared.
`<!-- not run: why -->` before a block leaves it out, `<!-- needs: kubectl -->` says what the page cannot do without.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

_FENCE = re.compile(r"^```(\w*)")
_FILE = re.compile(r"^# ([\w./-]+\.\w+)$")
_NEEDS = re.compile(r"<!-- needs: (.+?) -->")


@dataclass(eq=False)
class Step:
    """One thing to do: write `text` to the file `name`, or run it, which prints `printed` (None: not compared).

    `line` is that of the page on which it begins; `first` and `last` are the lines of what is printed.
    """

    kind: str
    text: str
    line: int
    name: str = ""
    printed: list[str] | None = None
    first: int = 0
    last: int = 0


@dataclass
class Page:
    """A page: what it needs, and what is to be done."""

    path: Path
    needs: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)


def read_page(path: Path) -> Page:
    """Reads a page's blocks."""
    text = path.read_text(encoding="utf-8")
    page = Page(path, _NEEDS.findall(text))
    lines = text.splitlines()
    number, left_out = 0, False
    while number < len(lines):
        fence = _FENCE.match(lines[number])
        if fence is None:
            left_out = lines[number].startswith("<!-- not run") or (left_out and not lines[number].strip())
            number += 1
            continue
        end = lines.index("```", number + 1)
        if not left_out:
            _add(page.steps, fence[1], lines[number + 1 : end], number + 1)
        number, left_out = end + 1, False
    return page


def _add(steps: list[Step], language: str, lines: list[str], line: int) -> None:
    """Adds a block to the steps; `line` is the number, from 0, of its first line."""
    file = _FILE.match(lines[0]) if lines else None
    if file:
        steps.append(Step("file", "\n".join(lines) + "\n", line, name=file[1]))
    elif language == "python":
        steps.append(Step("python", "\n".join(lines), line))
    elif language == "text" and steps and steps[-1].kind == "python" and steps[-1].printed is None:
        steps[-1].printed, steps[-1].first, steps[-1].last = lines, line, line + len(lines)
    elif language == "console":
        steps.extend(_commands(lines, line))


def _commands(lines: list[str], line: int) -> list[Step]:
    commands: list[Step] = []
    at = 0
    while at < len(lines):
        assert lines[at].startswith("$ "), f"line {line + at + 1}: expected a command after $"
        begin = at
        while lines[at].endswith("\\") or _is_open(lines[begin : at + 1]):
            at += 1
        at += 1
        below = at
        while at < len(lines) and not lines[at].startswith("$ "):
            at += 1
        text = "\n".join(lines[begin:below]).removeprefix("$ ")
        printed = lines[below:at] or None
        commands.append(Step("command", text, line + begin, "", printed, line + below, line + at))
    return commands


def _is_open(lines: list[str]) -> bool:
    """Tells whether a here-document has not ended."""
    mark = re.search(r"<<'?(\w+)'?", lines[0])
    return mark is not None and lines[-1] != mark[1]


def fits(shown: list[str], printed: list[str]) -> bool:
    """Compares what a page shows with what was printed."""
    parts = []
    for line in shown:
        if line.strip() == "…":
            parts.append(r"(?:.*\n)*")
        else:
            parts.append(r"[^\n]*".join(re.escape(part) for part in line.rstrip().split("…")) + "[ ]*\n")
    return re.fullmatch("".join(parts), "".join(f"{line.rstrip()}\n" for line in printed)) is not None
