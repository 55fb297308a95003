"""What Volcano's admission rejects in a Job, with its messages."""

from __future__ import annotations

from collections.abc import Iterator

from wavetank.controllers.volcanojobs.spec import JobSpec, Policy

ANY, POD_PENDING = "*", "PodPending"
POD_FAILED, POD_EVICTED = "PodFailed", "PodEvicted"
JOB_UNKNOWN, TASK_COMPLETED, TASK_FAILED = "Unknown", "TaskCompleted", "TaskFailed"
EVENTS = (ANY, POD_FAILED, POD_EVICTED, POD_PENDING, JOB_UNKNOWN, TASK_COMPLETED, TASK_FAILED, "JobUpdated")
ACTIONS = (
    *("AbortJob", "RestartJob", "RestartTask", "RestartPod", "RestartPartition"),
    *("TerminateJob", "CompleteJob", "ResumeJob"),
)
PLUGINS = ("env", "svc", "ssh", "tensorflow", "mpi", "pytorch", "hcclrank", "ray")


def problems_of(name: str, spec: JobSpec) -> str:
    """Returns everything that is wrong with a job; empty if it is valid."""
    if not spec.tasks:
        return "No task specified in job spec"
    return " ".join(_problems(name, spec))


def _problems(name: str, spec: JobSpec) -> Iterator[str]:
    seen = set[str]()
    for task in spec.tasks:
        if task.min_available > task.replicas:
            yield f"'minAvailable' is greater than 'replicas' in task: {task.name}, job: {name};"
        if task.name in seen:
            yield f"duplicated task name {task.name};"
            break
        seen.add(task.name)
        yield from _policy_problems(task.policies, "spec.tasks.policies")
    if spec.replicas < spec.min_available:
        yield "job 'minAvailable' should not be greater than total replicas in tasks;"
    yield from _policy_problems(spec.policies, "spec.policies")
    for plugin in spec.plugins:
        if plugin not in PLUGINS:
            yield f"unable to find job plugin: {plugin};"
    yield from _dependency_problems(spec)


def _policy_problems(policies: tuple[Policy, ...], path: str) -> Iterator[str]:
    problem = _first_problem(policies, path)
    if problem:
        yield f"{problem} valid events are {', '.join(EVENTS)}, valid actions are {', '.join(ACTIONS)};"


def _first_problem(policies: tuple[Policy, ...], path: str) -> str:
    events, codes = set[str](), set[int]()
    for policy in policies:
        if policy.events and policy.exit_code is not None:
            return "must not specify event and exitCode simultaneously"
        if not policy.events and policy.exit_code is None:
            return "either event and exitCode should be specified"
        if policy.exit_code == 0:
            return "0 is not a valid error code"
        if policy.exit_code in codes:
            return f"duplicate exitCode {policy.exit_code}"
        codes |= set() if policy.exit_code is None else {policy.exit_code}
        for event in sorted(policy.events):
            if event not in EVENTS:
                return f'{path}: Invalid value: "{event}": invalid policy event'
            if policy.action not in ACTIONS:
                return f'{path}: Invalid value: "{policy.action}": invalid policy action'
            if event in events:
                return f"duplicate event {event}  across different policy"
            events.add(event)
    return "if there's * here, no other policy should be here" if ANY in events and len(events) > 1 else ""


def _dependency_problems(spec: JobSpec) -> Iterator[str]:
    """Reports tasks with cyclic dependencies or unknown ones."""
    waiting = {task.name: set(task.after) for task in spec.tasks}
    for task in spec.tasks:
        for other in task.after:
            if other not in waiting:
                yield f"task {task.name} depends on task {other}, which is not in the job;"
    while True:
        free = {name for name, after in waiting.items() if not after & waiting.keys()}
        if not free:
            break
        waiting = {name: after for name, after in waiting.items() if name not in free}
    if waiting:
        circle = ", ".join(sorted(waiting))
        yield (
            "job has dependencies between tasks, but doesn't form a directed acyclic graph(DAG);"
            f" these wait for each other: {circle};"
        )
