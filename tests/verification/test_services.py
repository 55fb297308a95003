"""Recorded runs of MiSim; WAVETANK_ALL=1 plays all of them instead of the quick deterministic ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.paths import DATA, needs_shared
from wavetank.verification.microservices import find_cases, read_case
from wavetank.verification.microservices.comparison import compare_case

RUNS = DATA / "misim-golden"
CASES = find_cases(RUNS) if RUNS.exists() else []
QUICK = (
    *("cb-", "chaos-", "delay-", "dep-n", "gen-", "lb-util", "net-custom", "orch-"),
    *("retry-l", "retry-m", "sched-", "scen-", "timeout-"),
)

pytestmark = needs_shared(RUNS)


def _cases() -> list[Path]:
    if os.environ.get("WAVETANK_ALL"):
        return CASES
    return [case for case in CASES if case.name.startswith(QUICK)]


@pytest.mark.parametrize("folder", _cases(), ids=lambda folder: folder.name)
def test_a_recorded_run_agrees(folder: Path) -> None:
    agreement, mismatches = compare_case(read_case(folder))
    assert mismatches == []
    assert agreement.aspects
