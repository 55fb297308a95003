"""Policies and their bindings as the store has them, with compiled expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from wavetank.apiserver.admission.webhooks.conditions import loops
from wavetank.apiserver.admission.webhooks.configurations import Webhook
from wavetank.apiserver.validation.admission.policies import policy_variables
from wavetank.cel.checker import Checked
from wavetank.cel.cost import metered
from wavetank.cel.evaluation import evaluate
from wavetank.cel.syntax import ExpressionError
from wavetank.cel.types import Type
from wavetank.cel.values import EvaluationError

Document = dict[str, Any]
Values = Mapping[str, Any]
_EXPRESSIONS = ("expression", "messageExpression", "valueExpression")
_MANY = 100  # expressions, or hundreds of their characters, that are evaluated within a few milliseconds


class FailedExpressionError(Exception):
    """An expression that could not be compiled or evaluated."""


class Expression:
    """An expression of a policy, compiled when it is first used."""

    def __init__(self, text: str, variables: Callable[[], Mapping[str, Type]]) -> None:
        self.text = text
        self._variables = variables

    @cached_property
    def _checked(self) -> Checked:
        return Checked(self.text, self._variables())

    def value(self, values: Values) -> Any:
        """Evaluates it, up to the limit of one expression; FailedExpressionError if that fails."""
        try:
            return evaluate(self._checked.tree, metered(values))
        except (EvaluationError, ExpressionError, RecursionError) as error:
            raise FailedExpressionError(f"expression '{self.text}' resulted in error: {error}") from None


@dataclass(frozen=True)
class Validation:
    """One validation of a policy: what must be true, and what is said if it is not."""

    test: Expression
    message: Expression | None
    stated: Document

    @property
    def reason(self) -> str:
        """Returns the reason of the refusal."""
        return str(self.stated.get("reason") or "Invalid")


class Policy:
    """A ValidatingAdmissionPolicy; the rules that it matches by are read like those of a webhook."""

    def __init__(self, name: str, spec: Document) -> None:
        self.name = name
        self.spec = spec
        match = spec.get("matchConstraints") or {}
        self.match = Match(name, match)

    @cached_property
    def conditions(self) -> list[Expression]:
        """The expressions that must be true for the others to be evaluated."""
        return [self._expression(each["expression"]) for each in self.spec.get("matchConditions") or ()]

    @cached_property
    def variables(self) -> dict[str, Expression]:
        """The expressions that others use, by name."""
        return {each["name"]: self._expression(each["expression"]) for each in self.spec.get("variables") or ()}

    @cached_property
    def validations(self) -> list[Validation]:
        """What must be true."""
        return [self._validation(each) for each in self.spec.get("validations") or ()]

    @cached_property
    def annotations(self) -> list[Expression]:
        """The values of audit annotations."""
        return [self._expression(each["valueExpression"]) for each in self.spec.get("auditAnnotations") or ()]

    @cached_property
    def is_costly(self) -> bool:
        """Tells whether its evaluation may take long, however small the object is."""
        texts = [*islice(self._texts(), _MANY + 1)]
        return len(texts) > _MANY or sum(map(len, texts)) > 100 * _MANY or any(map(loops, texts))

    def _texts(self) -> Iterator[str]:
        for part in ("matchConditions", "variables", "validations", "auditAnnotations"):
            for each in self.spec.get(part) or ():
                yield from (
                    each[name] for name in ("expression", "messageExpression", "valueExpression") if each.get(name)
                )

    @property
    def ignores_failures(self) -> bool:
        """Tells whether a write goes on if an expression fails."""
        return bool(self.spec.get("failurePolicy") == "Ignore")

    @cached_property
    def _types(self) -> Mapping[str, Type]:
        return policy_variables(self.spec)

    def _expression(self, text: str) -> Expression:
        return Expression(text, lambda: self._types)

    def _validation(self, stated: Document) -> Validation:
        told = stated.get("messageExpression")
        return Validation(self._expression(stated["expression"]), self._expression(told) if told else None, stated)


class Match:
    """Which requests a policy or a binding is for; without rules, every request."""

    def __init__(self, name: str, stated: Document) -> None:
        rules, excluded = stated.get("resourceRules") or [], stated.get("excludeResourceRules") or []
        self.has_rules = bool(rules)
        common = {key: value for key, value in stated.items() if key.endswith("Selector") or key == "matchPolicy"}
        everything = {name: ["*"] for name in ("operations", "apiGroups", "apiVersions")} | {"resources": ["*/*", "*"]}
        self.included = Webhook.read({"name": name, **common, "rules": rules or [everything]}, name)
        self.excluded = Webhook.read({"name": name, **common, "rules": excluded}, name) if excluded else None


class LazyVariables(Mapping[str, Any]):
    """The variables of a policy, each evaluated when it is first used."""

    def __init__(self, expressions: Mapping[str, Expression], values: Values) -> None:
        self._expressions = expressions
        self._values = {**values, "variables": self}
        self._known: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._known:
            try:
                self._known[name] = self._expressions[name].value(self._values)
            except FailedExpressionError as error:
                raise EvaluationError(f'composited variable "{name}" fails to evaluate: {error}') from None
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._expressions)

    def __len__(self) -> int:
        return len(self._expressions)
