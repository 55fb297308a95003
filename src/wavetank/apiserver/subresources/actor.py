from __future__ import annotations

import msgspec

from wavetank.apiserver.errors import no_such_resource
from wavetank.apiserver.requests.request import Request
from wavetank.apiserver.subresources.scale import show_scale, update_scale
from wavetank.apiserver.verbs.actor import Actor
from wavetank.apiserver.verbs.write import Write
from wavetank.cluster.objects.scale import Scale
from wavetank.cluster.store.errors import NoKindMatchError


class ScalingActor(Actor):
    """A client in the same process that also reads and writes the scale of objects."""

    def get_scale(self, group: str, kind: str, namespace: str, name: str) -> Scale:
        """Returns the scale of an object; NoKindMatchError if there is no such kind in any version of the group."""
        objects = self._writer.objects
        versions = [each for each in objects.kinds if (each.group, each.kind) == (group, kind)]
        if not versions:
            raise NoKindMatchError(group, kind)
        served = next((each for each in versions if "scale" in each.subresources), None)
        if served is None:
            raise no_such_resource()
        found = objects.get(served, namespace, name)
        shown = show_scale(served, objects.show(served, found))
        spec, status = shown.get("spec") or {}, shown.get("status") or {}
        return Scale(found, spec.get("replicas") or 0, status.get("replicas") or 0, status.get("selector") or "")

    def update_scale(self, scale: Scale, replicas: int) -> None:
        """Sets the wanted replicas of an object through its scale; 409 if the object has changed since."""
        old = scale.of
        kind = self._kind(old.render())
        metadata = {"name": old.name, "namespace": old.namespace, "uid": old.uid}
        metadata["resourceVersion"] = str(old.resource_version)
        body = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": metadata, "spec": {"replicas": replicas}}
        request = Request("PUT", "", body=msgspec.json.encode(body), user=self._user)
        write = Write(kind, old.namespace, old.name, request, self._options)
        update_scale(self._writer, write, kind.subresources["scale"])
