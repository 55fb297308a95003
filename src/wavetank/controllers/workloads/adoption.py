"""Adopting and releasing objects by their owner references."""

from __future__ import annotations

from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.client import Client
from wavetank.controllers.framework.ownership import controller_reference


def adopt(client: Client, owner: Resource, orphan: Resource) -> Resource:
    """Makes an owner the controller of an orphan; returns the object's new version."""
    return _refer(client, orphan, [*_references(orphan), controller_reference(owner)])


def release(client: Client, owner: Resource, owned: Resource) -> Resource:
    """Removes an owner from an object; returns its new version."""
    return _refer(client, owned, [each for each in _references(owned) if each.get("uid") != owner.uid])


def _references(resource: Resource) -> list[dict[str, object]]:
    return list((resource.manifest.get("metadata") or {}).get("ownerReferences") or ())


def _refer(client: Client, resource: Resource, references: list[dict[str, object]]) -> Resource:
    document = resource.render()
    document["metadata"] = {**document["metadata"], "ownerReferences": references}
    if not references:
        del document["metadata"]["ownerReferences"]
    return client.update(resource, document)
