"""Expressions of admission policies ask the authorizer."""

from __future__ import annotations

from typing import Protocol

from wavetank.apiserver.authorization.attributes import Attributes
from wavetank.apiserver.authorization.authorizer import Authorizer
from wavetank.apiserver.requests.request import User
from wavetank.cel.functions.authorization import Ask, Question


class Asked(Protocol):
    """A write, of which only the user matters here."""

    user: User


def asking(authorizer: Authorizer, attributes: Asked) -> Ask:
    """Returns the function by which the expressions about a write ask what users may do."""

    def ask(question: Question) -> tuple[bool, str]:
        resource = "/".join(part for part in (question.resource, question.subresource) if part)
        named = Attributes(question.verb, question.group, resource, question.namespace, question.name, question.path)
        decision = authorizer.authorize(_user(question, attributes.user), named)
        return decision.allowed, decision.reason

    return ask


def _user(question: Question, user: User) -> User:
    if question.account is None:
        return user
    namespace, name = question.account
    groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated")
    return User(f"system:serviceaccount:{namespace}:{name}", groups)
