"""The differences between the presets."""

from __future__ import annotations

from dataclasses import fields

import pytest

from tests.support.paths import ROOT
from wavetank.microservices.model.rules import CORRECT, MISIM, Rules

ROWS = {
    line.split("|")[1].strip(" `"): [cell.strip() for cell in line.split("|")[2:5]]
    for line in (ROOT / "docs" / "services.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| `")
}


@pytest.mark.parametrize("rule", [each.name for each in fields(Rules)])
def test_each_difference_is_documented_with_its_reason(rule: str) -> None:
    assert all(ROWS[rule])


def test_the_preset_correct_has_none_of_misims_defects() -> None:
    assert not any(getattr(CORRECT, each.name) for each in fields(Rules))
    assert sum(getattr(MISIM, each.name) for each in fields(Rules)) == len(fields(Rules)) - 1  # sums_up_gaps is older
