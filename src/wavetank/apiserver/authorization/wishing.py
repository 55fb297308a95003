from __future__ import annotations

from wavetank.apiserver.authorization.authorizer import Attributes
from wavetank.apiserver.paths import Target


def wish_of(target: Target) -> Attributes:
    """Returns what a request wants that was understood; a namespace is taken to be in itself."""
    kind = target.kind
    resource = kind.plural if target.subresource is None else f"{kind.plural}/{target.subresource.name}"
    namespace = target.name if kind.group_kind == "Namespace" else target.namespace
    return Attributes(target.verb, kind.group, resource, namespace, target.name)
