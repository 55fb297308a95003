from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import POD, VOLCANO_JOB
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.objects.volcano import API_VERSION, GROUP_NAME, POD_GROUPS
from wavetank.controllers.volcanojobs.spec import read_job
from wavetank.workloads.manifests.expansion import submissions_of


class JobStarter:
    """Creates the pods of Volcano Jobs at once, as K8sSim does: no controller waits until the PodGroup is admitted.

    The group requests no resources, so that it is always admitted; it is deleted with the last pod that ends, so that
    sessions need not look at it any more. `complete` is called with each pod.
    """

    def __init__(self, context: ActorContext, complete: Callable[[Pod], Any]) -> None:
        self._store = store = context.store
        self._complete = complete
        self._unfinished: Counter[tuple[str, str]] = Counter()  # pods by group
        store.subscribe(VOLCANO_JOB, added=self._start)
        store.subscribe(POD, modified=self._pod_modified, deleted=self._pod_deleted)

    def _start(self, new: Resource) -> None:
        """Creates the group and the pods of a job."""
        self._store.create(parse_resource(_group(new), self._store.specs))
        for submission in submissions_of(new.manifest, self._store.specs):
            spec = self._store.specs.intern(submission.manifest["spec"])
            self._unfinished[new.key] += len(submission.names)
            for name in submission.names:
                pod = Pod(submission.manifest, spec, name=name, namespace=new.namespace, behavior=submission.behavior)
                self._complete(pod)
                self._store.create(pod)

    def _pod_modified(self, old: Pod, new: Pod) -> None:
        if new.finished and not old.finished:
            self._pod_ended(new)

    def _pod_deleted(self, old: Pod) -> None:
        if not old.finished:
            self._pod_ended(old)

    def _pod_ended(self, pod: Pod) -> None:
        """Deletes the group of a job whose last pod has ended."""
        key = (pod.namespace, pod.annotations.get(GROUP_NAME, ""))
        if key not in self._unfinished:
            return
        self._unfinished[key] -= 1
        if not self._unfinished[key]:
            del self._unfinished[key]
            group = self._store.find(POD_GROUPS, *key)
            if group is not None:
                self._store.delete(group)


def _group(job: Resource) -> dict[str, Any]:
    spec = read_job(job.manifest)
    wanted = {"minMember": spec.min_available, "queue": spec.queue}
    metadata = {"name": job.name, "namespace": job.namespace, "annotations": dict(job.annotations)}
    return {"apiVersion": API_VERSION, "kind": "PodGroup", "metadata": metadata, "spec": wanted}
