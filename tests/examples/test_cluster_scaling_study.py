"""The ClusterScaling study: the claims of the paper about figure 5 hold, but for one, and the figure is drawn."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import EXAMPLES

STUDY = EXAMPLES / "cluster-scaling"


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    command = [sys.executable, str(STUDY / "study.py"), str(folder)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    (folder / "output.txt").write_text(printed, encoding="utf-8")
    return folder


def test_the_study_prints_what_it_did_before(out: Path) -> None:
    printed = (out / "output.txt").read_text(encoding="utf-8")
    if os.environ.get("WAVETANK_UPDATE"):
        (STUDY / "expected/output.txt").write_text(printed, encoding="utf-8")
    assert printed == (STUDY / "expected/output.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        pytest.param("least-waste: the small set reaches 10 nodes, then the large one grows", "yes", id="small first"),
        pytest.param("random: both sets grow early", "yes", id="random"),
        pytest.param("least-waste: CPUs increase slowly at first", "yes", id="slowly"),
        pytest.param("least-waste: many upscaling decisions at first", "yes", id="many decisions"),
        pytest.param("both stop when the sets have their maximum", "yes", id="both stop at 10 + 10"),
        pytest.param("least-waste is the policy that saves cost", "no", id="the cost of a whole run is the same"),
        pytest.param("with fewer pods, both sets shrink again (not in the paper)", "yes", id="down again"),
    ],
)
def test_claims_of_the_paper(out: Path, claim: str, holds: str) -> None:
    assert f"{holds:4}{claim}" in (out / "output.txt").read_text(encoding="utf-8").splitlines()


def test_the_figure_shows_both_expanders(out: Path) -> None:
    drawn = (out / "figure5.svg").read_text(encoding="utf-8")
    assert drawn.startswith("<svg")
    assert "least-waste" in drawn
    assert "random" in drawn
