from __future__ import annotations

import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any

from wavetank.cluster.objects.groupkinds import LIMIT_RANGE, RESOURCE_QUOTA
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store

if TYPE_CHECKING:
    from wavetank.apiserver.kinds import Kind


class NamespaceLimits:
    """Applies LimitRanges and ResourceQuotas to the pods that controllers create in a run.

    Few clusters have any: nothing is loaded or copied before there is one.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def complete(self, pod: Pod) -> None:
        """Gives a pod the default requests of its namespace; ForbiddenError if its requests are out of range."""
        if self._store.has(LIMIT_RANGE):
            document = self._ask("LimitRanger", pod)
            pod.manifest = {**pod.manifest, "metadata": document["metadata"], "spec": document["spec"]}
            pod.spec = self._store.specs.intern(document["spec"])

    def charge(self, pod: Pod) -> None:
        """Adds a pod to the usage of its namespace's quotas; ForbiddenError if that exceeds one."""
        if self._store.has(RESOURCE_QUOTA):
            self._ask("ResourceQuota", pod)

    def _ask(self, plugin: str, pod: Pod) -> dict[str, Any]:
        """Passes a new pod through an admission plugin of the API server; returns the pod as changed by it."""
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
