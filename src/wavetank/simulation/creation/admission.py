from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.rules.admission import admit
from wavetank.cluster.store.store import Store
from wavetank.simulation.creation.submitter import Complete

if TYPE_CHECKING:
    from wavetank.simulation.creation.apicreation import ApiCreation
    from wavetank.simulation.creation.loading import PodCompleter


class Admission:
    """Prepares the objects of a run before they are created, as far as anything in the run reads it.

    `complete` prepares a pod, and raises an ApiError if it is refused. `completer` gives pods all defaults of an API
    server, for programs in the loop; built-in actors need none. `creation` asks webhooks of such programs. With
    `queued` pods that name a queue of Kueue's get its scheduling gate.
    """

    def __init__(
        self,
        store: Store,
        completer: PodCompleter | None = None,
        creation: ApiCreation | None = None,
        queued: bool = False,
    ) -> None:
        self.store = store
        self._creation = creation
        # a partial function, since this is called with every pod of a run
        self.complete: Complete = partial(admit, store=store) if completer is None else self._complete
        if queued:
            self.complete = partial(_complete_queued, self.complete, store)
        self._completer = completer
        self.is_by_spec = creation is None and not queued  # nothing reads the labels of a pod

    def _complete(self, pod: Pod) -> None:
        assert self._completer is not None
        self._completer.complete(pod)
        admit(pod, self.store)
        if self._creation is not None:
            self._creation.complete(pod, self.store)

    def admit(self, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns an object of a controller as webhooks want it; ApiError if one refuses it."""
        return document if self._creation is None else self._creation.admit(document)

    def create(self, resource: Resource) -> Resource | None:
        """Creates a submitted object that webhooks are about through the API, else returns None.

        ApiError if it is refused.
        """
        if self._creation is None:
            return None
        from wavetank.simulation.creation.loading import ensure_namespace  # few runs need it

        if resource.namespace:
            ensure_namespace(self.store, resource.namespace)
        return self._creation.create(resource.manifest)

    def finish(self, resource: Resource) -> Resource:
        """Returns an object of which a controller makes pods with the defaults of an API server."""
        from wavetank.simulation.creation.loading import complete_object  # few runs need it

        return complete_object(resource, self.store)


def _complete_queued(complete: Complete, store: Store, pod: Pod) -> None:
    from wavetank.controllers.kueue.jobs.gating import gate  # few runs need it

    complete(pod)
    gate(pod, store)
