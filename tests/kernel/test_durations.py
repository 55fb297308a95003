from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, format_seconds, parse_duration, seconds

CENTURY = 36_525 * 86_400 * SECOND
MINUTE, HOUR = 60 * SECOND, 3600 * SECOND


@pytest.mark.parametrize(
    ("value", "nanoseconds"),
    [
        pytest.param(90, 90 * SECOND, id="a whole number is seconds"),
        pytest.param(1.5, 3 * SECOND // 2, id="so is a fraction"),
        pytest.param("90", 90 * SECOND, id="and a number in quotes"),
        pytest.param("1.5", 3 * SECOND // 2, id="with a fraction"),
        pytest.param(".5", SECOND // 2, id="without a whole part"),
        pytest.param("2.", 2 * SECOND, id="without digits after the point"),
        pytest.param(0, 0, id="nothing"),
        pytest.param("0s", 0, id="nothing with a unit"),
        pytest.param("7ns", 7, id="nanoseconds"),
        pytest.param("7us", 7_000, id="microseconds"),
        pytest.param("7µs", 7_000, id="microseconds with their sign"),
        pytest.param("500ms", SECOND // 2, id="milliseconds"),
        pytest.param("2m30s", 150 * SECOND, id="parts add up"),
        pytest.param("1.5h", 90 * MINUTE, id="a fraction of a unit"),
        pytest.param("1d", 24 * HOUR, id="days"),
        pytest.param("1d2h3m4s5ms6us7ns", 26 * HOUR + 3 * MINUTE + 4_005_006_007, id="all units"),
        pytest.param("0.0000000006", 1, id="a text is rounded to the nearest"),
        pytest.param(0.0000000006, 1, id="as a number is"),
        pytest.param("0.6ns", 1, id="and a part"),
        pytest.param(0.1, SECOND // 10, id="a number means its decimal form"),
        pytest.param(2**53 + 1, (2**53 + 1) * SECOND, id="a large number is exact"),
        pytest.param(1e300, int(1e300) * SECOND, id="an absurd number is read, for others to refuse"),
        pytest.param(10**400, 10**400 * SECOND, id="even beyond floats"),
    ],
)
def test_a_duration_is_read(value: object, nanoseconds: int) -> None:
    assert parse_duration(value) == nanoseconds


@pytest.mark.parametrize(
    ("value", "message"),
    [
        pytest.param(-1, "a duration cannot be -1", id="a negative number"),
        pytest.param(-0.5, "a duration cannot be -0.5", id="a negative fraction"),
        pytest.param("-5s", "cannot be negative: '-5s'", id="a negative text"),
        pytest.param(float("nan"), "cannot be nan", id="not a number"),
        pytest.param(float("inf"), "cannot be inf", id="infinity"),
        pytest.param("", "expected a duration such as", id="an empty text"),
        pytest.param("soon", "got 'soon'", id="a word"),
        pytest.param("5 s", "got '5 s'", id="a space"),
        pytest.param("5s ", "got '5s '", id="a space at the end"),
        pytest.param("5S", "got '5S'", id="a capital unit"),
        pytest.param("5w", "got '5w'", id="an unknown unit"),
        pytest.param("2m30", "got '2m30'", id="a part without a unit"),
        pytest.param("1e3", "got '1e3'", id="an exponent"),
        pytest.param(True, "got True", id="a truth value"),
        pytest.param(None, "got None", id="nothing"),
        pytest.param([5], r"got \[5\]", id="a list"),
    ],
)
def test_what_is_no_duration_is_refused_with_its_path(value: object, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        parse_duration(value, path="spec.at")
    assert caught.value.path == "spec.at"


@given(st.integers(0, CENTURY))
def test_what_is_written_reads_back_the_same(time: int) -> None:
    assert parse_duration(format_seconds(time)) == time
    assert parse_duration(f"{format_seconds(time)}s") == time


@given(st.integers(0, CENTURY))
def test_a_time_is_written_without_needless_digits(time: int) -> None:
    text = format_seconds(time)
    assert text == "0" or not text.startswith("00")
    assert "." not in text or not text.endswith(("0", "."))


@given(st.integers(0, 2**53 // SECOND))
def test_whole_seconds_are_exact(number: int) -> None:
    assert seconds(number) == seconds(float(number)) == number * SECOND


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_a_longer_time_is_never_shorter(one: float, other: float) -> None:
    assert (parse_duration(one) <= parse_duration(other)) or one > other
