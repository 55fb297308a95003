from __future__ import annotations

from pathlib import Path

import pytest

from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.nodes.usage.series import FunctionSeries, StepSeries, read_series


def written(folder: Path, text: str) -> Path:
    file = folder / "load.csv"
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    ("time", "value"),
    [
        pytest.param(0, None, id="before the first step there is no value"),
        pytest.param(10, 100, id="a step begins at its time"),
        pytest.param(19, 100, id="and holds until the next one"),
        pytest.param(20, 300, id="the next one"),
        pytest.param(1000, 300, id="the last one holds forever"),
    ],
)
def test_a_series_changes_in_steps(time: int, value: int | None) -> None:
    assert StepSeries([(10, 100), (20, 300)]).at(time) == value


def test_a_series_with_a_period_begins_again() -> None:
    series = StepSeries([(0, 1), (10, 2)], period=20)
    assert [series.at(time) for time in (0, 15, 20, 35)] == [1, 2, 1, 2]


def test_a_function_of_the_time_in_seconds_is_a_series() -> None:
    assert FunctionSeries(lambda seconds: 2 + seconds / 10).at(5 * SECOND) == 2500


def test_a_file_has_times_and_quantities(tmp_path: Path) -> None:
    series = read_series(written(tmp_path, "time,value\n0,250m\n# noon\n1h,1.5\n\n7200,2\n"))
    assert [series.at(hours * 3600 * SECOND) for hours in (0, 1, 2)] == [250, 1500, 2000]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("0,1\n20,2\n10,3\n", r"load.csv: line 3: its time is not after", id="out of order"),
        pytest.param("0,1\n10,2\n10,3\n", r"load.csv: line 3: its time is not after", id="twice the same time"),
        pytest.param("time,value\n0,1\n10,\n", r"load.csv: line 3: the value is missing", id="a gap"),
        pytest.param("0,1\n10\n", r"load.csv: line 2: expected a time and a value", id="one cell"),
        pytest.param("0,1\n10,many\n", r"load.csv: line 2: 'many' is not a quantity", id="no number"),
        pytest.param("0,1\nsoon,2\n", r"load.csv: line 2: expected a duration", id="no time"),
        pytest.param("time,value\n", r"load.csv: expected lines such as", id="nothing"),
    ],
)
def test_what_is_wrong_with_a_file_is_named_with_its_line(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read_series(written(tmp_path, text))
