"""Creating objects through the API in a run, for kinds that webhooks of programs in the loop are about."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from wavetank.apiserver.admission.attributes import Attributes
from wavetank.apiserver.api import Api
from wavetank.apiserver.defaulting.defaults import set_defaults
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.requests.request import User
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource, slots_of
from wavetank.cluster.store.store import Store

_USER = User()
# What a pod of a run has beside its manifest.
_KEPT = frozenset({"behavior", "uid", "created", "resource_version"})


class ApiCreation:
    """Creates what webhooks are about as a client of the API would; all else is left to the store."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._actor = api.actor(_USER)

    def _kind(self, manifest: Mapping[str, Any]) -> Kind | None:
        """Returns the kind of an object if webhooks are about it."""
        if self._api.webhooks.table.is_empty:
            return None
        kind = self._api.kinds.named(str(manifest.get("apiVersion")), str(manifest.get("kind")))
        return kind if kind is not None and self._api.webhooks.concerns(kind) else None

    def create(self, manifest: Mapping[str, Any]) -> Resource | None:
        """Creates an object with its defaults, admission and validation; None if no webhook is about it.

        ApiError if it is refused. An object with a status exists already: webhooks have seen it.
        """
        kind = self._kind(manifest)
        if kind is None or manifest.get("status"):
            return None
        document = copy.deepcopy(dict(manifest))
        document.pop("status", None)
        if kind.namespaced:
            document["metadata"].setdefault("namespace", "default")
        set_defaults(kind, document)
        return self._actor.create(document)

    def admit(self, manifest: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns an object as webhooks want it, which is created otherwise; ApiError if one refuses it."""
        kind = self._kind(manifest)
        if kind is None:
            return manifest
        document = copy.deepcopy(dict(manifest))
        metadata = document.get("metadata") or {}
        namespace = str(metadata.get("namespace") or "default") if kind.namespaced else ""
        attributes = Attributes("CREATE", kind, document, None, namespace, str(metadata.get("name") or ""), "", _USER)
        self._api.webhooks.mutate(attributes)
        self._api.webhooks.validate(attributes)
        return document

    def complete(self, pod: Pod, store: Store) -> None:
        """Changes a new pod as webhooks want it; ApiError if one refuses it."""
        if self._api.webhooks.table.is_empty:
            return
        manifest = pod.render()
        changed = self.admit(manifest)
        if changed is manifest or changed == manifest:
            return
        made = parse_resource(dict(changed), store.specs)
        for slot in slots_of(Pod):
            if slot not in _KEPT and hasattr(made, slot):
                setattr(pod, slot, getattr(made, slot))
