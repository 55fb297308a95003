"""What is done about an event of a Volcano Job."""

from __future__ import annotations

from dataclasses import dataclass

from wavetank.controllers.volcanojobs.spec import JobSpec, Policy
from wavetank.controllers.volcanojobs.validation import ANY, POD_PENDING
from wavetank.kernel.durations import Nanoseconds

SYNC = "SyncJob"
OUT_OF_SYNC, POD_RUNNING = "OutOfSync", "PodRunning"  # events that only lead to another look at the job
_INTERNAL = (OUT_OF_SYNC, POD_RUNNING, "")


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happened to a job: to which of its tasks and pods, and which version of it the pod was of."""

    event: str
    task: str = ""
    pod: str = ""
    exit_code: int = 0
    version: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be done, and after how long."""

    action: str = SYNC
    delay: Nanoseconds = 0


def judge(happening: Happening, spec: JobSpec, version: int) -> Verdict:
    """Finds the first policy that speaks of an event: those of the task before those of the job.

    Events of pods that were made before the job was killed the last time call for nothing any more.
    """
    if happening.event in _INTERNAL or (happening.pod and happening.version < version):
        return Verdict()
    task = spec.task(happening.task)
    for policy in (*(task.policies if task else ()), *spec.policies):
        if _speaks_of(policy, happening):
            return Verdict(policy.action, policy.timeout or 0)
    return Verdict()


def _speaks_of(policy: Policy, happening: Happening) -> bool:
    if policy.exit_code is not None and happening.exit_code == policy.exit_code:
        return True
    if happening.event not in policy.events and ANY not in policy.events:
        return False
    return happening.event != POD_PENDING or policy.timeout is not None  # that a pod waits is normal, for a while
