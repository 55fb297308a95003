"""The expressions of Stage documents: paths as in jq, and `select` by one comparison."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from wavetank.errors import InputError

Values = Iterator[Any]
Step = Callable[[Any], Values]

_STEP = re.compile(r"""\.?\[\]|\.?\["([^"\]]+)"\]|\.([A-Za-z_][\w-]*)|\.?\[(\d+)\]""")
_SELECT = re.compile(r"""select\s*\(\s*(\..+?)\s*(==|!=)\s*("[^"]*"|\d+|true|false|null)\s*\)""")


def parse_expression(text: str, path: str) -> Callable[[Any], list[Any]]:
    """Returns a function from an object to the values of an expression, without nulls; InputError if not covered."""
    steps = [step for part in text.split("|") for step in _steps(part.strip(), text, path)]

    def values(given: Any) -> list[Any]:
        found = [given]
        for step in steps:
            found = [result for value in found for result in step(value)]
        return [value for value in found if value is not None]

    return values


def _steps(part: str, text: str, path: str) -> list[Step]:
    if part == ".":
        return []
    if match := _SELECT.fullmatch(part):
        return [_select(parse_expression(match[1], path), match[2] == "==", _literal(match[3]))]
    steps: list[Step] = []
    at = 0
    while at < len(part):
        match = _STEP.match(part, at)
        if match is None:
            raise InputError(f"only paths and select( PATH == VALUE ) are covered, got {text!r:.120}", path=path)
        steps.append(_step(match))
        at = match.end()
    return steps


def _step(match: re.Match[str]) -> Step:
    name = match[1] or match[2]
    if name:
        return lambda value: iter([value.get(name)] if isinstance(value, Mapping) else [])
    if match[3]:
        number = int(match[3])
        return lambda value: iter(value[number : number + 1] if isinstance(value, list) else [])
    return lambda value: iter(value if isinstance(value, list) else value.values() if value else [])


def _select(values: Callable[[Any], list[Any]], equal: bool, literal: object) -> Step:
    return lambda value: iter([value] if (literal in values(value)) == equal else [])


def _literal(text: str) -> object:
    return json.loads(text)
