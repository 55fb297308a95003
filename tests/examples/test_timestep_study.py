"""The study of the timesteps' parameters runs; what it finds is a matter of real time and not looked at."""

from __future__ import annotations

import sys
from platform import machine

import pytest

from tests.support.paths import EXAMPLES

FOLDER = EXAMPLES / "timestep-study"


@pytest.fixture
def study(monkeypatch):
    if sys.platform != "linux" or machine() != "x86_64":
        pytest.skip("unmodified programs need Linux on x86-64")
    pytest.importorskip("kubernetes")
    monkeypatch.syspath_prepend(FOLDER)
    import study

    monkeypatch.setattr(study, "NODES", {"burst": (2, 1)})
    return study


def test_a_small_part_of_the_study(study, tmp_path, capsys):
    size = study.Size(4, 2, 1, 1, min_delays=(0,), timeouts=(5,), steps=(20_000,))
    made = study.Study(size, study.PROGRAMS["python"], None)
    study.make(made)
    study.write(made, tmp_path)
    exact = [run for run in made.runs if run.parameter == study.EXACT]
    assert [(run.makespan_s, run.wait_s, run.over) for run in exact] == [(340, 85, 0)] * 2
    assert len((tmp_path / "study.csv").read_text().splitlines()) == 1 + 6
    assert "| burst | virtual time | 2 | 0% | 340.0 ± 0.00 | 85.0 ± 0.00 |" in (tmp_path / "table.md").read_text()
    for parameter in ("min-delay", "timeout-value", "max-simulation-timestep"):
        assert (tmp_path / f"{parameter}.svg").read_text().startswith("<svg")
    assert "burst     exact" in capsys.readouterr().out


def test_pods_without_room_are_counted(study):
    pods = [
        {"started": 0.0, "finished": 10.0, "node": "a", "cpu_milli": 1000},
        {"started": 10.0, "finished": 20.0, "node": "a", "cpu_milli": 1000},
        {"started": 15.0, "finished": 20.0, "node": "a", "cpu_milli": 1},
    ]
    assert study.overcommitted(pods, 1) == 1
