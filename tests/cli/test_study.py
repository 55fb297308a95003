"""`wavetank study`: what it lists, prints and writes, and what it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.commands import Wavetank, refused
from wavetank.studies.catalogue import load_study, study_names


def test_every_study_is_listed_with_its_document(wavetank: Wavetank) -> None:
    ended = wavetank("study", "list")
    assert ended.status == 0
    for name in study_names():
        assert name in ended.out
        assert load_study(name).name == name


def test_a_study_prints_its_claims_and_writes_page_claims_and_pictures(wavetank: Wavetank, here: Path) -> None:
    ended = wavetank("study", "run", "topsis", "--small", "-o", "out")
    assert ended.status == 0
    assert "claims: " in ended.out
    with (here / "out/claims.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    document = json.loads((here / "out/claims.json").read_text())
    assert [row["key"] for row in rows] == [claim["key"] for claim in document["claims"]]
    assert all(row["reason"] for row in rows if row["verdict"] != "holds")
    page = (here / "out/report.html").read_text()
    assert all(f'id="{row["key"]}"' in page for row in rows)
    picture = (here / "out/pressure.svg").read_text()
    assert picture.startswith("<svg")
    assert picture.strip() in page


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(["topsi"], "no study 'topsi' (did you mean topsis?)", id="a name with a typo"),
        pytest.param(["xyz"], f"no study 'xyz'; there are {', '.join(study_names())}", id="an unknown name"),
        pytest.param(["topsis", "-o", "file"], "file: cannot write results there: ", id="a file in place of a folder"),
        pytest.param(["topsis", "--data", "nowhere"], "--data nowhere: no such folder", id="a folder that is absent"),
    ],
)
def test_bad_arguments_are_refused(wavetank: Wavetank, here: Path, words: list[str], message: str) -> None:
    (here / "file").touch()
    assert message in refused(wavetank, here, "study", "run", *words)


def test_data_that_is_absent_is_asked_for_by_name(
    wavetank: Wavetank, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WAVETANK_SHARED", raising=False)
    line = refused(wavetank, here, "study", "run", "teastore")
    assert "study teastore: needs misim-orchestration" in line
    assert "give --data DIR, a folder with GlobalSchedulingDefault" in line
    (here / "empty").mkdir()
    assert "empty has not GlobalSchedulingDefault" in refused(
        wavetank, here, "study", "run", "teastore", "--data", "empty"
    )
