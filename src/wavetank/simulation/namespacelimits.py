from __future__ import annotations

import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any

from wavetank.cluster.objects.groupkinds import LIMIT_RANGE, RESOURCE_QUOTA
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store

if TYPE_CHECKING:
    from wavetank.apiserver.kinds import Kind


class Bounds:
    """Keeps the pods that controllers make in a run within the limit ranges and quotas of their namespaces.

    Few clusters have any: nothing is loaded or copied before there is one.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def complete(self, pod: Pod) -> None:
        """Gives a pod the default requests of its namespace; ForbiddenError if it asks for too much or too little."""
        if self._store.has(LIMIT_RANGE):
            document = self._ask("LimitRanger", pod)
            pod.manifest = {**pod.manifest, "metadata": document["metadata"], "spec": document["spec"]}
            pod.spec = self._store.specs.intern(document["spec"])

    def charge(self, pod: Pod) -> None:
        """Adds a pod to what is used of the quotas of its namespace; ForbiddenError if that is too much."""
        if self._store.has(RESOURCE_QUOTA):
            self._ask("ResourceQuota", pod)

    def _ask(self, plugin: str, pod: Pod) -> dict[str, Any]:
        """Lets a plugin of the API server's admission see a new pod; returns the pod that it leaves."""
        from wavetank.apiserver.admission.attributes import Attributes
        from wavetank.apiserver.admission.chain import AdmissionChain

        document = copy.deepcopy(pod.render())
        attributes = Attributes("CREATE", self._pods, document, None, pod.namespace, pod.name)
        admission = AdmissionChain(self._store, (plugin,))
        admission.mutate(attributes)
        admission.validate(attributes)
        return document

    @cached_property
    def _pods(self) -> Kind:
        from wavetank.apiserver.kinds import KindTable

        found = KindTable.builtin().named("v1", Pod.kind)
        assert found is not None
        return found
