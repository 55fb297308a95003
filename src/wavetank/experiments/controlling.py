"""The controllers of a cluster, as many of them as are wanted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from wavetank.cluster.pod import Pod
from wavetank.cluster.store import Store
from wavetank.controllers.frame.office import Office
from wavetank.controllers.frame.roster import CLAIMS, EPHEMERAL, STORAGE, fill_posts
from wavetank.controllers.frame.storeclient import StoreClient
from wavetank.controllers.persistentvolumes import PersistentVolumes
from wavetank.controllers.resourceclaims import attach_claim_controller
from wavetank.controllers.volcanojobs.pods import JOB_NAME
from wavetank.controllers.volcanojobs.spec import TABLE
from wavetank.controllers.volumes import attach_ephemeral_volumes
from wavetank.experiments.bounds import Bounds
from wavetank.kernel.randomness import Streams
from wavetank.scheduling.attachable import Attachable
from wavetank.workloads.expansion import run_of_owned, run_of_task

VOLCANO_JOBS = "volcano-job-controller"

# Kinds of which a run submits the objects themselves, by the controller that makes pods of them.
_PLANTED = {
    "deployment-controller": "Deployment.apps",
    "replicaset-controller": "ReplicaSet.apps",
    "statefulset-controller": "StatefulSet.apps",
    "daemonset-controller": "DaemonSet.apps",
    "job-controller": "Job.batch",
    "cronjob-controller": "CronJob.batch",
}
PLANTED = frozenset(_PLANTED.values())


def planted_kinds(names: Collection[str], schedulers: Iterable[Attachable]) -> frozenset[str]:
    """Returns the kinds (tables) that a workload submits as objects, if the controllers of these names are on.

    Of Volcano's Jobs no pods would be made without its scheduler, which lets them into a queue first.
    """
    lets_in = any(getattr(scheduler, "lets_groups_in", False) for scheduler in schedulers)
    planted = {table for name, table in _PLANTED.items() if name in names}
    return frozenset({*planted, TABLE} if lets_in and VOLCANO_JOBS in names else planted)


def office_of_run(store: Store, streams: Streams, complete: Callable[[Pod], None], seen: bool) -> Office:
    """Returns what controllers of a run work with: `complete` is called with each pod that they create.

    `seen`: programs in the loop can look at what controllers write.
    """
    bounds = Bounds(store)

    def prepare(pod: Pod) -> None:
        bounds.complete(pod)
        pod.run = run_of_task(pod.manifest) if JOB_NAME in pod.annotations else run_of_owned(pod.manifest)
        complete(pod)

    return Office(store, StoreClient(store, streams.stream("controllers/names"), prepare, bounds.charge), seen=seen)


def attach_controllers(office: Office, names: Collection[str], served: bool = False) -> None:
    """Starts the controllers of these names on a cluster whose first objects are there."""
    if STORAGE in names:
        PersistentVolumes(office.store)
    if EPHEMERAL in names:
        attach_ephemeral_volumes(office.store)
    if CLAIMS in names:
        attach_claim_controller(office.store)
    fill_posts(office, names, served)
