"""The spec of a Volcano Job, with the defaults of Volcano's admission."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wavetank.cluster.objects.resource import Manifest
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds, parse_duration

_MAX_RETRY = 3
_MOST_REPLICAS = 1_000_000


@dataclass(frozen=True, slots=True)
class Policy:
    """The `action` for any of `events` or a container's `exit_code`, after `timeout` if it is set."""

    action: str
    events: frozenset[str]
    exit_code: int | None = None
    timeout: Nanoseconds | None = None


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """One task of a job: `replicas` equal pods, of which `min_available` are required.

    They are created once the tasks of `after` run, or any of them if `any_of_them`. The task fails when its containers
    have been restarted `max_retry` times; None: never.
    """

    name: str
    replicas: int
    min_available: int
    template: Mapping[str, Any]
    policies: tuple[Policy, ...] = ()
    after: tuple[str, ...] = ()
    any_of_them: bool = False
    max_retry: int | None = _MAX_RETRY


@dataclass(frozen=True, slots=True)
class JobSpec:
    """The spec of a job; `plugins` are those of Volcano's job controller (env, svc, …)."""

    tasks: tuple[TaskSpec, ...]
    min_available: int
    min_success: int | None
    queue: str
    scheduler_name: str
    max_retry: int
    priority_class: str
    policies: tuple[Policy, ...]
    plugins: tuple[str, ...]
    ttl_s: int | None

    @property
    def replicas(self) -> int:
        """Returns the number of pods."""
        return sum(task.replicas for task in self.tasks)

    def task(self, name: str) -> TaskSpec | None:
        """Returns a task by its name."""
        return next((task for task in self.tasks if task.name == name), None)


def read_job(manifest: Manifest) -> JobSpec:
    """Reads the spec of a Job; InputError names the field of a wrong type."""
    spec = _mapping(manifest.get("spec"), "spec")
    given = _list(spec.get("tasks"), "spec.tasks")
    tasks = tuple(_task(item, i) for i, item in enumerate(given))
    needed = _integer(spec.get("minAvailable") or 0, "spec.minAvailable")
    success, ttl = spec.get("minSuccess"), spec.get("ttlSecondsAfterFinished")
    return JobSpec(
        tasks,
        needed or sum(task.min_available for task in tasks),
        None if success is None else _integer(success, "spec.minSuccess"),
        str(spec.get("queue") or "default"),
        str(spec.get("schedulerName") or "volcano"),
        _integer(spec.get("maxRetry") or _MAX_RETRY, "spec.maxRetry"),
        str(spec.get("priorityClassName") or ""),
        _policies(spec.get("policies"), "spec.policies"),
        tuple(_mapping(spec.get("plugins") or {}, "spec.plugins")),
        None if ttl is None else _integer(ttl, "spec.ttlSecondsAfterFinished"),
    )


def _task(value: object, index: int) -> TaskSpec:
    path = f"spec.tasks[{index}]"
    task = _mapping(value, path)
    replicas = _integer(task.get("replicas", 1), f"{path}.replicas")
    needed = task.get("minAvailable")
    depends = _mapping(task.get("dependsOn") or {}, f"{path}.dependsOn")
    names = _list(depends.get("name") or [], f"{path}.dependsOn.name")
    return TaskSpec(
        str(task.get("name") or f"default{index}"),
        replicas,
        replicas if needed is None else _integer(needed, f"{path}.minAvailable"),
        _mapping(task.get("template"), f"{path}.template"),
        _policies(task.get("policies"), f"{path}.policies"),
        tuple(str(name) for name in names),
        # with a single name "any" equals "all", and Volcano ignores it
        depends.get("iteration") == "any" and len(names) > 1,
        None if task.get("maxRetry") == -1 else _integer(task.get("maxRetry") or _MAX_RETRY, f"{path}.maxRetry"),
    )


def _policies(value: object, path: str) -> tuple[Policy, ...]:
    return tuple(_policy(item, f"{path}[{i}]") for i, item in enumerate(_list(value or [], path)))


def _policy(value: object, path: str) -> Policy:
    policy = _mapping(value, path)
    events = {str(event) for event in _list(policy.get("events") or [], f"{path}.events")}
    if policy.get("event"):
        events.add(str(policy["event"]))
    code = policy.get("exitCode")
    timeout = policy.get("timeout")
    return Policy(
        str(policy.get("action") or ""),
        frozenset(events),
        None if code is None else _integer(code, f"{path}.exitCode"),
        None if timeout is None else parse_duration(str(timeout)),
    )


def _mapping(value: object, path: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"expected a mapping, got {value!r:.60}", path=path)
    return value


def _list(value: object, path: str) -> Sequence[Any]:
    if not isinstance(value, list):
        raise InputError(f"expected a list, got {value!r:.60}", path=path)
    return value


def _integer(value: object, path: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST_REPLICAS:
        raise InputError(f"expected a whole number from 0 to {_MOST_REPLICAS}, got {value!r:.60}", path=path)
    return value
