"""The actions that the policies of a Volcano Job attach to its events."""

from __future__ import annotations

from dataclasses import dataclass

from wavetank.controllers.volcanojobs.spec import JobSpec, Policy
from wavetank.controllers.volcanojobs.validation import ANY, POD_PENDING
from wavetank.kernel.durations import Nanoseconds

SYNC = "SyncJob"
OUT_OF_SYNC, POD_RUNNING = "OutOfSync", "PodRunning"  # events that only sync the job
_INTERNAL = (OUT_OF_SYNC, POD_RUNNING, "")


@dataclass(frozen=True, slots=True)
class JobEvent:
    """An event of a job: of which task and pod, and the version of the job that created the pod."""

    event: str
    task: str = ""
    pod: str = ""
    exit_code: int = 0
    version: int = 0


@dataclass(frozen=True, slots=True)
class PolicyAction:
    """An action and its delay."""

    action: str = SYNC
    delay: Nanoseconds = 0


def apply_policies(event: JobEvent, spec: JobSpec, version: int) -> PolicyAction:
    """Returns the action of the first policy that matches an event: those of the task before those of the job.

    Events of pods that were created before the job was last killed only sync it.
    """
    if event.event in _INTERNAL or (event.pod and event.version < version):
        return PolicyAction()
    task = spec.task(event.task)
    for policy in (*(task.policies if task else ()), *spec.policies):
        if _matches(policy, event):
            return PolicyAction(policy.action, policy.timeout or 0)
    return PolicyAction()


def _matches(policy: Policy, event: JobEvent) -> bool:
    if policy.exit_code is not None and event.exit_code == policy.exit_code:
        return True
    if event.event not in policy.events and ANY not in policy.events:
        return False
    return event.event != POD_PENDING or policy.timeout is not None  # a pending pod is normal until its timeout
