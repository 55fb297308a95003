from __future__ import annotations

from email.utils import formatdate
from typing import Any

from wavetank.cluster.objects.groupkinds import CRON_JOB, JOB
from wavetank.cluster.objects.resource import EPOCH_SECONDS, Resource, parse_time, render_time
from wavetank.cluster.rules.cron import ScheduleError, is_zone
from wavetank.cluster.store.errors import AlreadyExistsError, ApiError
from wavetank.controllers.cronjobs.history import remove_oldest
from wavetank.controllers.cronjobs.timetable import ImpossibleScheduleError, Timetable, in_zone, minutes
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.ownership import controller_reference, is_controlled_by
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.workloads.jobconditions import finished_condition
from wavetank.kernel.durations import SECOND, Nanoseconds

_SCHEDULED_AT = "batch.kubernetes.io/cronjob-scheduled-timestamp"
_COMPONENT = "cronjob-controller"
_FIELDS = ("active", "lastScheduleTime", "lastSuccessfulTime")
Status = dict[str, Any]


class CronJobs:
    """The cronjob-controller: creates Jobs on schedule and deletes old ones."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._store = context.store
        self._queue = context.queue(self._sync)
        self._jobs = context.owned(JOB)
        self._store.subscribe(CRON_JOB, self)
        for cron_job in self._store.list(CRON_JOB):
            self.added(cron_job)

    # events

    def added(self, new: Resource) -> None:
        """Adds a CronJob, with its existing Jobs."""
        self._jobs.follow(new.uid, _Jobs(self._queue.add, new.key))
        self._queue.add(new.key)

    def modified(self, old: Resource, new: Resource) -> None:
        """Enqueues a changed CronJob; one with a new schedule when that is due."""
        if _timing(old) == _timing(new):
            self._queue.add(new.key)
            return
        try:
            wait = Timetable.of(new).wait(self._context.clock.now)
        except ScheduleError:
            why = f"unparseable schedule for cronjob: {_spec(new).get('schedule')}"
            self._record(new, "Warning", "UnParseableCronJobSchedule", why)
            return
        self._queue.add_after(new.key, wait, background=True)

    def deleted(self, old: Resource) -> None:
        """Removes a CronJob; its Jobs are left to the garbage collector."""
        self._jobs.unfollow(old.uid)

    # work

    def _sync(self, key: Key) -> None:
        cron_job = self._store.find(CRON_JOB, *key)
        if cron_job is None:
            return
        status: Status = dict(cron_job.manifest.get("status") or {})
        jobs = self._jobs.of(cron_job.uid)
        for job in remove_oldest(self._context, cron_job, jobs):
            self._record_deletion(cron_job, job, status)
        self._update_jobs(cron_job, jobs, status)  # Jobs that were just deleted have succeeded all the same
        try:
            wait = self._start(cron_job, status) if cron_job.deleted is None else None
        finally:
            self._write(cron_job, status)
        if wait is not None:
            self._queue.add_after(key, wait, background=True)

    def _update_jobs(self, cron_job: Resource, jobs: list[Resource], status: Status) -> None:
        """Updates the status for Jobs that have finished or were deleted."""
        active = {reference["uid"] for reference in status.get("active") or ()}
        for job in jobs:
            end = finished_condition(job)
            if not end and job.uid not in active:
                message = f"Saw a job that the controller did not create or forgot: {job.name}"
                self._record(cron_job, "Warning", "UnexpectedJob", message)
            elif end and job.uid in active:
                _drop(status, job.uid)
                self._record(cron_job, "Normal", "SawCompletedJob", f"Saw completed job: {job.name}, condition: {end}")
            if end == "Complete":
                _note_success(status, (job.manifest.get("status") or {}).get("completionTime"))
        present = {job.uid for job in jobs}
        for reference in list(status.get("active") or ()):
            if reference["uid"] not in present:
                self._record(cron_job, "Normal", "MissingJob", f"Active job went missing: {reference['name']}")
                _drop(status, reference["uid"])

    def _start(self, cron_job: Resource, status: Status) -> Nanoseconds | None:
        """Starts a Job if one is due; returns the time until the next one."""
        spec, now = _spec(cron_job), self._context.clock.now
        zone = spec.get("timeZone")
        if zone is not None and not is_zone(zone):
            self._record(
                cron_job, "Warning", "UnknownTimeZone", f'invalid timeZone: "{zone}": unknown time zone {zone}'
            )
            return None
        if spec.get("suspend"):
            return None
        try:
            timetable = Timetable.of(cron_job)
        except ScheduleError as error:
            why = f'unparseable schedule: "{spec.get("schedule")}" : {error}'
            self._record(cron_job, "Warning", "UnparseableSchedule", why)
            return None
        try:
            due = timetable.due(now)
        except ImpossibleScheduleError as error:
            self._record(cron_job, "Warning", "InvalidSchedule", f"invalid schedule: {spec.get('schedule')} : {error}")
            return None
        if due.time is not None and due.missed_many:
            advice = "Set or decrease .spec.startingDeadlineSeconds or check clock skew"
            self._record(cron_job, "Warning", "TooManyMissedTimes", f"too many missed start times. {advice}")
        if due.time is None or not self._may_start(cron_job, due.time, status):
            return timetable.wait(now)
        if not self._start_at(cron_job, due.time, status):
            return None
        return Timetable(timetable.schedule, timetable.created, due.time, timetable.deadline_s).wait(now)

    def _may_start(self, cron_job: Resource, time: Nanoseconds, status: Status) -> bool:
        spec, deadline_s = _spec(cron_job), _spec(cron_job).get("startingDeadlineSeconds")
        if deadline_s is not None and time + deadline_s * SECOND < self._context.clock.now:
            when = formatdate(EPOCH_SECONDS + time // SECOND)
            self._record(cron_job, "Warning", "MissSchedule", f"Missed scheduled time to start a job: {when}")
            return False
        active = status.get("active") or []
        if any(each["name"] == _name(cron_job, time) for each in active):
            return False
        if status.get("lastScheduleTime") == render_time(time):
            return False
        if spec.get("concurrencyPolicy") == "Forbid" and active:
            why = "Not starting job because prior execution is running and concurrency policy is Forbid"
            self._record(cron_job, "Normal", "JobAlreadyActive", why)
            return False
        return True

    def _start_at(self, cron_job: Resource, time: Nanoseconds, status: Status) -> bool:
        """Creates the Job of a scheduled time and adds it to the status; False if another owner has that name."""
        if _spec(cron_job).get("concurrencyPolicy") == "Replace":
            for reference in list(status.get("active") or ()):
                self._replace(cron_job, reference, status)
        try:
            job = self._context.client.create(_job(cron_job, time))
            self._record(cron_job, "Normal", "SuccessfulCreate", f"Created job {job.name}")
        except ApiError as error:
            if error.reason != AlreadyExistsError.reason:
                if "NamespaceTerminating" not in str(error.status.get("details")):
                    self._record(cron_job, "Warning", "FailedCreate", f"Error creating job: {error}")
                raise
            job = self._store.get(JOB, cron_job.namespace, _name(cron_job, time))
            if not is_controlled_by(job, cron_job):
                return False
        status["active"] = [*(status.get("active") or ()), _reference(job)]
        status["lastScheduleTime"] = render_time(time)
        return True

    def _replace(self, cron_job: Resource, reference: dict[str, Any], status: Status) -> None:
        job = self._store.find(JOB, cron_job.namespace, str(reference["name"]))
        if job is not None:
            self._context.client.delete(job, policy="Background")
            self._record_deletion(cron_job, job, status)

    def _record_deletion(self, cron_job: Resource, job: Resource, status: Status) -> None:
        _drop(status, job.uid)
        self._record(cron_job, "Normal", "SuccessfulDelete", f"Deleted job {job.name}")

    def _write(self, cron_job: Resource, status: Status) -> None:
        ordered = {
            field: status[field] for field in ("active", "lastScheduleTime", "lastSuccessfulTime") if status.get(field)
        }
        if ordered != (cron_job.manifest.get("status") or {}):
            self._context.client.update_status(cron_job, ordered)

    def _record(self, cron_job: Resource, type_: str, reason: str, message: str) -> None:
        self._context.record_event(cron_job, type_, reason, message, _COMPONENT)


class _Jobs:
    """Passes on the events of the Jobs of one CronJob."""

    def __init__(self, look_at: Any, key: Key) -> None:
        self._look_at = look_at
        self._key = key

    def added(self, new: Resource) -> None:
        self._look_at(self._key)

    def modified(self, old: Resource, new: Resource) -> None:
        self._look_at(self._key)

    def deleted(self, old: Resource) -> None:
        self._look_at(self._key)


def _spec(cron_job: Resource) -> dict[str, Any]:
    return cron_job.manifest.get("spec") or {}


def _timing(cron_job: Resource) -> tuple[Any, Any]:
    return _spec(cron_job).get("schedule"), _spec(cron_job).get("timeZone")


def _name(cron_job: Resource, time: Nanoseconds) -> str:
    return f"{cron_job.name}-{minutes(time)}"


def _job(cron_job: Resource, time: Nanoseconds) -> dict[str, Any]:
    template = _spec(cron_job).get("jobTemplate") or {}
    given = template.get("metadata") or {}
    scheduled = in_zone(time, str(_spec(cron_job).get("timeZone") or ""))
    metadata: dict[str, Any] = {"name": _name(cron_job, time), "namespace": cron_job.namespace}
    if given.get("labels"):
        metadata["labels"] = dict(given["labels"])
    metadata["annotations"] = {**(given.get("annotations") or {}), _SCHEDULED_AT: scheduled}
    metadata["ownerReferences"] = [controller_reference(cron_job)]
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": template.get("spec") or {}}


def _reference(job: Resource) -> dict[str, Any]:
    where = {"kind": "Job", "namespace": job.namespace, "name": job.name, "uid": job.uid}
    return {**where, "apiVersion": "batch/v1", "resourceVersion": str(job.resource_version)}


def _drop(status: Status, uid: str) -> None:
    status["active"] = [reference for reference in status.get("active") or () if reference["uid"] != uid]


def _note_success(status: Status, completed: str | None) -> None:
    known = parse_time(status.get("lastSuccessfulTime"), "status.lastSuccessfulTime")
    time = parse_time(completed, "status.completionTime")
    if time is not None and (known is None or time > known):
        status["lastSuccessfulTime"] = completed
