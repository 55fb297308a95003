"""Names of Kueue's API that several packages use, and its kinds without a namespace."""

from __future__ import annotations

from wavetank.cluster.objects.resource import Resource

GROUP = "kueue.x-k8s.io"
VERSION = "v1beta2"
API_VERSION = f"{GROUP}/{VERSION}"

# Labels of Jobs and pods.
QUEUE_NAME = f"{GROUP}/queue-name"
PRIORITY_CLASS_LABEL = f"{GROUP}/priority-class"
POD_GROUP_NAME = f"{GROUP}/pod-group-name"
POD_SET = f"{GROUP}/podset"
MANAGED = f"{GROUP}/managed"
JOB_UID = f"{GROUP}/job-uid"

# Annotations of Jobs and pods.
MIN_PARALLELISM = f"{GROUP}/job-min-parallelism"
COMPLETIONS_EQUAL_PARALLELISM = f"{GROUP}/job-completions-equal-parallelism"
POD_GROUP_TOTAL_COUNT = f"{GROUP}/pod-group-total-count"
RETRIABLE_IN_GROUP = f"{GROUP}/retriable-in-group"
WORKLOAD_NAME = f"{GROUP}/workload"
REQUIRED_TOPOLOGY = f"{GROUP}/podset-required-topology"
PREFERRED_TOPOLOGY = f"{GROUP}/podset-preferred-topology"
UNCONSTRAINED_TOPOLOGY = f"{GROUP}/podset-unconstrained-topology"

ADMISSION_GATE = f"{GROUP}/admission"  # of pods that wait for their quota
TOPOLOGY_GATE = f"{GROUP}/topology"  # of pods that wait for their domain
IN_USE = f"{GROUP}/resource-in-use"  # the finalizer of Workloads

# Conditions of Workloads.
QUOTA_RESERVED, ADMITTED, EVICTED, PREEMPTED, REQUEUED, FINISHED, DEACTIVATION_TARGET = (
    "QuotaReserved",
    "Admitted",
    "Evicted",
    "Preempted",
    "Requeued",
    "Finished",
    "DeactivationTarget",
)


class _ClusterScoped(Resource):
    __slots__ = ()
    api_version = API_VERSION
    namespaced = False


class ClusterQueue(_ClusterScoped):
    """Quotas of flavors, and the rules by which workloads get them."""

    __slots__ = ()
    kind = "ClusterQueue"


class Cohort(_ClusterScoped):
    """ClusterQueues and cohorts that lend each other quota, and quota of their own."""

    __slots__ = ()
    kind = "Cohort"


class ResourceFlavor(_ClusterScoped):
    """Nodes of one kind, by their labels and taints."""

    __slots__ = ()
    kind = "ResourceFlavor"


class WorkloadPriorityClass(_ClusterScoped):
    """A named priority of workloads, apart from that of their pods."""

    __slots__ = ()
    kind = "WorkloadPriorityClass"


class AdmissionCheck(_ClusterScoped):
    """Something that a workload waits for besides quota."""

    __slots__ = ()
    kind = "AdmissionCheck"


class Topology(_ClusterScoped):
    """The levels of domains that nodes are in, by their labels."""

    __slots__ = ()
    kind = "Topology"


KUEUE_KINDS: tuple[type[Resource], ...] = (
    ClusterQueue,
    Cohort,
    ResourceFlavor,
    WorkloadPriorityClass,
    AdmissionCheck,
    Topology,
)
