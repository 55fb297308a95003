"""The plugin ValidatingAdmissionPolicy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from wavetank.apiserver.admission.attributes import Attributes
from wavetank.apiserver.admission.policies.parameters import ParameterError, parameters
from wavetank.apiserver.admission.policies.policy import (
    FailedExpressionError,
    LazyVariables,
    Match,
    Policy,
    Validation,
    Values,
)
from wavetank.apiserver.admission.policies.table import Binding, PolicyTable
from wavetank.apiserver.admission.webhooks.matching import Invocation, Matcher, question_of
from wavetank.apiserver.admission.webhooks.review import make_request
from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.kinds import Kind, KindTable
from wavetank.apiserver.waiting import HEAVIEST, in_slices
from wavetank.cel.cost import REQUEST_LIMIT, metered
from wavetank.cel.functions.authorization import Ask, AuthorizerValue
from wavetank.cluster.objects.groupkinds import NAMESPACE
from wavetank.cluster.store.store import Store

Document = dict[str, Any]
Convert = Callable[[Kind, Document, Kind], Document]
AskFor = Callable[[Attributes], Ask]

_CODES = {"Forbidden": 403, "Invalid": 422, "RequestEntityTooLarge": 413}
_LONGEST_MESSAGE = 5 * 1024


@dataclass(frozen=True)
class Denial:
    """Why a policy denies a request."""

    message: str
    reason: str = "Invalid"


class PolicyAdmission:
    """Evaluates the policies of a cluster for each write that they match.

    `convert` converts an object to another version of its kind, `ask` makes the authorizer of a request.
    """

    def __init__(self, store: Store, kinds: KindTable, convert: Convert, ask: AskFor) -> None:
        self.table = PolicyTable(store)
        self._store = store
        self._kinds = kinds
        self._matcher = Matcher(store, kinds)
        self._convert = convert
        self._ask = ask

    def validate(self, attributes: Attributes) -> None:
        """Evaluates all policies; StatusError of the first that denies the write. Others may warn."""
        bound = self.table.bound
        if not bound or self._matcher.is_exempt(attributes.kind):
            return
        refusals = [
            refusal
            for policy, bindings in (in_slices(bound) if self.table.is_costly else bound)
            if (invocation := self._match(policy.match, attributes)) is not None
            for refusal in self._refusals(policy, bindings, invocation, attributes)
        ]
        if refusals:
            raise refusals[0]

    def _match(self, match: Match, attributes: Attributes) -> Invocation | None:
        if match.excluded is not None and self._matcher.match(match.excluded, attributes) is not None:
            return None
        return self._matcher.match(match.included, attributes)

    def _refusals(
        self, policy: Policy, bindings: list[Binding], invocation: Invocation, attributes: Attributes
    ) -> Iterator[StatusError]:
        values: Document | None = None
        for binding in bindings:
            if binding.match is not None and self._match(binding.match, attributes) is None:
                continue
            values = values or self._values(invocation, attributes)
            try:
                found = parameters(policy, binding, attributes.namespace, self._store, self._kinds)
            except ParameterError as error:
                if not policy.ignores_failures:
                    yield _refusal(policy, binding, Denial(f"failed to configure binding: {error}"), attributes)
                continue
            for each in found:
                evaluate = partial(_denials, policy, {**values, "params": each})
                for denial in attributes.beside(evaluate, HEAVIEST if policy.is_costly else 0):
                    yield from _act(policy, binding, denial, attributes)

    def _values(self, invocation: Invocation, attributes: Attributes) -> Document:
        """Returns what the expressions speak of."""
        new = (
            None if attributes.operation == "DELETE" else self._shown(invocation.kind, attributes, attributes.document)
        )
        old = None if attributes.old is None else self._shown(invocation.kind, attributes, attributes.old)
        request = make_request(invocation, attributes, None, None, "")
        for name in ("object", "oldObject", "uid"):
            del request[name]
        texts = dict.fromkeys(("name", "namespace", "subResource", "requestSubResource"), "")
        return {
            "object": new,
            "oldObject": old,
            "request": {**texts, **request},
            "namespaceObject": self._namespace(attributes),
            "authorizer": AuthorizerValue(self._ask(attributes), question_of(attributes)),
        }

    def _shown(self, kind: Kind, attributes: Attributes, document: Document) -> Document:
        if kind is attributes.kind or attributes.subresource not in ("", "status"):
            return document
        return self._convert(attributes.kind, document, kind)

    def _namespace(self, attributes: Attributes) -> Document | None:
        if not attributes.namespace or attributes.kind.group_kind == NAMESPACE:
            return None
        found = self._store.find(NAMESPACE, "", attributes.namespace)
        return None if found is None else found.render()


def _denials(policy: Policy, values: Values) -> list[Denial]:
    return list(evaluate_policy(policy, values))


def evaluate_policy(policy: Policy, values: Values) -> Iterator[Denial]:
    """Evaluates the validations of a policy, if its conditions hold; expressions that fail deny the request too."""
    known = metered(values, REQUEST_LIMIT)
    known["variables"] = LazyVariables(policy.variables, known)
    failures: list[Denial] = []
    for condition in policy.conditions:
        try:
            if condition.value(known) is not True:
                return  # whatever fails besides
        except FailedExpressionError as error:
            failures.append(Denial(str(error)))
    if failures:
        yield from failures[:1] if not policy.ignores_failures else ()
        return
    for validation in policy.validations:
        try:
            if validation.test.value(known) is not True:
                yield Denial(_message(validation, known), validation.reason)
        except FailedExpressionError as error:
            if not policy.ignores_failures:
                yield Denial(str(error))
    for annotation in policy.annotations:  # there is no audit log to write them to, but a failure counts
        try:
            annotation.value(known)
        except FailedExpressionError as error:
            if not policy.ignores_failures:
                yield Denial(str(error))


def _message(validation: Validation, values: Values) -> str:
    """Returns what is said of an object that does not pass; a message that cannot be made is replaced."""
    told: Any = None
    if validation.message is not None:
        try:
            told = validation.message.value(values)
        except FailedExpressionError:
            told = None
    text = told.strip() if isinstance(told, str) else ""
    if len(text.encode()) > _LONGEST_MESSAGE or "\n" in text:
        text = ""
    stated = (validation.stated.get("message") or "").strip()
    return text or stated or f"failed expression: {validation.test.text.strip()}"


def _act(policy: Policy, binding: Binding, denial: Denial, attributes: Attributes) -> Iterator[StatusError]:
    actions = binding.spec.get("validationActions") or ()
    if "Warn" in actions:
        named = f"ValidatingAdmissionPolicy '{policy.name}' with binding '{binding.name}'"
        attributes.warnings.append(f"Validation failed for {named}: {denial.message}")
    if "Deny" in actions:
        yield _refusal(policy, binding, denial, attributes)


def _refusal(policy: Policy, binding: Binding, denial: Denial, attributes: Attributes) -> StatusError:
    named = f"ValidatingAdmissionPolicy '{policy.name}' with binding '{binding.name}'"
    message = f"{named} denied request: {denial.message}"
    refused = attributes.refused(message)
    details = {**(refused.status.get("details") or {}), "causes": [{"message": message}]}
    return StatusError(_CODES[denial.reason], denial.reason, str(refused.status["message"]), details)
