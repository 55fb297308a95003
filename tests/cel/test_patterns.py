"""Patterns of Go's language: those that would take long to compile are refused."""

from __future__ import annotations

import time

import pytest

from wavetank.cel.patterns import PatternError, go_pattern


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$", "a-b"),
        ("^.{1,1000}$", "a" * 1000),
        (r"^\pL+(?:-\pN{1,20})?$", "é-1"),
        ("|".join(f"word{i}" for i in range(7000)), "word6999"),
    ],
)
def test_patterns_of_a_common_size_are_compiled(pattern: str, text: str) -> None:
    assert go_pattern(pattern).search(text) is not None


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("a" * 70_000, id="long"),
        pytest.param(r"\pL" * 3000, id="large classes"),
        pytest.param(r"\PL" * 3000, id="the others"),
        pytest.param("a?" * 10_000, id="optional parts"),
        pytest.param("a{1,1000}" * 30, id="repeated parts"),
        pytest.param("a{1000}" * 3000, id="exactly repeated parts"),
    ],
)
def test_a_pattern_that_takes_long_is_refused_before(pattern: str) -> None:
    """A definition with 3 MB of large classes stopped the server for a minute, and took all memory."""
    begun = time.process_time()
    with pytest.raises(PatternError, match="expression too large"):
        go_pattern(pattern)
    assert time.process_time() - begun < 0.05
