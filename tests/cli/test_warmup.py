from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import Wavetank, an_experiment
from wavetank.experiments import kernels


def test_warmup_ends_well_and_says_so(wavetank: Wavetank) -> None:
    ended = wavetank("warmup")
    assert (ended.status, ended.out) == (0, "compiled\n")


def test_a_cold_run_says_that_it_is_compiling(wavetank: Wavetank, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "are_compiled", lambda: False)
    ended = wavetank("run", an_experiment(here), "-o", "out")
    assert ended.status == 0
    assert ended.err.startswith("compiling the loops over nodes")


def test_a_warm_run_does_not(wavetank: Wavetank, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "are_compiled", lambda: True)
    assert "compiling" not in wavetank("run", an_experiment(here), "-o", "out").err
