from __future__ import annotations

from contextlib import suppress

from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.framework.client import Client


def has_finalizer(resource: Resource, finalizer: str) -> bool:
    """Says whether an object has a finalizer."""
    return finalizer in ((resource.manifest.get("metadata") or {}).get("finalizers") or ())


def remove_finalizer(client: Client, resource: Resource, finalizer: str) -> None:
    """Removes a finalizer from an object; if that has changed meanwhile, its next event is to lead here again."""
    if has_finalizer(resource, finalizer):
        document = resource.render()
        kept = [each for each in document["metadata"]["finalizers"] if each != finalizer]
        document["metadata"] = {**document["metadata"], "finalizers": kept}
        with suppress(ApiError):
            client.update(resource, document)
