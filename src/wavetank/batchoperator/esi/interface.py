from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from wavetank.apiserver.waiting import in_slices
from wavetank.batchoperator.client.client import Change, Client, Handler
from wavetank.batchoperator.client.objects import KubeObject
from wavetank.batchoperator.esi.conversion import scheduling_document, to_job, to_scheduling, to_testbed
from wavetank.batchoperator.esi.external import (
    ExternalBatchJob,
    ExternalResource,
    ExternalScheduling,
    ExternalSlotBased,
    ExternalTestbed,
)
from wavetank.batchoperator.resources.groups import ESI, ApiGroup
from wavetank.cluster.objects.groupkinds import GroupKind
from wavetank.cluster.store.errors import AlreadyExistsError, ConflictError

Publish = Callable[[str, str, ExternalResource], None]

_log = logging.getLogger("wavetank.batchoperator")
_ATTEMPTS = 5  # to replace a scheduling that the operator is writing to
_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")


class RefusedError(Exception):
    """A request that is refused with an HTTP status; `field` is the place in its body, such as slots.jobs[0].slots."""

    def __init__(self, status: int, message: str, field: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.field = field


@dataclass(frozen=True)
class Interface:
    """The operations of the External Scheduler Interface on one namespace of a cluster."""

    client: Client
    namespace: str = "default"
    group: ApiGroup = ESI

    def publish_to(self, publish: Publish) -> None:
        """Calls `publish` with the present resources and with every change: topic, action, resource."""
        for topic, kind, convert in self._kinds():
            self.client.subscribe(kind, self._publisher(publish, topic, convert))

    def _publisher(self, publish: Publish, topic: str, convert: Callable[[KubeObject], ExternalResource]) -> Handler:
        def handle(change: Change) -> None:
            if change.object.namespace != self.namespace:
                return
            try:
                publish(topic, change.action, convert(change.object))
            except (msgspec.ValidationError, ValueError) as error:  # of another version of the operator
                _log.warning("%r cannot be shown: %s", change.object, error)

        return handle

    def testbeds(self) -> list[ExternalTestbed]:
        """Returns all testbeds."""
        return [to_testbed(found) for found in in_slices(self._list(self.group.testbed))]

    def testbed(self, name: str) -> ExternalTestbed:
        """Returns a testbed; 404 if there is none."""
        return to_testbed(self._get(self.group.testbed, name, "testbed"))

    def jobs(self) -> dict[str, ExternalBatchJob]:
        """Returns all jobs by name."""
        return {found.name: to_job(found) for found in in_slices(self._list(self.group.batchjob))}

    def job(self, name: str) -> ExternalBatchJob:
        """Returns a job; 404 if there is none."""
        return to_job(self._get(self.group.batchjob, name, "job"))

    def update_job(self, job: ExternalBatchJob) -> ExternalBatchJob:
        """Stores the data of an external scheduler with a job; nothing else of it can be changed."""

        def store() -> KubeObject:
            found = self._get(self.group.batchjob, job.name, "job")
            kept = {key: value for key, value in found.spec.items() if key != "externalScheduler"}
            data = {} if job.external_scheduler is None else {"externalScheduler": job.external_scheduler}
            return self.client.update(found, {**kept, **data})

        return to_job(_retried(store))

    def schedulings(self) -> list[ExternalScheduling]:
        """Returns all schedulings."""
        return [to_scheduling(found) for found in in_slices(self._list(self.group.scheduling))]

    def scheduling(self, name: str) -> ExternalScheduling:
        """Returns a scheduling; 404 if there is none."""
        return to_scheduling(self._get(self.group.scheduling, name, "scheduling"))

    def put_scheduling(self, scheduling: ExternalScheduling) -> ExternalScheduling:
        """Creates a scheduling, or replaces the jobs of one that exists: so a queue is extended while it runs."""
        self._check(scheduling)
        document = scheduling_document(scheduling, self.group, self.namespace)

        def write() -> KubeObject:
            found = self.client.get(self.group.scheduling, self.namespace, scheduling.name)
            return self.client.create(document) if found is None else self.client.update(found, document["spec"])

        return to_scheduling(_retried(write))

    def delete_scheduling(self, name: str) -> ExternalScheduling | None:
        """Deletes a scheduling and returns it as it was; None if there is none."""
        found = self.client.get(self.group.scheduling, self.namespace, name)
        if found is None:
            return None
        self.client.delete(found)
        return to_scheduling(found)

    def _kinds(self) -> list[tuple[str, GroupKind, Callable[[KubeObject], ExternalResource]]]:
        return [
            ("testbeds", self.group.testbed, to_testbed),
            ("jobs", self.group.batchjob, to_job),
            ("schedulings", self.group.scheduling, to_scheduling),
        ]

    def _list(self, kind: GroupKind) -> list[KubeObject]:
        return self.client.list(kind, self.namespace)

    def _get(self, kind: GroupKind, name: str, what: str) -> KubeObject:
        found = self.client.get(kind, self.namespace, name)
        if found is None:
            raise RefusedError(404, f"there is no {what} {name!r:.100}")
        return found

    def _check(self, scheduling: ExternalScheduling) -> None:
        if not _NAME.fullmatch(scheduling.name) or len(scheduling.name) > 253:
            raise RefusedError(400, f"expected a name in lower case, not {scheduling.name!r:.100}", "name")
        if (scheduling.queue is None) == (scheduling.slots is None):
            raise RefusedError(400, "expected either queue or slots", "queue")
        testbed = self.client.get(self.group.testbed, self.namespace, scheduling.test_bed)
        if testbed is None:
            raise RefusedError(422, f"there is no testbed {scheduling.test_bed!r:.100}", "testBed")
        if scheduling.queue is not None:
            self._check_jobs([(name, f"queue[{at}]") for at, name in enumerate(scheduling.queue)], "queue")
        if scheduling.slots is not None:
            named = [(job.name, f"slots.jobs[{at}].name") for at, job in enumerate(scheduling.slots.jobs)]
            self._check_jobs(named, "slots.jobs")
            _check_slots(scheduling.slots, to_testbed(testbed))

    def _check_jobs(self, jobs: list[tuple[str, str]], field: str) -> None:
        if not jobs:
            raise RefusedError(400, "expected at least one job", field)
        known: set[str] = set()
        for name, place in jobs:
            if name not in known and self.client.get(self.group.batchjob, self.namespace, name) is None:
                raise RefusedError(422, f"there is no job {name!r:.100}", place)
            known.add(name)


def _check_slots(slots: ExternalSlotBased, testbed: ExternalTestbed) -> None:
    """Refuses slots that the testbed does not have; a testbed that is not set up yet has none to compare with."""
    size, named = len(testbed.slots), set()
    for at, job in enumerate(slots.jobs):
        if job.name in named:
            raise RefusedError(400, f"job {job.name!r:.100} is named twice", f"slots.jobs[{at}].name")
        named.add(job.name)
        _check_ids(job.slots, size, f"slots.jobs[{at}].slots")


def _check_ids(ids: list[int], size: int, place: str) -> None:
    if not ids:
        raise RefusedError(400, "expected at least one slot", place)
    seen: set[int] = set()
    for at, slot in enumerate(ids):
        if slot < 0 or (size and slot >= size):
            expected = f"expected a slot from 0 to {size - 1}" if size else "expected the number of a slot"
            raise RefusedError(422, f"{expected}, not {slot}", f"{place}[{at}]")
        if slot in seen:
            raise RefusedError(400, f"slot {slot} is named twice", f"{place}[{at}]")
        seen.add(slot)


def _retried(write: Callable[[], KubeObject]) -> KubeObject:
    """Repeats a write that is made from an old version."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return write()
        except (ConflictError, AlreadyExistsError):
            continue
    return write()
