"""The commands and scripts of the tutorials and how-to pages work, and print what the pages show.

`WAVETANK_UPDATE=1 pytest tests/docs` writes what was printed into the pages; look at the difference before you
commit it.
"""

from __future__ import annotations

import os

import pytest

from tests.docs.needs import NEEDS
from tests.docs.pages import Page, fits, read_page
from tests.docs.playing import check, playing
from tests.support.paths import ROOT

PAGES = sorted((*ROOT.glob("docs/tutorials/[!R]*.md"), *ROOT.glob("docs/how-to/[!R]*.md")))


@pytest.mark.parametrize("path", [pytest.param(path, id=f"{path.parent.name}/{path.stem}") for path in PAGES])
def test_a_page_works(path, tmp_path):
    page = read_page(path)
    programs = [str(NEEDS[need]()) for need in page.needs]
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    with playing(tmp_path, programs) as player:
        others = check(page.steps, player)
    if os.environ.get("WAVETANK_UPDATE"):
        rewrite(page, others)
        return
    for step, printed in others.items():
        assert "\n".join(printed) == "\n".join(step.printed), f"{path.name}, line {step.line + 1}"


def rewrite(page: Page, others) -> None:
    lines = page.path.read_text(encoding="utf-8").splitlines()
    for step, printed in reversed(others.items()):
        lines[step.first : step.last] = [line.rstrip() for line in printed]
    page.path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        (["a", "b"], ["a", "b"], True),
        (["a", "b"], ["a  ", "b"], True),
        (["a"], ["a", "b"], False),
        (["a", "…"], ["a", "b", "c"], True),
        (["…", "c"], ["a", "b", "c"], True),
        (["port …, done"], ["port 8001, done"], True),
        (["port …, done"], ["port 8001,", "done"], False),
        (["1.5"], ["1x5"], False),
    ],
)
def test_what_is_shown_is_compared_with_what_is_printed(shown, printed, same):
    assert fits(shown, printed) is same


def test_a_page_is_read_block_by_block(tmp_path):
    blocks = ["```yaml", "# a.yaml", "x: 1", "```", "```console", "$ cat <<EOF", "in", "EOF", "in", "$ false", "```"]
    more = ["<!-- not run: slow -->", "", "```console", "$ sleep 9", "```", "```python", "print(1)", "```"]
    (tmp_path / "page.md").write_text("\n".join([*blocks, *more, "```text", "1", "```", "<!-- needs: go -->", ""]))
    page = read_page(tmp_path / "page.md")
    assert [(step.kind, step.text, step.printed) for step in page.steps] == [
        ("file", "# a.yaml\nx: 1\n", None),
        ("command", "cat <<EOF\nin\nEOF", ["in"]),
        ("command", "false", None),
        ("python", "print(1)", ["1"]),
    ]
    assert page.needs == ["go"]
