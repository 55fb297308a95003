"""Assertions about results: `p95_waiting_time_s < 60`, `makespan_s(default) <= 1.05 * makespan_s(binpack)`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, NamedTuple

from wavetank.errors import InputError
from wavetank.results.schema import METRIC_NAMES

_TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)\s*(?:\(([^()]*)\))?|(<=|>=|==|!=|[-+*/<>()]))")
_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_SUMS: Mapping[str, Callable[[float, float], float]] = {"+": operator.add, "-": operator.sub}
_PRODUCTS: Mapping[str, Callable[[float, float], float]] = {"*": operator.mul, "/": operator.truediv}

Rows = Sequence[Mapping[str, Any]]  # as in summary.csv: scheduler, seed, and the metrics
_Value = Callable[["_Means"], float]


class Finding(NamedTuple):
    """The verdict on an assertion; `detail` has the values that were compared."""

    assertion: str
    holds: bool
    detail: str


@dataclass(frozen=True)
class Assertion:
    """Two expressions that are compared; a metric is its mean over the seeds of a scheduler.

    Without the name of a scheduler the assertion is about every one.
    """

    text: str
    left: _Value
    right: _Value
    comparison: str
    general: bool  # it has a metric without a scheduler

    def check(self, rows: Rows) -> list[Finding]:
        """Returns the verdict, or one for each scheduler."""
        schedulers = list(dict.fromkeys(str(row["scheduler"]) for row in rows)) if self.general else [""]
        return [self._check(_Means(rows, scheduler)) for scheduler in schedulers]

    def _check(self, means: _Means) -> Finding:
        text = f"{self.text} [{means.scheduler}]" if means.scheduler else self.text
        try:
            left, right = self.left(means), self.right(means)
            holds = _COMPARISONS[self.comparison](left, right)
        except (_MissingError, ZeroDivisionError) as problem:
            return Finding(text, False, str(problem))
        return Finding(text, holds, f"{left:.6g} {self.comparison} {right:.6g}")


def parse_assertions(value: object, path: str) -> tuple[Assertion, ...]:
    """Reads a list of assertions; InputError names what is wrong with one."""
    if not isinstance(value, list):
        raise InputError(f"expected a list of assertions, got {value!r:.60}", path=path)
    return tuple(parse_assertion(text, f"{path}[{i}]") for i, text in enumerate(value))


def parse_assertion(text: object, path: str = "", names: Sequence[str] = METRIC_NAMES) -> Assertion:
    """Reads one assertion about metrics of these names."""
    if not isinstance(text, str):
        raise InputError(f"expected an assertion such as makespan_s < 60, got {text!r:.60}", path=path)
    try:
        return _Parser(text, names).parse()
    except InputError as error:
        raise error.inside(path=path) from None


def check_all(assertions: Sequence[Assertion], rows: Rows) -> list[Finding]:
    """Returns the verdicts on all of them."""
    return [finding for assertion in assertions for finding in assertion.check(rows)]


class _MissingError(Exception):
    """A scheduler or a value that an assertion names does not exist."""


class _Means:
    """Means of metrics over the seeds; `scheduler` is that of metrics which name none."""

    def __init__(self, rows: Rows, scheduler: str) -> None:
        self._rows = rows
        self.scheduler = scheduler

    def of(self, metric: str, scheduler: str) -> float:
        wanted = scheduler or self.scheduler
        values = [row[metric] for row in self._rows if row["scheduler"] == wanted]
        if not values:
            raise _MissingError(f"there is no scheduler called {wanted!r}")
        if any(value is None for value in values):
            raise _MissingError(f"{wanted} has no {metric}")
        return fsum(values) / len(values)


class _Parser:
    """Reads: expression, comparison, expression; in expressions + - * / and brackets."""

    def __init__(self, text: str, names: Sequence[str]) -> None:
        self._text = text
        self._names = names
        self._tokens = list(_tokens(text))
        self._at = 0
        self._general = False

    def parse(self) -> Assertion:
        left = self._sum()
        comparison = self._next()
        if comparison not in _COMPARISONS:
            raise self._problem(f"expected one of {' '.join(_COMPARISONS)}")
        right = self._sum()
        if self._at < len(self._tokens):
            raise self._problem(f"expected no more after {self._tokens[self._at - 1]!r}")
        return Assertion(self._text, left, right, str(comparison), self._general)

    def _sum(self) -> _Value:
        return self._chain(_SUMS, lambda: self._chain(_PRODUCTS, self._term))

    def _chain(self, operators: Mapping[str, Callable[[float, float], float]], term: Callable[[], _Value]) -> _Value:
        value = term()
        while self._at < len(self._tokens) and self._tokens[self._at] in operators:
            value = _both(operators[str(self._next())], value, term())
        return value

    def _term(self) -> _Value:
        token = self._next()
        if token == "(":
            value = self._sum()
            if self._next() != ")":
                raise self._problem("expected )")
            return value
        if isinstance(token, float):
            return lambda means: token
        if isinstance(token, tuple):
            return self._metric(*token)
        raise self._problem("expected a metric, a number or (")

    def _metric(self, name: str, scheduler: str | None) -> _Value:
        if name not in self._names:
            raise self._problem(f"there is no metric {name!r:.60}: known are {', '.join(self._names)}")
        self._general = self._general or scheduler is None
        return lambda means: means.of(name, scheduler or "")

    def _next(self) -> object:
        if self._at == len(self._tokens):
            raise self._problem("it ends too early")
        self._at += 1
        return self._tokens[self._at - 1]

    def _problem(self, problem: str) -> InputError:
        return InputError(f"{problem} in {self._text!r:.200}")


def _tokens(text: str) -> Sequence[object]:
    """Cuts a text into numbers, (metric, scheduler) and signs."""
    tokens: list[object] = []
    at = 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            raise InputError(f"cannot read {text[at:].strip()!r:.60} in {text!r:.200}")
        number, name, scheduler, sign = match.groups()
        inner = scheduler.strip().strip("'\"") if scheduler is not None else None
        tokens.append(float(number) if number else (name, inner) if name else sign)
        at = match.end()
    return tokens


def _both(operate: Callable[[float, float], float], left: _Value, right: _Value) -> _Value:
    return lambda means: operate(left(means), right(means))
