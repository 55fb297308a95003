"""What the containers of a manifest's pod will do, as far as the manifest tells."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from wavetank.cluster.objects.podbehavior import Job, PodBehavior
from wavetank.cluster.objects.resource import Manifest
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.commands import command_of

DURATION = "wavetank.dev/duration"
EXIT_CODE = "wavetank.dev/exit-code"
TERMINATION = "wavetank.dev/termination"
JOB = "wavetank.dev/job"  # pods of one job are counted together, and do not wait for each other

_WORKLOAD = "w0"


def behavior_of(manifest: Manifest, default: Nanoseconds | None = None) -> PodBehavior:
    """Returns the run of a pod: its annotations say how long and how it ends, else its containers' commands do.

    Init containers run one after the other, then the longest of the containers counts; one whose command tells
    nothing takes `default`. None is forever.
    """
    annotations = fields.strings((manifest.get("metadata") or {}).get("annotations"), "metadata.annotations")
    stated = annotations.get(DURATION)
    if stated is None:
        duration, exit_code = _run_of_pod(manifest.get("spec") or {}, default)
    else:
        duration, exit_code = fields.duration(stated, _at(DURATION)), 0
    if not annotations:
        return PodBehavior(duration, exit_code)
    termination = fields.duration(annotations.get(TERMINATION, "0"), _at(TERMINATION))
    named = annotations.get(JOB)
    job = None if named is None else Job(named, _WORKLOAD, "pod", 1)
    if EXIT_CODE in annotations:
        exit_code = _exit_code(annotations[EXIT_CODE])
    return PodBehavior(duration, exit_code, termination, job=job)


def _at(annotation: str) -> str:
    return f"metadata.annotations.{annotation}"


def _exit_code(value: str) -> int:
    if not re.fullmatch(r"[0-9]{1,3}", value) or int(value) > 255:
        raise InputError(f"expected an exit code, 0 to 255, got {value!r:.60}", path=_at(EXIT_CODE))
    return int(value)


def _run_of_pod(spec: Mapping[str, Any], default: Nanoseconds | None) -> tuple[Nanoseconds | None, int]:
    """Returns how long a pod's containers run, and the first exit code of theirs that is not 0."""
    before: Nanoseconds = 0
    for init in spec.get("initContainers") or ():
        if init.get("restartPolicy") == "Always":
            continue  # a sidecar ends when the others do
        run = command_of(init, 0)
        if run.duration is None:
            return None, 0
        before += run.duration
        if run.exit_code:
            return before, run.exit_code
    runs = [command_of(container, default) for container in spec.get("containers") or ()]
    known = [run.duration for run in runs if run.duration is not None]
    if len(known) < len(runs):
        return None, 0
    return before + max(known, default=0), next((run.exit_code for run in runs if run.exit_code), 0)
