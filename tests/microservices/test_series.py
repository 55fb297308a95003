"""MiSim's own CSV series, compared with recorded ones."""

from __future__ import annotations

import csv
from itertools import groupby
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.support.paths import DATA, needs_shared
from wavetank.cli.commands.misim import command
from wavetank.microservices.misim.series import java_double
from wavetank.verification.microservices.recording import read_case

GOLDEN = DATA / "misim-golden"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0.0"),
        (0.4, "0.4"),
        (0.001, "0.001"),
        (0.0001, "1.0E-4"),
        (0.00012345, "1.2345E-4"),
        (-0.0005, "-5.0E-4"),
        (9_999_999, "9999999.0"),
        (1e7, "1.0E7"),
        (12_345_678.5, "1.23456785E7"),
    ],
)
def test_numbers_are_written_as_java_does(value: float, text: str) -> None:
    assert java_double(value) == text


def _series(folder: Path, case: str, *options: str) -> Path:
    place = GOLDEN / case
    arguments = [str(place / "architecture.json"), str(place / "experiment.json"), "--lenient", "--preset", "misim"]
    CliRunner().invoke(command, [*arguments, *options, "--series", str(folder)], catch_exceptions=False)
    return folder


def _lines(folder: Path, series: str) -> list[str]:
    """Returns the lines of a series; of equal ones in a row one, as in the recordings of CPUs and services."""
    lines = (folder / "raw" / f"{series}.csv").read_text().splitlines()[1:]
    return [line for line, _ in groupby(lines)] if series[:2] in ("C[", "S[") else lines


CASES = {
    "as-bounds": ("AS[", "R[", "I[", "S["),
    "cpu-mixed": ("C[", "R[", "GEN_", "I["),
    "gen-interval-even7": ("G[", "GEN_", "R["),
}


@needs_shared(GOLDEN)
@pytest.mark.parametrize("case", CASES)
def test_series_are_those_of_misim(tmp_path: Path, case: str) -> None:
    folder = _series(tmp_path, case)
    unwritten = ("_UtilizationBinned", "_failures")
    found = read_case(GOLDEN / case).series
    compared = 0
    for name, rows in found.items():
        if name.startswith(CASES[case]) and not name.endswith(unwritten):
            assert _lines(folder, name) == [";".join(row) for row in rows], name
            compared += 1
    assert compared >= 2


@needs_shared(GOLDEN)
def test_every_recorded_series_has_a_file(tmp_path: Path) -> None:
    folder = _series(tmp_path, "cb-limit2-retry")
    names = {name for name in read_case(GOLDEN / "cb-limit2-retry").series if name != "NL_failures"}
    assert names <= {path.stem for path in (folder / "raw").iterdir()}
    header = (folder / "raw" / "C[b_I0_CPU]_QueueState.csv").read_text().splitlines()[0]
    assert header == "SimulationTime;TotalProcesses;ActiveProcesses"


@needs_shared(GOLDEN)
def test_misim_orchestration_reports_pods_second_by_second(tmp_path: Path) -> None:
    folder = _series(tmp_path, "orch-fake", "--orchestration", str(GOLDEN / "orch-fake" / "config.yaml"))
    found = read_case(GOLDEN / "orch-fake").series
    for name in ("orchestration/scheduling/scheduling_results.csv", "orchestration/scaling/a.csv"):
        with (folder / name).open(newline="") as file:
            ours = list(csv.reader(file))
        theirs = [next(csv.reader(row)) for row in found[name]]
        assert ours[0] == theirs[0], name
        # reports at the instant of a change come before or after it
        assert ours[1:16] == theirs[1:16], name
