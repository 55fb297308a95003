from __future__ import annotations

from wavetank.cluster.objects.pod import Pod
from wavetank.simulation.controllers import WORKLOAD_KINDS
from wavetank.simulation.creation.admission import Admission
from wavetank.simulation.creation.submitter import check_pod
from wavetank.workloads.cluster import Cluster


def load_objects(cluster: Cluster, admission: Admission) -> None:
    """Creates the objects that a run begins with; InputError if a pod is refused."""
    store = admission.store
    for resource in cluster.resources(store.specs):
        if isinstance(resource, Pod):
            check_pod(resource, admission.complete)
        store.create(admission.finish(resource) if resource.group_kind in WORKLOAD_KINDS else resource)
