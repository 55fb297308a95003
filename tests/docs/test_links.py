"""Links inside the docs lead somewhere: to files that exist, and to headings that their pages have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PAGES = sorted((*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")))
SYSTEMS = ("Batkube", "K8sSim", "Kubernetes-in-the-Loop", "Batch Job Operator", "TOPSIS")

_LINK = re.compile(r"\]\(([^()\s]+)\)|(?:src|srcset)=\"([^\"]+)\"")
_FENCED = re.compile(r"^```.*?^```", re.M | re.S)


def links(page: Path) -> list[str]:
    found = (one or other for one, other in _LINK.findall(_FENCED.sub("", page.read_text(encoding="utf-8"))))
    return [link for link in found if "://" not in link]


def anchors(page: Path) -> set[str]:
    """Returns the anchors that GitHub gives to a page's headings."""
    text = _FENCED.sub("", page.read_text(encoding="utf-8"))
    found: list[str] = []
    for heading in re.findall(r"^#+ (.+)$", text, re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        found.append(slug if slug not in found else f"{slug}-{found.count(slug)}")
    return set(found)


@pytest.mark.parametrize("page", [pytest.param(page, id=str(page.relative_to(ROOT))) for page in PAGES])
def test_links_lead_somewhere(page):
    for link in links(page):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), f"{link}: there is no such file"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{link}: there is no such heading"


def test_every_page_is_reached_from_the_index():
    index = ROOT / "docs/README.md"
    reached = {(index.parent / link.partition("#")[0]).resolve() for link in links(index)}
    missing = [page.name for page in ROOT.glob("docs/**/*.md") if page != index and page.resolve() not in reached]
    assert not missing


def test_the_readme_leads_to_each_described_system():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for system in SYSTEMS:
        row = next(line for line in text.splitlines() if line.startswith(f"| **{system}"))
        assert _LINK.search(row), system


def test_pictures_are_small():
    for picture in ROOT.glob("docs/images/*.png"):
        assert picture.stat().st_size < 200_000, picture.name
