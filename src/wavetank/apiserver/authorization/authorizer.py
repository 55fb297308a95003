from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from wavetank.apiserver.authorization.attributes import Attributes
from wavetank.apiserver.requests.request import User

Document = dict[str, Any]

MASTERS = "system:masters"  # the group that may do everything, whatever roles say

_EVERYTHING: Document = {
    "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
    "incomplete": False,
}


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a request is allowed, and the reason that reviews and refusals show."""

    allowed: bool
    reason: str = ""


class Authorizer(Protocol):
    """Decides what users may do."""

    def authorize(self, user: User, attributes: Attributes) -> Decision:
        """Decides about one request."""

    def rules(self, user: User, namespace: str) -> Document:
        """Returns all that a user may do in a namespace, as the status of a SelfSubjectRulesReview."""


class AlwaysAllow:
    """Allows every request."""

    def authorize(self, user: User, attributes: Attributes) -> Decision:
        """Allows the request."""
        return Decision(True)

    def rules(self, user: User, namespace: str) -> Document:
        """Returns one rule for everything."""
        return _EVERYTHING
