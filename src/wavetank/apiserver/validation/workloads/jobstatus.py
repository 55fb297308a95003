"""The status of jobs: what a controller may say of one, and what it may not take back."""

from __future__ import annotations

from wavetank.apiserver.fielderrors import OMITTED, duplicate, invalid, required
from wavetank.apiserver.validation.errors import IMMUTABLE, Document, Errors, check_not_negative
from wavetank.apiserver.validation.metadata import check_metadata_update
from wavetank.apiserver.validation.workloads.jobpolicies import count_indexes

_COUNTS = ("active", "succeeded", "failed", "ready", "terminating")
# Conditions that exclude each other, and whether that is judged only when one of them has changed.
_TOGETHER = (
    ("Complete", "Failed", True),
    ("Complete", "FailureTarget", True),
    ("SuccessCriteriaMet", "Failed", False),
    ("SuccessCriteriaMet", "FailureTarget", False),
)


def check_job_status_update(new: Document, old: Document) -> Errors:
    """Checks a job's status; most rules concern only what has changed."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    status = new.get("status") or {}
    for name in _COUNTS:
        yield from check_not_negative(f"status.{name}", status.get(name))
    yield from _check_uncounted(status.get("uncountedTerminatedPods") or {})
    yield from _check_conditions(new, old)
    yield from _check_times(new, old)
    yield from _check_counts(new, old)
    yield from _check_indexes(new, old)
    yield from _check_not_taken_back(new, old)


def _is_true(job: Document, kind: str, value: str = "True") -> bool:
    conditions = (job.get("status") or {}).get("conditions") or ()
    return any(one.get("type") == kind and one.get("status") == value for one in conditions)


def _is_finished(job: Document) -> bool:
    return _is_true(job, "Complete") or _is_true(job, "Failed")


def _changed(new: Document, old: Document, *names: str) -> bool:
    """Tells whether fields of the status, conditions or the fact that a job is finished have changed."""
    for name in names:
        if name == "finished":
            if _is_finished(new) != _is_finished(old):
                return True
        elif name[0].isupper():
            if _is_true(new, name) != _is_true(old, name):
                return True
        elif (new.get("status") or {}).get(name) != (old.get("status") or {}).get(name):
            return True
    return False


def _check_uncounted(pods: Document) -> Errors:
    seen: set[str] = set()
    for kind in ("succeeded", "failed"):
        for index, uid in enumerate(pods.get(kind) or ()):
            path = f"status.uncountedTerminatedPods.{kind}[{index}]"
            if not uid:
                yield invalid(path, uid, "must not be empty")
            elif uid in seen:
                yield duplicate(path, uid)
            seen.add(uid)


def _check_conditions(new: Document, old: Document) -> Errors:
    path = "status.conditions"
    for one, other, only_if_changed in _TOGETHER:
        looked_at = not only_if_changed or _changed(new, old, one, other)
        if looked_at and _is_true(new, one) and _is_true(new, other):
            yield invalid(path, OMITTED, f"cannot set {one}=True and {other}=true conditions")
    if _changed(new, old, "Failed", "failedIndexes") and _is_true(new, "Failed") and not _is_true(new, "FailureTarget"):
        yield invalid(path, OMITTED, "cannot set Failed=True condition without the FailureTarget=true condition")
    complete, met = _is_true(new, "Complete"), _is_true(new, "SuccessCriteriaMet")
    if _changed(new, old, "Complete", "SuccessCriteriaMet") and complete and not met:
        problem = "cannot set Complete=True condition without the SuccessCriteriaMet=true condition"
        yield invalid(path, OMITTED, problem)
    if new["spec"].get("successPolicy") is not None and complete and not met:
        problem = "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"
        yield invalid(path, OMITTED, problem)


def _check_times(new: Document, old: Document) -> Errors:
    status, complete = new.get("status") or {}, _is_true(new, "Complete")
    started, ended = status.get("startTime"), status.get("completionTime")
    if _changed(new, old, "Complete", "completionTime"):
        if ended is not None and not complete:
            problem = "cannot set completionTime when there is no Complete=True condition"
            yield invalid("status.completionTime", ended, problem)
        if ended is None and complete:
            yield required("status.completionTime", "completionTime is required for Complete jobs")
    if _changed(new, old, "startTime", "completionTime") and started and ended and ended < started:
        yield invalid("status.completionTime", ended, "must be equal to or after `startTime`")
    never_started = new["spec"].get("suspend") and new["spec"].get("completions") == 0
    if _changed(new, old, "finished", "startTime") and not never_started and started is None and _is_finished(new):
        yield required("status.startTime", "startTime is required for finished job")


def _check_counts(new: Document, old: Document) -> Errors:
    status, finished = new.get("status") or {}, _is_finished(new)
    active, terminating = status.get("active") or 0, status.get("terminating") or 0
    if _changed(new, old, "finished", "active") and active > 0 and finished:
        yield invalid("status.active", active, "active>0 is invalid for finished job")
    uncounted = status.get("uncountedTerminatedPods") or {}
    if _changed(new, old, "finished", "uncountedTerminatedPods") and finished and any(uncounted.values()):
        shown = {"Succeeded": uncounted.get("succeeded"), "Failed": uncounted.get("failed")}
        yield invalid("status.uncountedTerminatedPods", shown, "must be empty for finished job")
    if _changed(new, old, "finished", "terminating") and terminating > 0 and finished:
        yield invalid("status.terminating", terminating, "terminating>0 is invalid for finished job")
    ready = status.get("ready")
    if _changed(new, old, "ready", "active") and ready is not None and ready > active:
        yield invalid("status.ready", ready, "cannot set more ready pods than active")


def _check_indexes(new: Document, old: Document) -> Errors:
    status, spec = new.get("status") or {}, new["spec"]
    done, failed, completions = (
        status.get("completedIndexes") or "",
        status.get("failedIndexes"),
        spec.get("completions"),
    )
    if _changed(new, old, "completedIndexes"):
        problem = count_indexes(done, completions)[1] if completions is not None else ""
        if problem:
            yield invalid("status.completedIndexes", done, f"error parsing completedIndexes: {problem}")
        if done and spec.get("completionMode") != "Indexed":
            problem = "cannot set non-empty completedIndexes when non-indexed completion mode"
            yield invalid("status.completedIndexes", done, problem)
    if _changed(new, old, "failedIndexes") and failed is not None:
        limited = spec.get("backoffLimitPerIndex") is not None
        problem = count_indexes(failed, completions)[1] if limited and completions is not None else ""
        if problem:
            yield invalid("status.failedIndexes", failed, f"error parsing failedIndexes: {problem}")
        if not limited:
            problem = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
            yield invalid("status.failedIndexes", failed, problem)


def _check_not_taken_back(new: Document, old: Document) -> Errors:
    status, before, spec = new.get("status") or {}, old.get("status") or {}, new["spec"]
    for kind in ("Failed", "Complete", "FailureTarget"):
        if _is_true(old, kind) and not _is_true(new, kind):
            yield invalid("status.conditions", OMITTED, f"cannot disable the terminal {kind}=True condition")
    if (status.get("failed") or 0) < (before.get("failed") or 0):
        yield invalid("status.failed", status.get("failed") or 0, "cannot decrease the failed counter")
    elastic = spec.get("completionMode") == "Indexed" and spec.get("completions") == spec.get("parallelism")
    if not elastic and (status.get("succeeded") or 0) < (before.get("succeeded") or 0):
        yield invalid("status.succeeded", status.get("succeeded") or 0, "cannot decrease the succeeded counter")
    ended, known = status.get("completionTime"), before.get("completionTime")
    if ended is not None and known is not None and ended != known:
        yield invalid("status.completionTime", ended, IMMUTABLE)
    resuming = _is_true(old, "Suspended") and _is_true(new, "Suspended", "False")
    started = before.get("startTime")
    if started is not None and started != status.get("startTime") and not resuming and not spec.get("suspend"):
        yield required("status.startTime", "startTime cannot be removed for unsuspended job")
    if _is_true(old, "SuccessCriteriaMet") and not _is_true(new, "SuccessCriteriaMet"):
        yield invalid("status.conditions", OMITTED, "cannot disable the SuccessCriteriaMet=True condition")
    if _is_true(old, "Complete") and not _is_true(old, "SuccessCriteriaMet") and _is_true(new, "SuccessCriteriaMet"):
        problem = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"
        yield invalid("status.conditions", OMITTED, problem)
