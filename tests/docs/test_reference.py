"""The references are what the code says now."""

from __future__ import annotations

import runpy

import pytest

from tests.support.paths import ROOT

GENERATED = runpy.run_path(str(ROOT / "scripts/generate_reference.py"))


@pytest.mark.parametrize(
    "name", ["experiment.md", "command-line.md", "results.md", "autoscaler-flags.md", "python-api.md"]
)
def test_a_committed_page_is_current(name):
    committed = (ROOT / "docs/reference" / name).read_text(encoding="utf-8")
    assert GENERATED["pages"]()[name] == committed, "run scripts/generate_reference.py"
