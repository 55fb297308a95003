from __future__ import annotations

from typing import Any

import pytest

from wavetank.apiserver.tables.cells import human_duration, selector_text

MINUTE, HOUR, DAY, YEAR = 60, 3600, 86400, 365 * 86400


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "<invalid>"),
        (-1.5, "0s"),
        (0, "0s"),
        (119.9, "119s"),
        (2 * MINUTE, "2m"),
        (2 * MINUTE + 5, "2m5s"),
        (10 * MINUTE + 5, "10m"),
        (3 * HOUR - 1, "179m"),
        (3 * HOUR, "3h"),
        (3 * HOUR + 5 * MINUTE, "3h5m"),
        (8 * HOUR + 5 * MINUTE, "8h"),
        (47 * HOUR, "47h"),
        (2 * DAY, "2d"),
        (2 * DAY + 3 * HOUR, "2d3h"),
        (8 * DAY + 3 * HOUR, "8d"),
        (2 * YEAR - 1, "729d"),
        (2 * YEAR, "2y"),
        (2 * YEAR + 3 * DAY, "2y3d"),
        (9 * YEAR + 3 * DAY, "9y"),
    ],
)
def test_ages_have_two_or_three_digits(seconds: float, text: str) -> None:
    assert human_duration(seconds) == text


def requirement(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": operator, "values": list(values)}


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        (None, ""),
        ({}, ""),
        ({"matchLabels": {"b": "2", "a": "1"}}, "a=1,b=2"),
        ({"matchExpressions": [requirement("a", "In", "y", "x")]}, "a in (x,y)"),
        ({"matchExpressions": [requirement("a", "NotIn", "x")]}, "a notin (x)"),
        ({"matchExpressions": [requirement("b", "Exists"), requirement("a", "DoesNotExist")]}, "!a,b"),
        ({"matchLabels": {"b": "2"}, "matchExpressions": [requirement("a", "Exists")]}, "a,b=2"),
    ],
)
def test_selectors_are_written_by_key(selector: Any, text: str) -> None:
    assert selector_text(selector) == text
