"""CEL rules of a schema: compiled once, evaluated for each write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from wavetank.apiserver.custom.celschema import type_of_schema, wrap
from wavetank.apiserver.custom.definition.fieldpaths import follow
from wavetank.apiserver.custom.schema.correlation import Correlation
from wavetank.apiserver.custom.schema.gotext import shown
from wavetank.apiserver.custom.schema.structural import Document, Structural
from wavetank.apiserver.fielderrors import (
    DUPLICATE,
    FORBIDDEN,
    INVALID,
    OMITTED,
    REQUIRED,
    FieldError,
    invalid,
)
from wavetank.cel.checker import Checked
from wavetank.cel.cost import METER, REQUEST_LIMIT, CostError, Meter, metered
from wavetank.cel.evaluation import evaluate
from wavetank.cel.syntax import ExpressionError
from wavetank.cel.types import BOOL, STRING, Type, optional_of
from wavetank.cel.values import EvaluationError, Optional

_LONGEST_MESSAGE = 5 * 1024  # bytes
_ROOT = "<nil>"
_REASONS = {
    "FieldValueRequired": REQUIRED,
    "FieldValueForbidden": FORBIDDEN,
    "FieldValueDuplicate": DUPLICATE,
    "FieldValueInvalid": INVALID,
}


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule ready for use; `place` is the path of the field in its error, below the validated value."""

    stated: Document
    test: Checked
    message: Checked | None = None
    place: str = ""

    @property
    def uses_old(self) -> bool:
        """Says whether the rule compares with the old value."""
        return "oldSelf" in self.test.names

    @property
    def message_text(self) -> str:
        """Returns the message if the rule is violated and has no message expression."""
        return self.stated.get("message", "").strip() or f"failed rule: {self.stated['rule'].strip()}"

    @property
    def name(self) -> str:
        """Returns what the rule is called when it cannot be evaluated."""
        return str(self.stated.get("message", "").strip() or self.stated["rule"].strip())


def compile_rule(stated: Document, own: Type, schema: Structural) -> Rule:
    """Makes a rule ready for values of a type; an ExpressionError says why it cannot be used."""
    optional = bool(stated.get("optionalOldSelf"))
    variables = {"self": own, "oldSelf": optional_of(own) if optional else own}
    try:
        test = Checked(stated["rule"], variables)
    except ExpressionError as error:
        raise ExpressionError(f"compilation failed: {error}") from None
    if test.type not in (BOOL,):
        raise ExpressionError("cel expression must evaluate to a bool")
    place = follow(stated["fieldPath"], dict(schema.raw))[0] if stated.get("fieldPath") else ""
    return Rule(stated, test, compile_message(stated, variables), place)


def compile_message(stated: Document, variables: Mapping[str, Type]) -> Checked | None:
    """Makes the expression of a rule's message ready; an ExpressionError says why it cannot be used."""
    text = stated.get("messageExpression")
    if not text:
        return None
    try:
        message = Checked(text, variables)
    except ExpressionError as error:
        raise MessageError(f"messageExpression compilation failed: {error}") from None
    if message.type != STRING:
        raise MessageError("messageExpression must evaluate to a string")
    return message


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that a value violates; `old` if the value is unchanged, so that it was violated before."""

    error: FieldError
    old: bool = False


class MessageError(ExpressionError):
    """An expression for a message that cannot be used."""


@dataclass(slots=True)
class RuleNode:
    """The rules of one place of a schema, and those below it."""

    schema: Structural
    root: bool = False
    rules: list[Rule] = field(default_factory=list)
    properties: dict[str, RuleNode] = field(default_factory=dict)
    items: RuleNode | None = None
    additional: RuleNode | None = None

    @classmethod
    def of(cls, schema: Structural | None, *, root: bool = False) -> RuleNode | None:
        """Compiles the rules of a schema that has been found sound; None if it has none."""
        if schema is None:
            return None
        node = cls(schema, root or schema.embedded)
        own = type_of_schema(schema, root=node.root) if schema.rules else None
        if own is not None:
            node.rules = [compile_rule(each, own, schema) for each in schema.rules]
        below = {name: cls.of(each) for name, each in schema.properties.items()}
        node.properties = {name: each for name, each in below.items() if each is not None}
        node.items, node.additional = cls.of(schema.items), cls.of(schema.additional)
        return node if node.rules or node.properties or node.items or node.additional else None

    def check(self, value: Any, old: Any, path: str, old_path: OldValuePath, budget: Meter) -> Iterator[Violation]:
        """Checks a value and its parts; `old` is the old value, None if unknown."""
        if value is None:
            return
        yield from self._check_rules(value, old, path, old_path, budget)
        if isinstance(value, list) and self.items is not None:
            by_key = Correlation(value, old, self.schema)
            for i, each in enumerate(value):
                before = by_key.index(i)
                older = before.old if before else None
                yield from self.items.check(each, older, f"{path}[{i}]", old_path.index(i), budget)
        elif isinstance(value, dict):
            yield from self._check_fields(value, old, path, old_path, budget)

    def _check_fields(
        self, value: Document, old: Any, path: str, old_path: OldValuePath, budget: Meter
    ) -> Iterator[Violation]:
        before = old if isinstance(old, dict) and self.schema.map_type != "atomic" else {}
        for name, each in value.items():
            node = self.properties.get(name)
            if node is not None:
                place = f"{path}.{name}" if path else name
                yield from node.check(each, before.get(name), place, old_path.key(name), budget)
            elif self.additional is not None and name not in self.schema.properties:
                older = before.get(name)
                yield from self.additional.check(each, older, f"{path}[{name}]", old_path.key(name), budget)

    def _check_rules(
        self, value: Any, old: Any, path: str, old_path: OldValuePath, budget: Meter
    ) -> Iterator[Violation]:
        if not self.rules:
            return
        own = wrap(value, self.schema, root=self.root)
        before = wrap(old, self.schema, root=self.root)
        for rule in self.rules:
            optional = bool(rule.stated.get("optionalOldSelf"))
            if rule.uses_old and old is None and not optional:
                continue
            names = metered({"self": own, "oldSelf": before})
            if optional:
                names["oldSelf"] = Optional(before, True) if old is not None else Optional()
            try:
                if evaluate(rule.test.tree, names) is not True:
                    yield Violation(self._error(rule, names, value, path), old_path.unchanged and not rule.uses_old)
            except CostError as error:
                why = f"'{error}': no further validation rules will be run due to call cost exceeds limit for rule"
                yield Violation(invalid(path or _ROOT, self.schema.type, f"{why}: {rule.name}"))
                raise
            except EvaluationError as error:
                yield Violation(self._failure(rule, str(error), path))
            except RecursionError:
                yield Violation(self._failure(rule, "expression recursion limit exceeded", path))
            if budget.spent + names[METER].spent > budget.limit:
                why = "validation failed due to running out of cost budget, no further validation rules will be run"
                yield Violation(invalid(path or _ROOT, self.schema.type, why))
            budget.spend(names[METER].spent)

    def _error(self, rule: Rule, names: Document, value: Any, path: str) -> FieldError:
        place = f"{path}.{rule.place}" if path and rule.place else rule.place or path
        detail = _message(rule, names) or rule.message_text
        omitted = self.schema.type in ("object", "array") or self.root
        kind = _REASONS[rule.stated.get("reason") or "FieldValueInvalid"]
        if kind == DUPLICATE:
            detail = ""  # the real server forgets the message here
        return FieldError(kind, place or _ROOT, OMITTED if omitted else shown(value), detail)

    def _failure(self, rule: Rule, why: str, path: str) -> FieldError:
        if why.startswith("no such overload"):
            signature = "call arguments did not match a supported operator, function or macro signature for rule"
            return invalid(path or _ROOT, self.schema.type, f"'{why}': {signature}: {rule.name}")
        return invalid(path or _ROOT, self.schema.type, f"{why} evaluating rule: {rule.name}")


@dataclass(frozen=True, slots=True)
class OldValuePath:
    """Where a value stands in the old object, as far as it can be found there: unchanged values are not rejected."""

    present: Correlation | None = None
    nearest: Correlation | None = None

    @property
    def unchanged(self) -> bool:
        """Says whether the value is what it was, or is a part of something that is."""
        found = self.present or self.nearest
        return found is not None and found.unchanged

    def key(self, name: str) -> OldValuePath:
        """Returns the path of a field."""
        if self.present is None:
            return self
        if self.nearest is None and name in ("apiVersion", "kind"):
            return OldValuePath()
        return OldValuePath(self.present.key(name), self.present)

    def index(self, i: int) -> OldValuePath:
        """Returns the path of an item."""
        return self if self.present is None else OldValuePath(self.present.index(i), self.present)


def check_rules(rules: RuleNode, schema: Structural, new: Document, old: Document | None) -> list[FieldError]:
    """Returns the violations of an object, without those of unchanged values."""
    return [violation.error for violation in _violations(rules, schema, new, old) if not violation.old]


def old_mistakes(rules: RuleNode, schema: Structural, new: Document, old: Document) -> list[str]:
    """Returns the warnings for the writer of an object: violations of unchanged values."""
    return [str(violation.error) for violation in _violations(rules, schema, new, old) if violation.old]


def _violations(rules: RuleNode, schema: Structural, new: Document, old: Document | None) -> Iterator[Violation]:
    """Yields the violations until the rules have cost too much."""
    old_path = OldValuePath(Correlation(new, old, schema)) if old is not None else OldValuePath()
    with suppress(CostError):
        yield from rules.check(new, old, "", old_path, Meter(REQUEST_LIMIT))


def _message(rule: Rule, names: Document) -> str:
    """Evaluates the message expression of a rule; "" if the result cannot be used."""
    if rule.message is None:
        return ""
    try:
        text = str(evaluate(rule.message.tree, metered(names))).strip()
    except (EvaluationError, RecursionError):
        return ""
    return "" if "\n" in text or "\r" in text or len(text.encode()) > _LONGEST_MESSAGE else text
