from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, islice

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.framework.client import Document
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.jobs.backoff import remaining_wait
from wavetank.controllers.jobs.intervals import Intervals, first_missing, merged
from wavetank.controllers.jobs.pods import TRACKING, all_failures, finished_at, index_of
from wavetank.controllers.jobs.podtemplates import indexed_pod, job_pod
from wavetank.controllers.jobs.spec import JobSpec
from wavetank.controllers.workloads.podcontrol import PodControl
from wavetank.kernel.durations import SECOND, Nanoseconds

_BURST = 500  # pods that are created or deleted per sync
_PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}


class JobPodControl:
    """Creates and deletes the pods of Jobs."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._control = PodControl(context, "job-controller")
        self._templates: dict[str, tuple[object, Document]] = {}  # by uid: a template and the pod made from it

    def forget(self, job: Resource) -> None:
        """Drops what is kept of a deleted Job."""
        self._templates.pop(job.uid, None)

    # creating

    def next_indexes(
        self, spec: JobSpec, missing: int, taken: Intervals, failed: Intervals, delayed: Mapping[int, Pod]
    ) -> tuple[list[int], Nanoseconds]:
        """Returns the indexes that get a pod now; if all are in back-off, for how long."""
        indexes = first_missing(merged(taken, failed), min(missing, _BURST), spec.completions or 0)
        if spec.backoff_per_index is None:
            return indexes, 0
        waits = {index: self._wait(delayed.get(index)) for index in indexes}
        now = [index for index in indexes if not waits[index]]
        return now, 0 if now else min(waits.values(), default=0)

    def _wait(self, failed: Pod | None) -> Nanoseconds:
        if failed is None:
            return 0
        return remaining_wait(all_failures(failed) + 1, finished_at(failed, self._context), self._context.clock.now)

    def create(
        self, job: Resource, spec: JobSpec, number: int, indexes: list[int], delayed: Mapping[int, Pod]
    ) -> tuple[int, ApiError | None]:
        """Creates pods in batches of 1, 2, 4 and so on until one is refused; returns how many, and the error.

        It stops when the Job is deleted meanwhile.
        """
        documents = iter(self._documents(job, spec, min(number, _BURST), indexes, delayed))
        created, size, problem = 0, 1, None
        while problem is None and (batch := list(islice(documents, size))):
            for document in batch:
                if not self._context.is_present(job):
                    return created, problem
                try:
                    self._control.create(job, document)
                    created += 1
                except ApiError as error:
                    problem = problem or error
            size *= 2
        return created, problem

    def _documents(
        self, job: Resource, spec: JobSpec, number: int, indexes: list[int], delayed: Mapping[int, Pod]
    ) -> Iterator[Document]:
        if spec.indexed:
            for index in indexes[:number]:
                yield indexed_pod(job, spec, index, delayed.get(index), self._context)
            return
        known = self._templates.get(job.uid)
        if known is None or known[0] is not spec.template:
            known = self._templates[job.uid] = (spec.template, job_pod(job, spec))
        for _ in range(number):
            yield known[1]

    # deleting

    def for_removal(self, spec: JobSpec, active: Sequence[Pod], least: int) -> list[Pod]:
        """Returns surplus pods: duplicates of an index, pods without one, then those that have progressed least."""
        removed, left = self._doubled(active, spec.completions or 0) if spec.indexed else ([], list(active))
        if len(removed) < least:
            removed += sorted(left, key=self._rank)[: least - len(removed)]
        return removed[:_BURST] if not spec.suspended else removed

    def _doubled(self, active: Sequence[Pod], completions: int) -> tuple[list[Pod], list[Pod]]:
        removed: list[Pod] = []
        left: list[Pod] = []
        for index, group in groupby(sorted(active, key=_place), key=_place):
            pods = sorted(group, key=self._rank)
            if 0 <= index < completions:
                left.append(pods.pop())
            removed += pods
        return removed, left

    def _rank(self, pod: Pod) -> tuple[bool, int, bool, Nanoseconds, int, Nanoseconds]:
        ready = self._context.ready_since(pod)
        since = 0 if ready is None else -(ready // SECOND)
        return bool(pod.node_name), _PHASES.get(pod.phase, 0), ready is not None, since, -pod.restarts, -pod.created

    def delete(self, job: Resource, pods: Sequence[Pod]) -> tuple[list[Pod], ApiError | None]:
        """Deletes pods that are still to be counted; returns the deleted ones and the first error."""
        deleted: list[Pod] = []
        problem = None
        for pod in pods:
            try:
                self._control.delete(job, self._present(pod) or pod)
                deleted.append(pod)
            except ApiError as error:
                problem = problem or error
        return deleted, problem

    def release_and_delete(self, job: Resource, pods: Sequence[Pod]) -> tuple[list[Pod], ApiError | None]:
        """Deletes pods without counting them."""
        return self.delete(job, [pod for pod in pods if self.release(pod)])

    def release(self, pod: Pod) -> bool:
        """Removes the finalizer of a pod; True if it has none any more or does not exist."""
        present = self._present(pod)
        if present is None:
            return True
        document = present.render()
        metadata = document["metadata"] = dict(document["metadata"])
        metadata["finalizers"] = [name for name in metadata.get("finalizers") or () if name != TRACKING]
        if not metadata["finalizers"]:
            del metadata["finalizers"]
        try:
            self._context.client.update(present, document)
        except ApiError as error:
            return error.code == 404
        return True

    def _present(self, pod: Pod) -> Pod | None:
        found = self._context.store.find(Pod.group_kind, *pod.key)
        return found if isinstance(found, Pod) and found.uid == pod.uid else None


def _place(pod: Pod) -> int:
    index = index_of(pod)
    return -1 if index is None else index
