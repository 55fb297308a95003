from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wavetank.errors import InputError
from wavetank.quantity import INT64_MAX, format_bytes, format_milli, milli, parse_quantity, whole

DIGITS = st.decimals(min_value=-(10**9), max_value=10**9, places=6).map(lambda number: f"{number:f}")
SUFFIXES = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E-3"]
AMOUNTS = st.integers(-INT64_MAX, INT64_MAX) | st.builds(
    lambda digits, base, power: digits * base**power,
    st.integers(-999, 999),
    st.sampled_from([1000, 1024]),
    st.integers(0, 5),
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("7n", Fraction(7, 10**9), id="nano"),
        pytest.param("7u", Fraction(7, 10**6), id="micro"),
        pytest.param("7m", Fraction(7, 1000), id="milli"),
        pytest.param("7", 7, id="no suffix"),
        pytest.param("7k", 7 * 10**3, id="kilo"),
        pytest.param("7M", 7 * 10**6, id="mega"),
        pytest.param("7G", 7 * 10**9, id="giga"),
        pytest.param("7T", 7 * 10**12, id="tera"),
        pytest.param("7P", 7 * 10**15, id="peta"),
        pytest.param("7E", 7 * 10**18, id="exa"),
        pytest.param("7Ki", 7 * 2**10, id="kibi"),
        pytest.param("7Mi", 7 * 2**20, id="mebi"),
        pytest.param("7Gi", 7 * 2**30, id="gibi"),
        pytest.param("7Ti", 7 * 2**40, id="tebi"),
        pytest.param("7Pi", 7 * 2**50, id="pebi"),
        pytest.param("7Ei", 7 * 2**60, id="exbi"),
        pytest.param("1e3", 1000, id="exponent"),
        pytest.param("1E3", 1000, id="capital exponent is not exa"),
        pytest.param("1e+3", 1000, id="signed exponent"),
        pytest.param("12e-1", Fraction(6, 5), id="negative exponent"),
        pytest.param("+1", 1, id="plus sign"),
        pytest.param("-1.5", Fraction(-3, 2), id="minus sign"),
        pytest.param(".5", Fraction(1, 2), id="no digit before the point"),
        pytest.param("5.", 5, id="no digit after the point"),
        pytest.param("007", 7, id="leading zeros"),
        pytest.param("1.5Gi", 3 * 2**29, id="fraction of a binary unit"),
        pytest.param("0.1n", Fraction(1, 10**9), id="less than a nano is a nano"),
        pytest.param("-0.1n", Fraction(-1, 10**9), id="less than a nano below zero is a nano below zero"),
        pytest.param("9Ei", INT64_MAX, id="more than int64 is capped"),
        pytest.param("-1e30", -INT64_MAX, id="less than int64 is capped"),
        pytest.param("1e999999999999", INT64_MAX, id="an absurd exponent is capped"),
        pytest.param("1e-999999999999", Fraction(1, 10**9), id="an absurd negative exponent is a nano"),
        pytest.param("0e999999999999", 0, id="zero stays zero"),
        pytest.param(4, 4, id="a JSON integer"),
        pytest.param(0.1, Fraction(1, 10), id="a JSON number means its shortest decimal form"),
        pytest.param(1e22, INT64_MAX, id="a JSON number with an exponent"),
    ],
)
def test_a_quantity_is_read_exactly(text: str | int | float, value: int | Fraction) -> None:
    assert parse_quantity(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1.2.3",
        "Mi",
        "m",
        ".",
        "+",
        "-",
        " 1",
        "1 ",
        "1 Gi",
        "1\n",
        "1e",
        "1e1.5",
        "1e3m",
        "1i",
        "1K",
        "1gi",
        "1mi",
    ],
)
def test_what_is_not_a_quantity_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a quantity, expected a number such as"):
        parse_quantity(text)


@pytest.mark.parametrize("text", ["0x1", "1_000", "1,5", "--1", "1-", "nan", "inf", "\u0661"])
def test_what_only_other_languages_call_a_number_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a quantity"):
        parse_quantity(text)


def test_an_endless_number_is_refused() -> None:
    with pytest.raises(InputError, match="is not a quantity"):
        parse_quantity("9" * 5000)


@pytest.mark.parametrize("value", [True, None, [], {}, float("nan"), float("inf")], ids=repr)
def test_other_json_values_are_refused(value: object) -> None:
    with pytest.raises(InputError, match="is not a quantity"):
        milli(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "in_milli", "in_whole"),
    [
        pytest.param("500m", 500, 1, id="half a unit is one whole unit"),
        pytest.param("100u", 1, 1, id="a tenth of a milli is one milli"),
        pytest.param("2", 2000, 2, id="exact"),
        pytest.param("-1500m", -1500, -2, id="below zero, away from it"),
        pytest.param("0.3Ki", 307200, 308, id="binary fraction"),
        pytest.param("8Ei", INT64_MAX, INT64_MAX, id="capped"),
        pytest.param("-8Ei", -INT64_MAX, -INT64_MAX, id="capped below zero"),
        pytest.param("1E", INT64_MAX, 10**18, id="only the milli value is capped"),
    ],
)
def test_amounts_are_rounded_away_from_zero(text: str, in_milli: int, in_whole: int) -> None:
    assert (milli(text), whole(text)) == (in_milli, in_whole)


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        pytest.param(0, "0", id="zero"),
        pytest.param(500, "500m", id="less than one"),
        pytest.param(1500, "1500m", id="never a decimal point"),
        pytest.param(2000, "2", id="whole"),
        pytest.param(100_000, "100", id="steps of a thousand only"),
        pytest.param(2_000_000, "2k", id="thousands"),
        pytest.param(2_500_000, "2500", id="thousands only where exact"),
        pytest.param(10**18, "1P", id="huge"),
        pytest.param(-250, "-250m", id="below zero"),
    ],
)
def test_milli_amounts_are_written_as_short_as_is_exact(amount: int, text: str) -> None:
    assert format_milli(amount) == text


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        pytest.param(0, "0", id="zero"),
        pytest.param(500 * 2**20, "500Mi", id="mebibytes"),
        pytest.param(3 * 2**29, "1536Mi", id="never a decimal point"),
        pytest.param(1234567, "1234567", id="not a multiple of 1024"),
        pytest.param(2_000_000, "2000000", id="no decimal suffix from 1024 on"),
        pytest.param(1024, "1Ki", id="1024"),
        pytest.param(1023, "1023", id="less than 1024"),
        pytest.param(1000, "1k", id="the one decimal suffix below 1024"),
        pytest.param(7 * 2**60, "7Ei", id="huge"),
        pytest.param(-(2**30), "-1Gi", id="below zero"),
    ],
)
def test_bytes_are_written_as_short_as_is_exact(amount: int, text: str) -> None:
    assert format_bytes(amount) == text


@given(AMOUNTS)
def test_what_is_written_reads_back(amount: int) -> None:
    assert milli(format_milli(amount)) == amount
    assert whole(format_bytes(amount)) == amount


@given(DIGITS, DIGITS, st.sampled_from(SUFFIXES))
def test_reading_keeps_the_order_of_numbers(one: str, other: str, suffix: str) -> None:
    low, high = sorted((one, other), key=Fraction)
    for read in (parse_quantity, milli, whole):
        assert read(low + suffix) <= read(high + suffix)


@given(DIGITS, st.sampled_from(SUFFIXES))
def test_rounding_never_loses_and_never_adds_a_whole_step(digits: str, suffix: str) -> None:
    value = parse_quantity(digits + suffix)
    assert abs(value) <= abs(whole(digits + suffix)) < abs(value) + 1


@given(st.text() | st.text(alphabet="0123456789.+-eEinumkKMGTP _x"))
@example("9" * 256)
@example("." + "0" * 250 + "1")
def test_any_text_is_a_quantity_or_an_input_error(text: str) -> None:
    with suppress(InputError):
        assert -INT64_MAX <= whole(text) <= INT64_MAX


@pytest.mark.parametrize(
    ("text", "hint"),
    [("32GB", "did you mean 32Gi or 32G?"), ("512 MB", "512Mi or 512M?"), ("4gib", "4Gi?"), ("1KB", "1Ki or 1k?")],
)
def test_amounts_as_people_write_them_are_refused_with_a_hint(text, hint):
    with pytest.raises(InputError) as refused:
        parse_quantity(text)
    assert hint in str(refused.value)
