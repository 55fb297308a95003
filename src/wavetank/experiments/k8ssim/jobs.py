from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wavetank.cluster.kinds import parse_resource
from wavetank.cluster.pod import Pod
from wavetank.cluster.resource import Resource
from wavetank.cluster.store import Store
from wavetank.controllers.volcanojobs.spec import TABLE, read_job
from wavetank.workloads.expansion import submissions_of

GROUP_VERSION = "scheduling.volcano.sh/v1beta1"


class JobStarter:
    """Makes the pods of Volcano Jobs at once, as K8sSim has it: no controller waits for the group to be let in.

    The group asks for no resources, so that it is always let in. `complete` is called with each pod.
    """

    def __init__(self, store: Store, complete: Callable[[Pod], Any]) -> None:
        self._store = store
        self._complete = complete
        store.subscribe(TABLE, self)

    def added(self, new: Resource) -> None:
        """Creates the group and the pods of a job."""
        self._store.create(parse_resource(_group(new), self._store.specs))
        for submission in submissions_of(new.manifest, self._store.specs):
            spec = self._store.specs.intern(submission.manifest["spec"])
            for name in submission.names:
                pod = Pod(submission.manifest, spec, name=name, namespace=new.namespace, run=submission.run)
                self._complete(pod)
                self._store.create(pod)

    def modified(self, old: Resource, new: Resource) -> None:
        """A job is read once."""

    def deleted(self, old: Resource) -> None:
        """A job stays."""


def _group(job: Resource) -> dict[str, Any]:
    spec = read_job(job.manifest)
    wanted = {"minMember": spec.min_available, "queue": spec.queue}
    metadata = {"name": job.name, "namespace": job.namespace, "annotations": dict(job.annotations)}
    return {"apiVersion": GROUP_VERSION, "kind": "PodGroup", "metadata": metadata, "spec": wanted}
