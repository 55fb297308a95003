"""The controllers of a run: what they work with, and which kinds a workload leaves to them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import (
    CRON_JOB,
    DAEMON_SET,
    DEPLOYMENT,
    HORIZONTAL_POD_AUTOSCALER,
    JOB,
    REPLICA_SET,
    REPLICATION_CONTROLLER,
    STATEFUL_SET,
    VOLCANO_JOB,
)
from wavetank.cluster.objects.pod import Pod
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.metricsclient import MetricsClient
from wavetank.controllers.framework.storeclient import StoreClient
from wavetank.controllers.volcanojobs.pods import JOB_NAME
from wavetank.simulation.creation.admission import Admission
from wavetank.simulation.creation.namespacelimits import NamespaceLimits
from wavetank.workloads.manifests.expansion import behavior_of_owned, behavior_of_task

VOLCANO_JOBS = "volcano-job-controller"

# Kinds whose objects a run submits itself, by the controller that makes pods of them or scales them.
_SUBMITTED = {
    "deployment-controller": DEPLOYMENT,
    "replicaset-controller": REPLICA_SET,
    "replicationcontroller-controller": REPLICATION_CONTROLLER,
    "statefulset-controller": STATEFUL_SET,
    "daemonset-controller": DAEMON_SET,
    "job-controller": JOB,
    "cronjob-controller": CRON_JOB,
    "horizontal-pod-autoscaler-controller": HORIZONTAL_POD_AUTOSCALER,
}
WORKLOAD_KINDS = frozenset(_SUBMITTED.values())


def object_kinds(names: Collection[str], schedulers: Iterable[object]) -> frozenset[str]:
    """Returns the kinds that a workload submits as objects, if the controllers of these names are on.

    The controller of Volcano's Jobs makes no pods before Volcano's scheduler has admitted the job.
    """
    admits = any(getattr(scheduler, "admits_pod_groups", False) for scheduler in schedulers)
    submitted = {kind for name, kind in _SUBMITTED.items() if name in names}
    return frozenset({*submitted, VOLCANO_JOB} if admits and VOLCANO_JOBS in names else submitted)


def run_context(
    context: ActorContext,
    admission: Admission,
    observed: bool,
    metrics: MetricsClient,
    flags: Mapping[str, str],
) -> ControllerContext:
    """Returns the context for controllers of a run; `admission` prepares what they create.

    `observed`: programs in the loop read what controllers write. `metrics` are the metrics APIs, `flags` those of
    kube-controller-manager.
    """
    store = context.store
    limits = NamespaceLimits(store)

    def prepare(pod: Pod) -> None:
        limits.complete(pod)
        pod.behavior = (
            behavior_of_task(pod.manifest) if JOB_NAME in pod.annotations else behavior_of_owned(pod.manifest)
        )
        admission.complete(pod)

    return ControllerContext(
        store,
        StoreClient(
            store,
            context.streams.stream("controllers/names"),
            prepare,
            limits.charge,
            admission.admit,
            by_spec=admission.is_by_spec,
        ),
        observed=observed,
        metrics=metrics,
        flags=flags,
    )
