from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.objects.groupkinds import JOB, WORKLOAD
from wavetank.cluster.objects.kueue import (
    ADMITTED,
    COMPLETIONS_EQUAL_PARALLELISM,
    EVICTED,
    FINISHED,
    IN_USE,
    MIN_PARALLELISM,
    POD_SET,
    QUEUE_NAME,
    QUOTA_RESERVED,
    WORKLOAD_NAME,
)
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.finalizers import remove_finalizer
from wavetank.controllers.framework.ownership import controller_of, controller_reference
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.kueue.jobs.gating import default_queue
from wavetank.controllers.kueue.jobs.priorities import PriorityClasses
from wavetank.controllers.kueue.jobs.workloads import (
    gated_for_topology,
    make_workload,
    topology_request,
    with_flavors,
    workload_name,
)
from wavetank.controllers.kueue.objects.conditions import WorkloadStatus
from wavetank.controllers.kueue.objects.flavors import Flavors
from wavetank.controllers.kueue.topology.requests import read_request
from wavetank.controllers.kueue.writer import Writer

_MAIN = "main"  # the only pod set of a Job
# Labels that the job-controller adds to the template.
_OF_JOB = ("job-name", "controller-uid", "batch.kubernetes.io/job-name", "batch.kubernetes.io/controller-uid")
_KEPT = "batch.kubernetes.io/job-name"  # stays in the Workload's template
_INDEX = "batch.kubernetes.io/job-completion-index"  # the label of pods of an Indexed Job
_COMPONENT = "batch/job-kueue-controller"

Document = dict[str, Any]


class QueuedJobs:
    """Suspends Jobs that name a queue until their Workload is admitted, and again when it is evicted."""

    def __init__(self, context: ControllerContext, writer: Writer, flavors: Flavors, classes: PriorityClasses) -> None:
        self._context = context
        self._store = context.store
        self._client = context.client
        self._writer = writer
        self._flavors = flavors
        self._work = context.queue(self._reconcile)
        self._classes = classes
        self._names: dict[str, str] = {}  # of Workloads, by uid of the Job
        self._store.subscribe(JOB, added=self._added, modified=self._modified, deleted=self._deleted)
        self._store.subscribe(WORKLOAD, modified=self._workload_modified)
        for job in self._store.list(JOB):
            self._added(job)

    # events

    def _added(self, job: Resource) -> None:
        queue = job.labels.get(QUEUE_NAME) or default_queue(self._store, job.namespace)
        if not queue:
            return
        is_new = self._find_workload(job) is None and not _is_finished(job)
        if is_new and not (job.labels.get(QUEUE_NAME) and _is_suspended(job)):
            self._suspend(job, queue)  # as Kueue's webhook does, before the job-controller sees the Job
        self._work.add(job.key)

    def _modified(self, old: Resource, new: Resource) -> None:
        if new.labels.get(QUEUE_NAME):
            self._work.add(new.key)

    def _deleted(self, old: Resource) -> None:
        workload = self._find_workload(old)
        self._names.pop(old.uid, None)
        if workload is not None:
            remove_finalizer(self._client, workload, IN_USE)
            remaining = self._store.find(WORKLOAD, *workload.key)
            if remaining is not None:
                self._client.delete(remaining)

    def _workload_modified(self, old: Resource, new: Resource) -> None:
        owner = controller_of(new)
        if owner is not None and owner.get("kind") == "Job":
            self._work.add((new.namespace, str(owner["name"])))

    # work

    def _reconcile(self, key: Key) -> None:
        job = self._store.find(JOB, *key)
        if job is None or not job.labels.get(QUEUE_NAME) or job.deleted is not None:
            return
        workload = self._find_workload(job)
        if workload is None:
            if not _is_finished(job):
                self._create(job)
            return
        status = self._writer.status_of(workload)
        if status.is_true(FINISHED):
            remove_finalizer(self._client, workload, IN_USE)
        elif _is_finished(job):
            self._finish(job, workload, status)
        elif _reclaimable(job) != (status.status.get("reclaimablePods") or []):
            self._reclaim(job, workload, status)
        elif status.is_true(EVICTED):
            self._stop_evicted(job, workload, status)
        else:
            self._follow(job, workload, status)

    def _reclaim(self, job: Resource, workload: Resource, status: WorkloadStatus) -> None:
        """Writes how many pods are not needed any more.

        While a Workload has quota this cannot decrease, as it would for a Job that is admitted again with more pods:
        Kueue's webhook refuses it, and Kueue does not get further with the Job, not even to suspend it.
        """
        before, after = status.status.get("reclaimablePods") or [], _reclaimable(job)
        if status.is_true(QUOTA_RESERVED) and before and (not after or after[0]["count"] < before[0]["count"]):
            return
        status.status["reclaimablePods"] = after
        self._writer.write(workload, status)

    def _follow(self, job: Resource, workload: Resource, status: WorkloadStatus) -> None:
        """Starts an admitted Job; a Job that is not admitted stays suspended."""
        if not _is_suspended(job):
            if not status.is_true(ADMITTED):
                self._stop(job, workload, "Not admitted by cluster queue")
        elif status.is_true(ADMITTED):
            self._start(job, workload, status)
        elif workload.manifest["spec"].get("queueName") != job.labels[QUEUE_NAME]:
            document = workload.render()
            document["spec"] = {**document["spec"], "queueName": job.labels[QUEUE_NAME]}
            self._client.update(workload, document)

    def _create(self, job: Resource) -> None:
        if (job.manifest.get("status") or {}).get("active"):
            return
        delay = self._classes.delay(job)
        if delay:
            self._work.add_after(job.key, delay)
            return
        template = {**job.manifest["spec"]["template"]}
        metadata = dict(template.get("metadata") or {})
        labels = metadata.get("labels") or {}
        metadata["labels"] = {key: value for key, value in labels.items() if key not in _OF_JOB or key == _KEPT}
        template["metadata"] = metadata
        pod_set: Document = {"name": _MAIN, "count": _pods(job), "template": template}
        pod_set |= topology_request(metadata.get("annotations") or {}, _INDEX)
        least = _least_pods(job)
        if least is not None:
            pod_set["minCount"] = least
        name = self._name_of(job)
        queue = job.labels[QUEUE_NAME]
        document = make_workload(self._store, job, name, queue, [pod_set])
        document["metadata"]["ownerReferences"] = [controller_reference(job)]
        limit = job.labels.get("kueue.x-k8s.io/max-exec-time-seconds")
        if limit is not None:
            document["spec"]["maximumExecutionTimeSeconds"] = int(limit)
        self._client.create(document)
        self._record(job, "CreatedWorkload", f"Created Workload: {job.namespace}/{name}")

    def _start(self, job: Resource, workload: Resource, status: WorkloadStatus) -> None:
        """Runs a Job on nodes of the flavors that its Workload got."""
        assigned = status.status["admission"]["podSetAssignments"][0]
        flavors = self._flavors.assigned(assigned.get("flavors"))
        document = job.render()
        spec = document["spec"] = dict(document["spec"])
        spec["suspend"] = False
        if _least_pods(job) is not None:
            _set_parallelism(job, spec, int(assigned["count"]))
        added = {"labels": {POD_SET: _MAIN}, "annotations": {WORKLOAD_NAME: workload.name}}
        spec["template"] = with_flavors(spec["template"], flavors, added)
        if assigned.get("topologyAssignment"):
            asked = read_request(workload.manifest["spec"]["podSets"][0]) is not None
            spec["template"] = gated_for_topology(spec["template"], asked)
        self._client.update(job, document)
        self._record(job, "Started", f"Admitted by clusterQueue {status.status['admission']['clusterQueue']}")

    def _stop_evicted(self, job: Resource, workload: Resource, status: WorkloadStatus) -> None:
        """Suspends an evicted Job; its quota is free when it has no active pods any more."""
        evicted = status.get(EVICTED)
        assert evicted is not None
        job = self._stop(job, workload, evicted["message"])
        if status.is_true(QUOTA_RESERVED) and not (job.manifest.get("status") or {}).get("active"):
            requeued = evicted["reason"] in ("Preempted", "NodeFailures")
            status.requeued(requeued, evicted["reason"], evicted["message"])
            status.unreserve("Pending", evicted["message"])
            self._writer.write(workload, status)

    def _stop(self, job: Resource, workload: Resource, message: str) -> Resource:
        """Suspends a Job and gives it its own template back; returns its new version."""
        if not _is_suspended(job):
            job = self._suspend(job, job.labels[QUEUE_NAME])
            self._record(job, "Stopped", message)
        status = job.manifest.get("status") or {}
        if status.get("startTime") is not None:  # else the template cannot be changed
            job = self._client.update_status(job, {k: v for k, v in status.items() if k != "startTime"})
        restored = _restored(job, workload)
        return job if restored is None else self._client.update(job, restored)

    def _suspend(self, job: Resource, queue: str) -> Resource:
        document = job.render()
        document["spec"] = {**document["spec"], "suspend": True}
        document["metadata"] = {**document["metadata"], "labels": {**job.labels, QUEUE_NAME: queue}}
        return self._client.update(job, document)

    def _finish(self, job: Resource, workload: Resource, status: WorkloadStatus) -> None:
        conditions = (job.manifest.get("status") or {}).get("conditions") or ()
        ended = next(each for each in conditions if each["type"] in ("Complete", "Failed") and each["status"] == "True")
        reason = "Succeeded" if ended["type"] == "Complete" else "Failed"
        status.finish(reason, str(ended.get("message") or ""))
        self._writer.write(workload, status)
        self._record(job, "FinishedWorkload", f"Workload '{'/'.join(workload.key)}' is declared finished")

    def _find_workload(self, job: Resource) -> Resource | None:
        return self._store.find(WORKLOAD, job.namespace, self._name_of(job))

    def _name_of(self, job: Resource) -> str:
        name = self._names.get(job.uid)
        if name is None:
            name = self._names[job.uid] = workload_name("Job", "batch", job.name, job.uid)
        return name

    def _record(self, job: Resource, reason: str, message: str) -> None:
        self._context.record_event(job, "Normal", reason, message, _COMPONENT)


def _is_suspended(job: Resource) -> bool:
    return bool((job.manifest.get("spec") or {}).get("suspend"))


def _is_finished(job: Resource) -> bool:
    conditions = (job.manifest.get("status") or {}).get("conditions") or ()
    return any(each["type"] in ("Complete", "Failed") and each["status"] == "True" for each in conditions)


def _pods(job: Resource) -> int:
    spec = job.manifest["spec"]
    parallelism = spec.get("parallelism")
    pods = 1 if parallelism is None else int(parallelism)
    completions = spec.get("completions")
    return pods if completions is None else min(pods, int(completions))


def _least_pods(job: Resource) -> int | None:
    stated = job.annotations.get(MIN_PARALLELISM, "")
    return int(stated) if stated.isdecimal() else None


def _set_parallelism(job: Resource, spec: Document, count: int) -> None:
    spec["parallelism"] = count
    if job.annotations.get(COMPLETIONS_EQUAL_PARALLELISM) == "true":
        spec["completions"] = count


def _reclaimable(job: Resource) -> list[Document]:
    """Returns how many pods of a Job will not be needed any more."""
    spec: Mapping[str, Any] = job.manifest["spec"]
    parallelism = 1 if spec.get("parallelism") is None else int(spec["parallelism"])
    succeeded = int((job.manifest.get("status") or {}).get("succeeded") or 0)
    if parallelism == 1 or not succeeded:
        return []
    completions = parallelism if spec.get("completions") is None else int(spec["completions"])
    remaining = completions - succeeded
    return [] if remaining >= parallelism else [{"name": _MAIN, "count": parallelism - remaining}]


def _restored(job: Resource, workload: Resource) -> Document | None:
    """Returns the Job with the template of its Workload; None if it has it already."""
    original = workload.manifest["spec"]["podSets"][0]
    document = job.render()
    spec = document["spec"] = dict(document["spec"])
    template, given = dict(spec["template"]), original["template"]
    head, wanted = dict(template.get("metadata") or {}), given.get("metadata") or {}
    labels = {key: value for key, value in (head.get("labels") or {}).items() if key in _OF_JOB}
    head["labels"] = {**(wanted.get("labels") or {}), **labels}
    head["annotations"] = wanted.get("annotations") or {}
    head = {key: value for key, value in head.items() if value or key in (template.get("metadata") or {})}
    template["metadata"] = head
    pod = template["spec"] = dict(template["spec"])
    for field in ("nodeSelector", "tolerations", "schedulingGates"):
        if given["spec"].get(field):
            pod[field] = given["spec"][field]
        else:
            pod.pop(field, None)
    spec["template"] = template
    if _least_pods(job) is not None:
        _set_parallelism(job, spec, int(original["count"]))
    return None if spec == job.manifest["spec"] else document
