from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from wavetank.batchoperator.applications.application import ApplicationType, Progress, Submission, slot_places
from wavetank.batchoperator.applications.types import application_of_kind, application_type
from wavetank.batchoperator.client.client import Change
from wavetank.batchoperator.client.objects import KubeObject
from wavetank.batchoperator.reconcilers.batchjob.history import started, stopped
from wavetank.batchoperator.reconcilers.claims import is_marked, release
from wavetank.batchoperator.reconcilers.context import OperatorContext
from wavetank.batchoperator.reconcilers.pods import TestbedPods
from wavetank.batchoperator.resources import labels
from wavetank.batchoperator.resources.applications import APPLICATIONS
from wavetank.batchoperator.resources.batchjob import BatchJob, CreationRequest, JobState, read_batchjob
from wavetank.batchoperator.resources.groups import ApiGroup
from wavetank.batchoperator.resources.references import Reference
from wavetank.batchoperator.resources.testbed import read_testbed
from wavetank.cluster.store.errors import AlreadyExistsError, ApiError, ConflictError, NotFoundError
from wavetank.controllers.framework.queue import WorkQueue
from wavetank.errors import InputError

Key = tuple[str, str]

_ACTIVE = (JobState.SUBMITTED, JobState.SCHEDULED, JobState.RUNNING)
_FREE = (JobState.READY, JobState.IN_QUEUE, JobState.PENDING_DELETION)
_ENDED = (JobState.COMPLETED, JobState.FAILED, JobState.FAILED_SUBMISSION)
# What building an application raises if the user's part of its spec has other types than it should.
_UNUSABLE = (InputError, msgspec.ValidationError, AttributeError, KeyError, TypeError, ValueError)


class BatchJobReconciler:
    """Creates the application of a job when its scheduling asks for it, and follows the application to its end.

    The state follows from what exists: the claim, the request, the application and its pods. So states may be skipped,
    and a new operator goes on where the last one was.
    """

    def __init__(self, context: OperatorContext, group: ApiGroup, pods: TestbedPods) -> None:
        self._context = context
        self._client = context.client
        self._group = group
        self._kind = ("BatchJob", group.api_version)
        self._pods = pods
        self._claimed: dict[Key, set[Key]] = {}  # by scheduling, its jobs
        self._claims: dict[Key, Key] = {}
        self._known: set[Key] = set()
        self._progress: dict[Key, Progress] = {}  # of applications, as it was last seen
        self._own: Key | None = None  # the job that is being written, if nothing has to follow from that
        self._nodes: dict[Key, list[str]] = {}  # of the slots of each testbed, in the order of their ids
        self._places: dict[Key, frozenset[str]] = {}  # of the slots of each testbed
        self._queue = WorkQueue(context.clock, self._reconcile)
        pods.on_application.append(self._pod_changed)
        context.client.subscribe(group.batchjob, self._changed)
        context.client.subscribe(group.scheduling, self._scheduling_changed)
        context.client.subscribe(group.testbed, self._testbed_changed)
        for kind in APPLICATIONS:
            context.client.subscribe(kind, self._application_changed)

    def _changed(self, change: Change) -> None:
        key = change.object.key
        gone = change.action == "DELETED"
        claim = None if gone else read_batchjob(change.object).claim
        self._index(key, None if claim is None else claim.key)
        if gone:
            self._known.discard(key)
        else:
            self._known.add(key)
        if self._own != key:
            self._queue.add(key)

    def _index(self, key: Key, scheduling: Key | None) -> None:
        old = self._claims.get(key)
        if old == scheduling:
            return
        if old is not None:
            del self._claims[key]
            self._claimed[old].discard(key)
        if scheduling is not None:
            self._claims[key] = scheduling
            self._claimed.setdefault(scheduling, set()).add(key)

    def _scheduling_changed(self, change: Change) -> None:
        if change.action == "DELETED":
            for key in sorted(self._claimed.get(change.object.key, ())):
                self._queue.add(key)

    def _testbed_changed(self, change: Change) -> None:
        """Looks at all jobs again if a testbed has got other slots."""
        key, slots = change.object.key, change.object.status.get("slots") or ()
        slots = () if change.action == "DELETED" else slots
        nodes = [slot["nodeName"] for slot in slots]
        if self._nodes.get(key) != nodes:
            self._nodes[key] = nodes
            self._places[key] = frozenset(slot_places(slots))
            for job in self._claims:
                self._queue.add(job)

    def _pod_changed(self, key: Key, pod: KubeObject) -> None:
        """Looks at a job when a pod of its application was scheduled, or is gone."""
        if key in self._known and (pod.node_name or pod.key not in self._pods.of_application(key)):
            self._queue.add(key)

    def _application_changed(self, change: Change) -> None:
        """Looks at a job when its application has got on, or is gone; a new one was made by this reconciler."""
        key, application = change.object.key, change.object
        if key not in self._known:
            return
        gone = change.action == "DELETED" or application.deleting
        progress = None if gone else _progress(application)
        if gone or progress is not self._progress.get(key, Progress.PENDING):
            self._queue.add(key)
        if progress is None:
            self._progress.pop(key, None)
        else:
            self._progress[key] = progress

    def _reconcile(self, key: Key) -> None:
        found = self._client.get(self._group.batchjob, *key)
        if found is None or found.deleting:
            self._delete_orphans(key)
            return
        job = read_batchjob(found)
        try:
            claim = job.claim
            if claim is not None and self._client.get(self._group.scheduling, *claim.key) is None:
                release(self._context, found)  # its scheduling was deleted
            elif claim is None:
                self._stay_free(job)
            else:
                self._serve(job, claim)
        except msgspec.ValidationError as error:
            self._write(job, JobState.FAILED_SUBMISSION, problems=[str(error)])

    def _delete_orphans(self, key: Key) -> None:
        """Deletes the application of a job that was deleted."""
        for kind in APPLICATIONS:
            application = self._client.get(kind, *key)
            owner = {} if application is None else _owner(application)
            if application is not None and (owner.get("kind"), owner.get("apiVersion")) == self._kind:
                self._client.delete(application)

    # without a claim

    def _stay_free(self, job: BatchJob) -> None:
        """Removes what is left of the last run; then the job is ready for the next claim."""
        if is_marked(job.object):
            release(self._context, job.object)
        elif self._remove_application(job):
            self._write(job, JobState.READY)
        else:
            self._write(job, JobState.PENDING_DELETION)

    def _remove_application(self, job: BatchJob) -> bool:
        """Deletes the application; tells whether it and its pods are gone."""
        application = self._application(job)
        if application is not None and not application.deleting:
            self._client.delete(application)
            application = self._application(job)
        return application is None and not self._pods.of_application(job.object.key)

    # with a claim

    def _serve(self, job: BatchJob, claim: Reference) -> None:
        state, request = job.state, job.request
        if state in _ENDED:
            return
        if state in _ACTIVE:
            self._follow(job, claim)
        elif request is None or state is not JobState.IN_QUEUE:
            if self._application(job) is None or self._is_current(job, request) or self._remove_application(job):
                self._write(job, JobState.IN_QUEUE)
        else:
            self._submit(job, request)

    def _is_current(self, job: BatchJob, request: CreationRequest | None) -> bool:
        """Tells whether the application that exists was made for the present request."""
        application = self._application(job)
        submission = None if request is None else self._submission(job, request)
        if application is None or submission is None:
            return False
        return not application.deleting and submission.mark.items() <= application.labels.items()

    def _submit(self, job: BatchJob, request: CreationRequest) -> None:
        """Has the application created, and says so in the status, or why it cannot be."""
        try:
            if not self._create(job, request):
                return
        except _UNUSABLE as error:
            self._fail(job, error)
        except ApiError as error:
            if not self._is_refused(job, error):
                raise  # again later
            self._fail(job, error)
        else:
            testbed = {"name": request.testbed_name.name, "namespace": request.testbed_name.namespace}
            slots, replication = list(request.slot_ids), request.replication
            self._write(job, JobState.SUBMITTED, slots=testbed, slotIds=slots, replication=replication)

    def _create(self, job: BatchJob, request: CreationRequest) -> bool:
        """Creates the application; one that was made for the same request is kept. False: another is in the way."""
        submission = self._submission(job, request)
        if self._application(job) is None:
            self._client.create(self._type(job).build(submission))
        elif not self._is_current(job, request):
            self._remove_application(job)
            return False
        return True

    def _is_refused(self, job: BatchJob, error: ApiError) -> bool:
        """Tells whether an application cannot be created later either; one of the same name may be another's."""
        if isinstance(error, AlreadyExistsError):
            exists = self._client.get(self._type(job).kind, *job.object.key) is not None
            return exists and self._application(job) is None
        return not isinstance(error, ConflictError) and error.code < 500

    def _fail(self, job: BatchJob, error: Exception) -> None:
        self._write(job, JobState.FAILED_SUBMISSION, problems=[f"the application cannot be created: {error}"])

    def _submission(self, job: BatchJob, request: CreationRequest) -> Submission:
        found = self._client.get(self._group.testbed, *request.testbed_name.key)
        if found is None:
            raise NotFoundError(f"there is no testbed {request.testbed_name}")
        testbed = read_testbed(found)
        known = len(found.status.get("slots") or ())
        outside = [id_ for id_ in request.slot_ids if id_ >= known]
        if outside or not request.slot_ids:
            what = f"slot {outside[0]} is not one of its {known} slots" if outside else "no slots are requested"
            raise InputError(f"testbed {request.testbed_name}: {what}")
        return Submission(self._group, job, request, testbed, self._context.options)

    def _follow(self, job: BatchJob, claim: Reference) -> None:
        """Takes over how far the application is."""
        application = self._application(job)
        events, now = job.object.status.get("scheduledEvents") or [], self._context.clock.now
        if application is None or application.deleting:
            self._give_back(job, claim)
            return
        progress = _progress(application)
        if progress is Progress.PENDING and self._has_lost_slots(job, application):
            self._give_back(job, claim)
            return
        if progress is Progress.COMPLETED:
            self._write(job, JobState.COMPLETED, scheduledEvents=stopped(events, claim, now, successful=True))
        elif progress is Progress.FAILED:
            problems = ["the application has failed"]
            history = stopped(events, claim, now, successful=False)
            self._write(job, JobState.FAILED, problems=problems, scheduledEvents=history)
        elif progress is Progress.RUNNING:
            if job.state is not JobState.RUNNING:
                self._write(job, JobState.RUNNING, scheduledEvents=started(events, claim, now))
        elif job.state is JobState.SUBMITTED and self._is_scheduled(job):
            self._write(job, JobState.SCHEDULED)

    def _has_lost_slots(self, job: BatchJob, application: KubeObject) -> bool:
        """Tells whether slots of a job are gone with their nodes, so that its pods wait in vain."""
        slots = job.object.status.get("slots") or {}
        known = self._places.get((slots.get("namespace", ""), slots.get("name", "")), frozenset())
        promised = application.annotations.get(labels.SLOT_PLACES, "").split()
        return not known.issuperset(promised)

    def _give_back(self, job: BatchJob, claim: Reference) -> None:
        """Releases a job whose application was deleted, or cannot run; its scheduling may claim it again."""
        found, events = job.object, job.object.status.get("scheduledEvents") or []
        if events and "stop" not in events[-1]:
            history = stopped(events, claim, self._context.clock.now, successful=False)
            found = self._client.update_status(found, {**found.status, "scheduledEvents": history})
        release(self._context, found)

    def _is_scheduled(self, job: BatchJob) -> bool:
        pods = self._pods.of_application(job.object.key).values()
        wanted = int(job.object.status.get("replication") or 0)
        return len(pods) >= wanted and all(pod.node_name for pod in pods)

    # common

    def _type(self, job: BatchJob) -> ApplicationType:
        return application_type(job.object.spec)

    def _application(self, job: BatchJob) -> KubeObject | None:
        """Returns the application of a job; one of the same name that another object or a user made is not ours."""
        found = self._client.get(self._type(job).kind, *job.object.key)
        return found if found is not None and _owner(found).get("uid") == job.object.uid else None

    def _write(self, job: BatchJob, state: JobState, problems: list[str] | None = None, **fields: Any) -> None:
        """Writes the status if it is another one; what is not given stays, except for a job that is free."""
        old = kept = job.object.status
        if state in _FREE:
            kept = {"scheduledEvents": old["scheduledEvents"]} if "scheduledEvents" in old else {}
        status = {**kept, **fields, "state": state.value}
        status.pop("problems", None)
        if problems:
            status["problems"] = problems
        if status != old:
            follows = state is JobState.IN_QUEUE and job.request is not None
            self._own = None if follows else job.object.key
            try:
                self._client.update_status(job.object, status)
            finally:
                self._own = None


def _progress(application: KubeObject) -> Progress:
    """Tells how far an application is, worked out once for each version of it."""
    if application.view is None:
        application.view = application_of_kind(application.group_kind).progress(application)
    progress: Progress = application.view
    return progress


def _owner(application: KubeObject) -> Mapping[str, Any]:
    owners = (application.manifest.get("metadata") or {}).get("ownerReferences") or [{}]
    owner: Mapping[str, Any] = owners[0]
    return owner
