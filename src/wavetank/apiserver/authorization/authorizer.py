from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from wavetank.apiserver.http.request import User

Document = dict[str, Any]

MASTERS = "system:masters"  # the group that may do everything, whatever roles say

_EVERYTHING: Document = {
    "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
    "incomplete": False,
}


@dataclass(frozen=True, slots=True)
class Attributes:
    """What somebody wants to do: a verb with a resource (pods, pods/log), or with a path that is no resource's."""

    verb: str
    group: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""

    def refusal(self, user: User) -> str:
        """Says in the real server's words that a user may not."""
        if self.path:
            return f'User "{user.name}" cannot {self.verb} path "{self.path}"'
        where = f'in the namespace "{self.namespace}"' if self.namespace else "at the cluster scope"
        what = f'resource "{self.resource}" in API group "{self.group}"'
        return f'User "{user.name}" cannot {self.verb} {what} {where}'


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether it is allowed, and what is said about it."""

    allowed: bool
    reason: str = ""


class Authorizer(Protocol):
    """Decides who may do what."""

    def judge(self, user: User, wish: Attributes) -> Verdict:
        """Decides about one wish."""

    def rules(self, user: User, namespace: str) -> Document:
        """Returns all that a user may do in a namespace, as the status of a SelfSubjectRulesReview."""


class Permissive:
    """Lets everybody do everything."""

    def judge(self, user: User, wish: Attributes) -> Verdict:
        """Says yes."""
        return Verdict(True)

    def rules(self, user: User, namespace: str) -> Document:
        """Returns one rule for everything."""
        return _EVERYTHING
