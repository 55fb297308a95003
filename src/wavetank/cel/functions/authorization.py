"""Questions to the authorizer: authorizer.group('apps').resource('deployments').check('create').allowed()."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Question:
    """May a user do something: with a resource, or with a path; `account` is a service account that is asked about."""

    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""
    account: tuple[str, str] | None = None  # namespace and name; None: the user of the request
    verb: str = ""


# Answers a question: whether it is allowed, and the reason.
Ask = Callable[[Question], tuple[bool, str]]


@dataclass(frozen=True)
class AuthorizerCheck:
    """A question before its verb is known."""

    ask: Ask
    question: Question


@dataclass(frozen=True)
class AuthorizerDecision:
    """The answer of the authorizer."""

    allowed: bool
    reason: str


class AuthorizerValue(Mapping[str, AuthorizerCheck]):
    """The variable `authorizer`; its field `requestResource` asks about the resource of the request."""

    def __init__(self, ask: Ask, request: Question) -> None:
        self.ask = ask
        self.account: tuple[str, str] | None = None
        self._request = request

    def of_account(self, account: tuple[str, str]) -> AuthorizerValue:
        """Returns an authorizer that is asked about a service account."""
        found = AuthorizerValue(self.ask, self._request)
        found.account = account
        return found

    def __getitem__(self, name: str) -> AuthorizerCheck:
        if name != "requestResource":
            raise KeyError(name)
        return AuthorizerCheck(self.ask, replace(self._request, account=self.account))

    def __iter__(self) -> Iterator[str]:
        return iter(("requestResource",))

    def __len__(self) -> int:
        return 1


def _start(field: str) -> Callable[[AuthorizerValue, str], AuthorizerCheck]:
    return lambda owner, value: AuthorizerCheck(owner.ask, Question(account=owner.account, **{field: value}))


def _narrow(field: str) -> Callable[[AuthorizerCheck, str], AuthorizerCheck]:
    return lambda owner, value: replace(owner, question=replace(owner.question, **{field: value}))  # type: ignore[arg-type]


def _check(owner: AuthorizerCheck, verb: str) -> AuthorizerDecision:
    return AuthorizerDecision(*owner.ask(replace(owner.question, verb=verb)))


AUTHORIZATION_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "path": _start("path"),
    "group": _start("group"),
    "serviceAccount": lambda owner, namespace, name: owner.of_account((namespace, name)),
    "resource": _narrow("resource"),
    "subresource": _narrow("subresource"),
    "namespace": _narrow("namespace"),
    "name": _narrow("name"),
    "fieldSelector": lambda owner, selector: owner,  # which the authorizers here do not look at
    "labelSelector": lambda owner, selector: owner,
    "check": _check,
    "allowed": lambda owner: owner.allowed,
    "reason": lambda owner: owner.reason,
    "errored": lambda owner: False,
    "error": lambda owner: "",
}
