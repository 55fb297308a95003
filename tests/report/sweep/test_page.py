"""The report of a sweep: whole, repeatable, and nothing from outside."""

import json
import re

import pytest

from tests.sweeps.trials import ran
from wavetank.errors import InputError
from wavetank.report.page.pagefile import ASSETS
from wavetank.report.sweep.page import SCRIPTS, write_sweep_report
from wavetank.report.sweep.table import sweep_table
from wavetank.results.read.sweepfolder import SweepFolder
from wavetank.results.verdict.sweep import ranking

SWEEP = {"clusters": [{"name": "original"}, {"name": "half", "nodes": "-50%"}]}


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sweep") / "out"
    ran(folder, schedulers=[{"name": "default"}, {"name": "best-fit"}, {"name": "easy"}], seeds=[1, 2], sweep=SWEEP)
    return folder


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])


def test_the_page_has_every_run_and_box(out):
    data = data_of(write_sweep_report(out).read_text())
    assert [scenario["name"] for scenario in data["scenarios"]] == ["original", "half"]
    assert [scheduler["name"] for scheduler in data["schedulers"]] == ["default", "best-fit", "easy"]
    assert len(data["rows"]) == len(data["boxes"]) == 2 * 3 * 2
    assert all(len(row) == 3 + len(data["metrics"]) for row in data["rows"])
    assert all(box[2:] == sorted(box[2:]) for box in data["boxes"])


def test_the_same_results_give_the_same_page(out):
    first = write_sweep_report(out).read_bytes()
    assert write_sweep_report(out).read_bytes() == first


def test_nothing_comes_from_outside(out):
    page = write_sweep_report(out).read_text()
    assert "default-src 'none'" in page
    assert not re.search(r'(?:src|href)="https?:', page)


def test_every_script_is_used():
    own = {f"sweep/{path.name}" for path in (ASSETS / "sweep").iterdir() if path.name.endswith(".js")}
    assert own == {f"{name}.js" for name in SCRIPTS if name.startswith("sweep/")}


def test_names_cannot_break_out(tmp_path):
    wild = [{"name": "original"}]
    ran(tmp_path / "out", schedulers=[{"name": "default"}], sweep={"clusters": wild})
    (tmp_path / "out/sweep.json").write_text(
        (tmp_path / "out/sweep.json").read_text().replace('"name": "trial"', '"name": "</script><b>"')
    )
    page = write_sweep_report(tmp_path / "out").read_text()
    assert "</script><b>" not in page


def test_the_terminal_names_the_best_of_each_scenario(out):
    table = sweep_table(out)
    folder = SweepFolder(out)
    assert [str(cell) for cell in table.columns[0].cells] == ["original", "half"]
    assert [str(cell) for cell in table.columns[1].cells] == [
        ranking(folder, name)[0][0] for name in ("original", "half")
    ]


def test_a_folder_that_is_none_is_refused(tmp_path):
    with pytest.raises(InputError, match="holds no results of a sweep"):
        write_sweep_report(tmp_path)
