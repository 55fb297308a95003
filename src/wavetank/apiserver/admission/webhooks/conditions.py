"""matchConditions of webhooks: CEL expressions that must all be true for a webhook to be called."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from wavetank.apiserver.validation.admission.expressions import AUTHORIZER, variables_of
from wavetank.cel.checker import Checked
from wavetank.cel.cost import CONDITIONS_LIMIT, metered
from wavetank.cel.evaluation import evaluate
from wavetank.cel.syntax import ExpressionError
from wavetank.cel.values import EvaluationError

# Macros and functions that look at each item of something, and functions that make long texts or lists of short ones.
_LOOP = re.compile(
    r"\b(?:all|exists|exists_one|existsOne|map|filter|sort\w*|transform\w+|range|min|max|sum|distinct|flatten"
    r"|replace|findAll|split|join|format|quote)\b"
)


def loops(expression: str) -> bool:
    """Tells whether evaluating an expression may take long, however small the object is."""
    return _LOOP.search(expression) is not None


class ConditionError(Exception):
    """Conditions that could not be evaluated, while none is false."""


@dataclass(frozen=True)
class MatchCondition:
    """One condition; its expression is compiled when it is first used."""

    name: str
    expression: str

    @cached_property
    def _checked(self) -> Checked:
        return Checked(self.expression, {**variables_of(), **AUTHORIZER})

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Evaluates it, up to the limit of one expression; ConditionError if that fails."""
        try:
            return evaluate(self._checked.tree, metered(values)) is True
        except (EvaluationError, ExpressionError, RecursionError) as error:
            raise ConditionError(f"expression '{self.expression}' resulted in error: {error}") from None


def all_hold(conditions: Sequence[MatchCondition], values: Mapping[str, Any]) -> bool:
    """Tells whether all conditions are true; ConditionError if some fail and none is false."""
    failures = []
    names = metered(values, CONDITIONS_LIMIT)
    for condition in conditions:
        try:
            if not condition.holds(names):
                return False
        except ConditionError as error:
            failures.append(str(error))
    if failures:
        raise ConditionError(failures[0] if len(failures) == 1 else f"[{', '.join(failures)}]")
    return True
