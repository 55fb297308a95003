"""The folder of the results: it is there whole or not at all, and nothing else is ever lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import Wavetank, a_document, an_experiment, names_in
from wavetank.experiments import kernels, runner

RESULTS = ["default", "experiment.json", "report.html", "summary.csv", "wall.json"]


def test_results_are_written_whole(wavetank: Wavetank, here: Path) -> None:
    ended = wavetank("run", an_experiment(here), "-o", "a/b/out")
    assert ended.status == 0
    assert names_in(here / "a" / "b") == ["out"]
    assert names_in(here / "a" / "b" / "out") == RESULTS
    assert "results: a/b/out\nreport:  a/b/out/report.html\n" in ended.out


def test_the_results_lie_in_out_by_their_name(wavetank: Wavetank, here: Path) -> None:
    wavetank("run", an_experiment(here))
    assert names_in(here / "out") == ["small"]


def test_earlier_results_are_replaced(wavetank: Wavetank, here: Path) -> None:
    wavetank("run", an_experiment(here), "-o", "out", "--seeds", "1-3")
    wavetank("run", an_experiment(here), "-o", "out", "--scheduler", "random-fit")
    assert names_in(here) == ["e.yaml", "out"]
    assert names_in(here / "out") == sorted({*RESULTS, "random-fit"} - {"default"})
    assert names_in(here / "out" / "random-fit") == ["seed-1"]


def test_a_link_to_earlier_results_stays_a_link(wavetank: Wavetank, here: Path) -> None:
    (here / "real").mkdir()
    (here / "out").symlink_to("real")
    assert wavetank("run", an_experiment(here), "-o", "out").status == 0
    assert (here / "out").is_symlink()
    assert names_in(here / "real") == RESULTS


def test_results_have_the_permissions_of_other_files(wavetank: Wavetank, here: Path) -> None:
    wavetank("run", an_experiment(here), "-o", "out")
    (here / "other").mkdir()
    assert (here / "out").stat().st_mode == (here / "other").stat().st_mode


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("e.yaml", "e.yaml: is a file: expected a folder for the results"),
        ("e.yaml/out", "e.yaml/out: cannot be written: "),
        ("/proc/nothing/out", "/proc/nothing/out: cannot be written: "),
        ("x" * 300, "cannot be written: File name too long"),
        ("circle", "circle: cannot be written: "),
        (".", ".: is the working folder, or contains it: choose another for the results"),
        ("..", "..: is the working folder, or contains it: choose another for the results"),
        ("mine", "mine: is a folder with something else in it (notes.txt): choose another for the results"),
        ("project", "project: is a folder with something else in it (experiment.json)"),
    ],
)
def test_a_place_that_cannot_be_used(
    wavetank: Wavetank, here: Path, monkeypatch: pytest.MonkeyPatch, out: str, message: str
) -> None:
    monkeypatch.setattr(kernels, "are_compiled", lambda: True)  # else the run says first that it compiles
    (here / "mine").mkdir()
    (here / "mine" / "notes.txt").write_text("dear diary")
    (here / "project").mkdir()
    (here / "project" / "experiment.json").write_text(json.dumps(a_document()))
    (here / "circle").symlink_to("circle")
    experiment = an_experiment(here)
    ended = wavetank("run", experiment, "-o", out)
    assert (ended.status, ended.out) == (2, "")
    assert message in ended.err
    assert len(ended.err.splitlines()) == 1
    assert names_in(here) == ["circle", "e.yaml", "mine", "project"]
    assert (here / "project" / "experiment.json").is_file()


def test_a_place_is_refused_before_anything_is_compiled(
    wavetank: Wavetank, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "are_compiled", lambda: False)
    ended = wavetank("run", an_experiment(here), "-o", "e.yaml")
    assert (ended.status, ended.err) == (2, "e.yaml: is a file: expected a folder for the results\n")


def test_other_files_among_earlier_results_are_not_lost(wavetank: Wavetank, here: Path) -> None:
    wavetank("run", an_experiment(here), "-o", "out")
    (here / "out" / "notes.txt").write_text("dear diary")
    ended = wavetank("run", an_experiment(here), "-o", "out")
    assert ended.status == 2
    assert "(notes.txt)" in ended.err
    assert (here / "out" / "notes.txt").read_text() == "dear diary"


@pytest.mark.parametrize(
    ("failure", "status", "message"),
    [
        pytest.param(OSError(28, "No space left on device"), 2, "a/out: cannot be written: No space left", id="full"),
        pytest.param(KeyboardInterrupt(), 130, "interrupted", id="Ctrl-C"),
    ],
)
def test_a_failure_at_the_end_leaves_all_as_before(
    wavetank: Wavetank,
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    failure: BaseException,
    status: int,
    message: str,
) -> None:
    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr(runner, "write_summary", fail)
    ended = wavetank("run", an_experiment(here), "-o", "a/out")
    assert ended.status == status
    assert message in ended.err
    assert names_in(here) == ["e.yaml"]


def test_a_failure_keeps_earlier_results(wavetank: Wavetank, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    wavetank("run", an_experiment(here), "-o", "out")
    monkeypatch.setattr(runner, "write_summary", fail)
    wavetank("run", an_experiment(here), "-o", "out", "--seeds", "2")
    assert names_in(here) == ["e.yaml", "out"]
    assert names_in(here / "out" / "default") == ["seed-1"]


def test_a_report_is_written_again(wavetank: Wavetank, here: Path) -> None:
    wavetank("run", an_experiment(here), "-o", "out")
    page = here / "out" / "report.html"
    before = page.read_bytes()
    page.unlink()
    assert wavetank("report", "out").out == "out/report.html\n"
    assert page.read_bytes() == before


def test_a_session_that_could_not_be_written_is_not_begun(wavetank: Wavetank, here: Path) -> None:
    (here / "file").touch()
    ended = wavetank("serve", "--port", "0", "--record", "file/session")
    assert (ended.status, ended.out, ended.err) == (2, "", "file/session: cannot be written: Not a directory\n")
