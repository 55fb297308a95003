"""The controllers of a cluster, as many of them as are wanted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from wavetank.cluster.objects.groupkinds import (
    CRON_JOB,
    DAEMON_SET,
    DEPLOYMENT,
    JOB,
    REPLICA_SET,
    STATEFUL_SET,
    VOLCANO_JOB,
)
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.storeclient import StoreClient
from wavetank.controllers.volcanojobs.pods import JOB_NAME
from wavetank.kernel.randomness import Streams
from wavetank.scheduling.attachable import Attachable
from wavetank.simulation.namespacelimits import Bounds
from wavetank.workloads.manifests.expansion import run_of_owned, run_of_task

VOLCANO_JOBS = "volcano-job-controller"

# Kinds of which a run submits the objects themselves, by the controller that makes pods of them.
_PLANTED = {
    "deployment-controller": DEPLOYMENT,
    "replicaset-controller": REPLICA_SET,
    "statefulset-controller": STATEFUL_SET,
    "daemonset-controller": DAEMON_SET,
    "job-controller": JOB,
    "cronjob-controller": CRON_JOB,
}
WORKLOAD_KINDS = frozenset(_PLANTED.values())


def object_kinds(names: Collection[str], schedulers: Iterable[Attachable]) -> frozenset[str]:
    """Returns the kinds (tables) that a workload submits as objects, if the controllers of these names are on.

    Of Volcano's Jobs no pods would be made without its scheduler, which lets them into a queue first.
    """
    lets_in = any(getattr(scheduler, "lets_groups_in", False) for scheduler in schedulers)
    planted = {table for name, table in _PLANTED.items() if name in names}
    return frozenset({*planted, VOLCANO_JOB} if lets_in and VOLCANO_JOBS in names else planted)


def run_context(store: Store, streams: Streams, complete: Callable[[Pod], None], observed: bool) -> ControllerContext:
    """Returns what controllers of a run work with: `complete` is called with each pod that they create.

    `observed`: programs in the loop can read what controllers write.
    """
    bounds = Bounds(store)

    def prepare(pod: Pod) -> None:
        bounds.complete(pod)
        pod.behavior = run_of_task(pod.manifest) if JOB_NAME in pod.annotations else run_of_owned(pod.manifest)
        complete(pod)

    return ControllerContext(
        store, StoreClient(store, streams.stream("controllers/names"), prepare, bounds.charge), observed=observed
    )
