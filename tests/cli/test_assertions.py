"""Assertions of an experiment decide the exit status, after everything is written."""

import pytest

from tests.cli.commands import an_experiment, names_in


@pytest.mark.parametrize(
    ("assertions", "status", "printed"),
    [
        (["makespan_s < 1e6"], 0, "1 of 1 assertions hold"),
        (["makespan_s < 1e6", "makespan_s < 0"], 1, "fails makespan_s < 0 [default] ("),
    ],
)
def test_an_experiment(wavetank, here, assertions, status, printed):
    ended = wavetank("run", an_experiment(here, **{"assert": assertions}), "-o", "out", "--jobs", "1")
    assert ended.status == status
    assert printed in ended.out
    assert "report.html" in names_in(here / "out")


def test_an_assertion_that_cannot_be_read(wavetank, here):
    ended = wavetank("run", an_experiment(here, **{"assert": ["speed < 3"]}), "-o", "out")
    assert ended.status == 2
    assert "spec.assert[0]: there is no metric 'speed'" in ended.err


def test_a_sweep_is_not_run_by_run(wavetank, here):
    ended = wavetank("run", an_experiment(here, sweep={}), "-o", "out")
    assert ended.status == 2
    assert "run it with wavetank sweep" in ended.err


def test_a_sweep_and_its_report(wavetank, here):
    experiment = an_experiment(here, sweep={"clusters": [{"name": "original"}]}, **{"assert": ["pods > 0"]})
    ended = wavetank("sweep", experiment, "-o", "out", "--jobs", "1")
    assert ended.status == 0
    assert "1 of 1 assertions hold" in ended.out
    assert {"summary.csv", "comparisons.csv", "report.html", "original"} <= set(names_in(here / "out"))
    (here / "out/report.html").unlink()
    assert wavetank("report", "out").status == 0
    assert (here / "out/report.html").exists()
