from __future__ import annotations

from wavetank.apiserver.admission.attributes import Attributes
from wavetank.apiserver.admission.plugin import Plugin
from wavetank.cluster.objects.groupkinds import CLUSTER_QUEUE, POD


class QueuedPodGate(Plugin):
    """Gates new pods of a queue in a cluster with ClusterQueues, as a webhook of Kueue's does."""

    name = "KueuePodGate"

    def mutate(self, attributes: Attributes) -> None:
        """Gates a new pod that names a queue."""
        if attributes.is_write_of(POD, "CREATE") and self.store.has(CLUSTER_QUEUE):
            from wavetank.controllers.kueue.jobs.gating import gate_document  # few clusters need it

            gate_document(attributes.document, attributes.namespace, self.store)
