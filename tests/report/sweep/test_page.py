"""The report of a sweep: whole, repeatable, and nothing from outside."""

import json
import re
from types import SimpleNamespace

import pytest

from tests.sweeps.trials import ran
from wavetank.errors import InputError
from wavetank.report.page.pagefile import ASSETS
from wavetank.report.sweep.page import SCRIPTS, write_sweep_report
from wavetank.report.sweep.table import caption, sweep_table, verdicts
from wavetank.report.sweep.verdicts import untold, untold_mark
from wavetank.results.read.sweepfolder import SweepFolder
from wavetank.results.verdict.document import sweep_document
from wavetank.results.verdict.ranking import rank

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
        rank(folder, name)[0].scheduler for name in ("original", "half")
    ]


def test_what_the_seeds_cannot_tell_is_said_with_the_number_that_would(out):
    folder = SweepFolder(out)
    for name in ("original", "half"):
        best, *others = rank(folder, name)
        assert (best.verdict, best.close_rate) == ("best", 1)
        for each in others:
            assert (each.verdict == "cannot tell") == (each.seeds_to_tell is not None)
        (shown,) = [each for each in sweep_document(out)["scenarios"] if each["name"] == name]
        assert [each["verdict"] for each in shown["ranking"]] == [each.verdict for each in (best, *others)]
    marked = "(?" in str(verdicts(folder))
    assert ("these seeds cannot tell" in caption(folder)) == marked


ROWS = [
    {"scenario": "s", "scheduler": name, "seed": seed, "unscheduled_pods": 0, "mean_job_latency_s": latency}
    for name, latencies in {"good": (10, 12), "alike": (11, 12), "same": (10, 12), "bad": (90, 92)}.items()
    for seed, latency in enumerate(latencies)
]


def compared(b, significant, low, high, needed=None):
    names = {"scenario": "s", "metric": "mean_job_latency_s", "a": "good", "b": b}
    return {**names, "significant": significant, "low": low, "high": high, "seeds_to_tell": needed}


def test_a_ranking_distinguishes_worse_equal_and_what_cannot_be_told():
    comparisons = [
        compared("alike", "no", -5.0, 6.0, 34),
        compared("same", "no", 0.0, 0.0),
        compared("bad", "yes", 80.0, 80.0),
    ]
    ranking = rank(SimpleNamespace(rows=ROWS, comparisons=comparisons), "s")
    assert [(each.scheduler, each.verdict, each.seeds_to_tell) for each in ranking] == [
        ("good", "best", None),
        ("same", "equal", None),
        ("alike", "cannot tell", 34),
        ("bad", "worse", None),
    ]


def test_one_seed_can_tell_nothing(tmp_path):
    ran(tmp_path / "out", schedulers=[{"name": "default"}, {"name": "best-fit"}], seeds=[1])
    folder = SweepFolder(tmp_path / "out")
    assert caption(folder).startswith("by mean job latency of one seed, which cannot tell")
    assert "cannot tell" not in str(verdicts(folder))
    assert {each.verdict for each in rank(folder, "all")[1:]} == {"cannot tell"}


@pytest.mark.parametrize(
    ("seeds", "text"),
    [
        (None, "cannot tell"),
        (7, "cannot tell; 7 seeds would"),
        (342, "cannot tell; 350 seeds would"),
        (1234, "cannot tell; 1,300 seeds would"),
        (20_000, "cannot tell; over 10,000 seeds would"),
    ],
)
def test_the_number_of_seeds_has_about_two_digits(seeds, text):
    assert untold(seeds) == text
    assert untold_mark(seeds) == text.replace("cannot tell", " (?").replace(";", "").replace(" would", "") + ")"


def test_a_folder_that_is_none_is_refused(tmp_path):
    with pytest.raises(InputError, match="holds no results of a sweep"):
        write_sweep_report(tmp_path)
