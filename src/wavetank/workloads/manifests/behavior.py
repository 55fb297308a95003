"""What the containers of a manifest's pod will do, as far as the manifest tells."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from wavetank.cluster.objects.podbehavior import Job, PodBehavior
from wavetank.cluster.objects.resource import Manifest
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds, parse_duration

DURATION = "wavetank.dev/duration"
EXIT_CODE = "wavetank.dev/exit-code"
TERMINATION = "wavetank.dev/termination"
JOB = "wavetank.dev/job"  # pods of one job are counted together, and do not wait for each other

_WORKLOAD = "w0"

_BIN = r"(?:/(?:usr/)?bin/)?"
_SHELL = re.compile(_BIN + r"(?:ba|da|a)?sh")
_SLEEP = re.compile(_BIN + r"sleep")
_TIME = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)[smhd]?|inf(?:inity)?")
_SLEEP_COMMAND = re.compile(rf"(?:^|[;&\n])\s*(?:exec\s+)?{_BIN}sleep\s+([^;&\n]+)")
# Loops, branches, pipes and background jobs: what such a script takes cannot be read off its sleeps.
_INVOLVED = re.compile(r"\b(?:while|until|for|if|case)\b|\||(?<!&)&(?!&)")


def behavior_of(manifest: Manifest, default: Nanoseconds | None = None) -> PodBehavior:
    """Returns the run of a pod: its annotations say how long, else its containers' sleeps do.

    Init containers sleep one after the other, then the longest of the containers counts; one that shows no
    sleep takes `default`. None is for ever.
    """
    annotations = fields.strings((manifest.get("metadata") or {}).get("annotations"), "metadata.annotations")
    stated = annotations.get(DURATION)
    if stated is None:
        duration = _sleep_of_pod(manifest.get("spec") or {}, default)
    else:
        duration = fields.duration(stated, _at(DURATION))
    if not annotations:
        return PodBehavior(duration)
    termination = fields.duration(annotations.get(TERMINATION, "0"), _at(TERMINATION))
    named = annotations.get(JOB)
    job = None if named is None else Job(named, _WORKLOAD, "pod", 1)
    return PodBehavior(duration, _exit_code(annotations.get(EXIT_CODE, "0")), termination, job=job)


def _at(annotation: str) -> str:
    return f"metadata.annotations.{annotation}"


def _exit_code(value: str) -> int:
    if not re.fullmatch(r"[0-9]{1,3}", value) or int(value) > 255:
        raise InputError(f"expected an exit code, 0 to 255, got {value!r:.60}", path=_at(EXIT_CODE))
    return int(value)


def _sleep_of_pod(spec: Mapping[str, Any], default: Nanoseconds | None) -> Nanoseconds | None:
    sleeps = [_sleep_of(container, default) for container in spec.get("containers") or ()]
    # a sidecar ends when the others do
    inits = [init for init in spec.get("initContainers") or () if init.get("restartPolicy") != "Always"]
    before = [_sleep_of(init, 0) for init in inits]
    known = [sleep for sleep in (*sleeps, *before) if sleep is not None]
    if len(known) < len(sleeps) + len(before):
        return None
    return sum(known[len(sleeps) :]) + max(known[: len(sleeps)], default=0)


def _sleep_of(container: Mapping[str, Any], default: Nanoseconds | None) -> Nanoseconds | None:
    """Returns how long a container sleeps, None if for ever, `default` if it shows no sleep."""
    words = [str(word) for field in ("command", "args") for word in container.get(field) or ()]
    if words and _SLEEP.fullmatch(words[0]):
        return _total(words[1:], default)
    if len(words) > 2 and _SHELL.fullmatch(words[0]) and words[1] == "-c" and not _INVOLVED.search(words[2]):
        return _total(" ".join(_SLEEP_COMMAND.findall(words[2])).split(), default)
    return default


def _total(words: list[str], default: Nanoseconds | None) -> Nanoseconds | None:
    if not words or not all(_TIME.fullmatch(word) for word in words):
        return default
    if any(word.startswith("inf") for word in words):
        return None
    total = sum(parse_duration(word) for word in words)
    return total if total <= fields.LONGEST else None  # `sleep 9999999999` is meant as for ever
