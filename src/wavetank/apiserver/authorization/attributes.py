from __future__ import annotations

from dataclasses import dataclass

from wavetank.apiserver.errors import StatusError, forbidden
from wavetank.apiserver.requests.request import User
from wavetank.cel.gotext import quote


@dataclass(frozen=True, slots=True)
class Attributes:
    """What a request asks for: a verb with a resource (pods, pods/log), or with a path that is no resource's."""

    verb: str
    group: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""

    def refusal(self, user: User, reason: str) -> StatusError:
        """Returns the 403 in the real server's words, with the authorizer's reason."""
        said = self._said(user).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        plural = self.resource.partition("/")[0]
        resource = f"{plural}.{self.group}" if self.group else plural
        return forbidden(resource, self.name, f"{said}: {reason}" if reason else said)

    def _said(self, user: User) -> str:
        if self.path:
            return f"User {quote(user.name)} cannot {self.verb} path {quote(self.path)}"
        where = f"in the namespace {quote(self.namespace)}" if self.namespace else "at the cluster scope"
        what = f"resource {quote(self.resource)} in API group {quote(self.group)}"
        return f"User {quote(user.name)} cannot {self.verb} {what} {where}"
