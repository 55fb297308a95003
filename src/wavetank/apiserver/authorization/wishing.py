from __future__ import annotations

from wavetank.apiserver.authorization.authorizer import Wish
from wavetank.apiserver.paths import Target


def wish_of(target: Target) -> Wish:
    """Returns what a request wants that was understood; a namespace is taken to be in itself."""
    kind = target.kind
    resource = kind.plural if target.subresource is None else f"{kind.plural}/{target.subresource.name}"
    namespace = target.name if kind.table == "Namespace" else target.namespace
    return Wish(target.verb, kind.group, resource, namespace, target.name)
