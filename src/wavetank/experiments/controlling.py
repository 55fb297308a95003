"""The controllers of a cluster, as many of them as are wanted."""

from __future__ import annotations

from collections.abc import Callable, Collection

from wavetank.cluster.pod import Pod
from wavetank.cluster.store import Store
from wavetank.controllers.frame.office import Office
from wavetank.controllers.frame.roster import CLAIMS, EPHEMERAL, STORAGE, fill_posts
from wavetank.controllers.frame.storeclient import StoreClient
from wavetank.controllers.persistentvolumes import PersistentVolumes
from wavetank.controllers.resourceclaims import attach_claim_controller
from wavetank.controllers.volcanojobs.pods import JOB_NAME
from wavetank.controllers.volumes import attach_ephemeral_volumes
from wavetank.kernel.randomness import Streams
from wavetank.workloads.expansion import run_of_task
from wavetank.workloads.runs import run_of

# Kinds of which a run submits the objects themselves, by the controller that makes pods of them.
_PLANTED: dict[str, str] = {}


def planted_kinds(names: Collection[str]) -> frozenset[str]:
    """Returns the kinds (tables) that a workload submits as objects, if the controllers of these names are on."""
    return frozenset(table for name, table in _PLANTED.items() if name in names)


def office_of_run(store: Store, streams: Streams, complete: Callable[[Pod], None]) -> Office:
    """Returns what controllers of a run work with: `complete` is called with each pod that they create."""

    def prepare(pod: Pod) -> None:
        pod.run = run_of_task(pod.manifest) if JOB_NAME in pod.annotations else run_of(pod.manifest)
        complete(pod)

    return Office(store, StoreClient(store, streams.stream("controllers/names"), prepare))


def attach_controllers(office: Office, names: Collection[str]) -> None:
    """Starts the controllers of these names on a cluster whose first objects are there."""
    if STORAGE in names:
        PersistentVolumes(office.store)
    if EPHEMERAL in names:
        attach_ephemeral_volumes(office.store)
    if CLAIMS in names:
        attach_claim_controller(office.store)
    fill_posts(office, names)
