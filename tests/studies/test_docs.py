"""docs/studies.md has a section for every study, with its claims and a picture."""

from __future__ import annotations

import re

import pytest

from tests.support.paths import ROOT
from wavetank.studies.catalogue import study_names

PAGE = (ROOT / "docs/studies.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", study_names())
def test_a_study_has_a_section_with_claims_and_a_picture(name: str) -> None:
    section = re.search(rf"^## {re.escape(name)}\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert section, f"docs/studies.md: no section {name}"
    assert f"[{name}](#{name})" in PAGE
    assert "| claim | document | here | holds |" in section[1]
    assert "](images/" in section[1]
