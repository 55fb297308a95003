from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from tests.report.synthetic import SUMMARY_COLUMNS, Recipe, write_csv
from wavetank.report.comparison import comparison_cards
from wavetank.report.notebook import notebook_html
from wavetank.report.table import summary_table
from wavetank.results.read.resultsfolder import ResultsFolder
from wavetank.results.verdict.comparison import Comparison, compare

Results = Callable[[Recipe], Path]


def makespans(out: Path, seconds: dict[str, list[object]]) -> Comparison:
    """Writes a summary with these makespans, one per seed, and compares them."""
    rest = len(SUMMARY_COLUMNS) - 9
    rows = [
        [name, seed, 200, 200, 0, 200, 0, 0, makespan, *[1] * rest]
        for name, column in seconds.items()
        for seed, makespan in enumerate(column)
    ]
    write_csv(out / "summary.csv", SUMMARY_COLUMNS, rows)
    return next(each for each in compare(ResultsFolder(out)) if each.metric.name == "makespan_s")


@pytest.fixture
def out(results: Results) -> Path:
    return results(Recipe(schedulers=("a", "b"), seeds=(0, 1, 2), pods=5))


@pytest.mark.parametrize(
    ("a", "b", "verdicts"),
    [
        pytest.param([10, 20, 30], [11, 21.1, 31], ["best", ""], id="worse under every seed alike"),
        pytest.param([10, 20, 30], [12, 19, 31], ["best", "close"], id="sometimes better, sometimes worse"),
        pytest.param([10, 20, 30], [10, 20, 30], ["", ""], id="equal"),
        pytest.param([10, 20, 30], [30, 20, 10], ["", ""], id="equal means"),
        pytest.param([10, 20, 30], ["", "", ""], ["", ""], id="alone with a value"),
        pytest.param([10, 20, 30], [11, "", ""], ["", "best"], id="one common seed says nothing"),
    ],
)
def test_verdicts(out: Path, a: list[object], b: list[object], verdicts: list[str]) -> None:
    assert [cell.verdict for cell in makespans(out, {"a": a, "b": b}).cells] == verdicts


@pytest.mark.parametrize(
    ("seconds", "text", "unit"),
    [
        pytest.param([10, 20, 30], "20.00 ± 24.84", "s", id="seconds"),
        pytest.param([3600, 3600, 3600], "60.00 ± 0.00", "min", id="minutes"),
        pytest.param([360_000, 360_000, 360_000], "100.0 ± 0.0", "h", id="hours"),
        pytest.param([8_640_000] * 3, "100.0 ± 0.0", "d", id="days"),
        pytest.param([0.25, 0.25, 0.25], "0.250 ± 0.000", "s", id="less than a second"),
        pytest.param(["", "", ""], "–", "s", id="undefined"),
        pytest.param([10], "10.00", "s", id="a single seed"),
    ],
)
def test_texts_and_units(out: Path, seconds: list[object], text: str, unit: str) -> None:
    comparison = makespans(out, {"a": seconds})
    assert (comparison.text(comparison.cells[0]), comparison.unit) == (text, unit)


def test_seeds_without_a_value_are_told(out: Path) -> None:
    comparison = makespans(out, {"a": [10, 20, ""], "b": [10, 20, 30]})
    assert comparison.footnote(comparison.cells[0]) == "2 of 3 seeds"
    assert "2 of 3 seeds" in comparison_cards([comparison])


def test_distances_are_told_beside_the_best(out: Path) -> None:
    cards = comparison_cards([makespans(out, {"a": [10, 20, 30], "b": [11, 22, 33]})])
    assert ">best</span>" in cards
    assert ">≈ +10.0 %</span>" in cards


def printed(out: Path) -> str:
    """Returns the summary as a terminal 80 columns wide shows it."""
    screen = io.StringIO()
    Console(width=80, file=screen).print(summary_table(out))
    return screen.getvalue()


def test_the_terminal_shows_means_above_their_spread(out: Path) -> None:
    makespans(out, {"a": [10, 20, 30], "b": [11, 22, 33]})
    lines = [line.split() for line in printed(out).splitlines()]
    assert ["Makespan", "wait", "wait", "CPU", "Memory", "Pods"] in lines
    (a,) = (i for i, words in enumerate(lines) if words[:1] == ["a"])
    assert (lines[a][1], lines[a + 1][0]) == ("20.00*", "±24.84")
    assert "*" not in lines[a + 2][1]


def test_the_terminal_shows_no_spread_of_a_single_seed(out: Path) -> None:
    makespans(out, {"a": [10]})
    assert "±" not in printed(out).partition("half-width")[0].rpartition("mean")[0]


def test_six_metrics_and_a_long_name_fit_the_terminal(results: Results) -> None:
    name = "requested-to-capacity-ratio"
    text = printed(results(Recipe(schedulers=(name, "b"), seeds=(1, 2, 3))))
    assert name in text
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_the_terminal_reads_no_markup_in_names(results: Results) -> None:
    text = printed(results(Recipe(name="[red]x[/nope]", schedulers=("[bold]a",), seeds=(1,))))
    assert "[red]x[/nope]" in text
    assert "[bold]a" in text


def test_a_notebook_shows_table_and_sparklines(results: Results) -> None:
    fragment = notebook_html(results(Recipe(name="<img src=x>")))
    assert fragment.count("<polyline") == 3
    assert fragment.count("<table") == 2
    assert "<img" not in fragment
