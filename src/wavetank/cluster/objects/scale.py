from __future__ import annotations

from typing import NamedTuple

from wavetank.cluster.objects.resource import Resource


class Scale(NamedTuple):
    """The scale subresource of an object, last seen as `of`: its replicas and, as a text, which pods are its own."""

    of: Resource
    spec_replicas: int
    status_replicas: int
    selector: str
