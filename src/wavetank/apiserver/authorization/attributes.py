from __future__ import annotations

from dataclasses import dataclass

from wavetank.apiserver.requests.paths import Target
from wavetank.apiserver.requests.request import User


@dataclass(frozen=True, slots=True)
class Attributes:
    """What a request asks for: a verb with a resource (pods, pods/log), or with a path that is no resource's."""

    verb: str
    group: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""

    @classmethod
    def of(cls, target: Target) -> Attributes:
        """Returns the attributes of a resolved request; a Namespace counts as in itself."""
        kind = target.kind
        resource = kind.plural if target.subresource is None else f"{kind.plural}/{target.subresource.name}"
        return cls(target.verb, kind.group, resource, kind.namespace_of(target.namespace, target.name), target.name)

    def refusal(self, user: User) -> str:
        """Says in the real server's words that a user may not."""
        if self.path:
            return f'User "{user.name}" cannot {self.verb} path "{self.path}"'
        where = f'in the namespace "{self.namespace}"' if self.namespace else "at the cluster scope"
        what = f'resource "{self.resource}" in API group "{self.group}"'
        return f'User "{user.name}" cannot {self.verb} {what} {where}'
