from __future__ import annotations

import csv
import io

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from wavetank.kernel.durations import SECOND, format_seconds
from wavetank.results.columns.decimals import NEVER, microsecond_cells, quotients, seconds_cells
from wavetank.results.write.tables import quoted

TIMES = st.integers(0, 2**62) | st.integers(0, 10**13).map(lambda time: time // 1000 * 1000 + 500)


@settings(deadline=None)  # the first example compiles
@given(st.lists(TIMES | st.just(NEVER)))
def test_seconds_are_exact(times: list[int]) -> None:
    column = np.array(times, np.int64)
    expected = ["" if time == NEVER else format_seconds(time) for time in times]
    assert seconds_cells(column) == expected
    assert seconds_cells(column, column) == [f"{text},{text}" for text in expected]


@settings(deadline=None)  # the first example compiles
@given(st.lists(TIMES))
def test_microseconds_are_rounded_as_the_float_is(times: list[int]) -> None:
    assert microsecond_cells(np.array(times, np.int64)) == [f"{time / SECOND:.6f}" for time in times]


RATIOS = st.floats(0, 1e18) | st.integers(0, 10**9).map(lambda half: (2 * half + 1) / 2 / 10**6)


@settings(deadline=None)  # the first example compiles
@given(st.lists(st.tuples(TIMES, RATIOS)))
def test_ratios_stand_after_the_times(rows: list[tuple[int, float]]) -> None:
    times, ratios = np.array([time for time, _ in rows], np.int64), np.array([ratio for _, ratio in rows], np.float64)
    expected = [f"{time / SECOND:.6f},{ratio:.6f}" for time, ratio in rows]
    assert microsecond_cells(times, ratios=[ratios]) == expected


@given(st.lists(st.tuples(TIMES, TIMES.filter(bool))))
def test_quotients_are_those_of_python(pairs: list[tuple[int, int]]) -> None:
    dividends, divisors = np.array(pairs, np.int64).reshape(-1, 2).T
    assert quotients(dividends, divisors).tolist() == [dividend / divisor for dividend, divisor in pairs]


@given(st.lists(st.text(st.sampled_from('ab ,;"\r\n')).filter(bool)))
def test_cells_are_quoted_as_csv_does(texts: list[str]) -> None:
    files = [io.StringIO() for _ in texts]
    for file, text in zip(files, texts, strict=True):
        csv.writer(file, lineterminator="\n").writerow([text])
    assert list(quoted(texts)) == [file.getvalue().removesuffix("\n") for file in files]
