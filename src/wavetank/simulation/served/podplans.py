"""What the containers of a served pod do, one by one: by annotations, their commands and their probes."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds, parse_duration
from wavetank.nodes.commands import CommandRun, Surroundings, command_of
from wavetank.nodes.containers.container import CONFIG_ERROR, NO_IMAGE
from wavetank.nodes.containers.plans import (
    EPHEMERAL,
    INIT,
    MAIN,
    ContainerPlan,
    ContainerRun,
    Obstacle,
    PodPlan,
    ProbePlan,
)
from wavetank.simulation.served.environment import ConfigError, environment_of, path_mistake
from wavetank.simulation.served.volumes import FilesAt, Volumes
from wavetank.workloads.manifests.behavior import DURATION, EXIT_CODE, TERMINATION
from wavetank.workloads.manifests.expansion import default_duration

Json = Mapping[str, Any]

_PROBES = ("startup", "readiness", "liveness")
_PROBE_ANNOTATION = "wavetank.dev/{}"  # startup, readiness, liveness: `fail`, `pass after 10s`, `fail after 1m`
_RESULT = re.compile(r"(pass|fail)(?: after (\S+))?")
_FOREVER: Nanoseconds = fields.LONGEST
_OWN = ("restartPolicy", "restartPolicyRules", "env", "envFrom")  # of a container
_TOKENS = "/var/run/secrets/kubernetes.io/serviceaccount"  # mounted into every container
# Images whose name says that they do not exist, as in examples of failing rollouts.
_MISSING = re.compile(r"\b(?:non-?existent|does-?n[o']?t-?exist|invalid)\b|:404$|:$", re.IGNORECASE)

_VARIABLE = re.compile(r"\$|\b(?:env|printenv|hostname)\b")

STOPPING: Nanoseconds = 150 * SECOND // 1000  # a program that heeds SIGTERM ends within this time


def is_missing(container: Json) -> bool:
    """Tells whether a container's image cannot be pulled."""
    return _MISSING.search(str(container.get("image") or "")) is not None


def stopping_time(pod: Pod) -> Nanoseconds:
    """Returns how long the containers of a pod need to end after they were asked to."""
    return max((_stop(pod, each, command_of(each)) for each in pod.spec.manifest.get("containers") or ()), default=0)


class PodPlanner:
    """Plans pods whose containers differ from each other, or from the pod's behavior.

    `status` returns the status of a pod, for the addresses in the environment of its containers.
    """

    def __init__(self, store: Store, status: Callable[[Pod], Json]) -> None:
        self._store = store
        self._status = status
        self.volumes = Volumes(store)
        store.subscribe(Pod.group_kind, deleted=self.volumes.forget)

    def plan(self, pod: Pod, always: bool = False) -> PodPlan | None:
        """Returns what the containers of a pod do; None if the pod's behavior says it, unless `always`."""
        if pod.behavior is not None and (pod.behavior.flops or pod.behavior.job is not None):
            return None
        if not always and not _differ(pod):
            return None
        spec = pod.spec.manifest
        return PodPlan(
            self._plans(pod, spec, self._init, INIT),
            self._plans(pod, spec, self._main, MAIN),
            self._plans(pod, spec, self._ephemeral, EPHEMERAL),
        )

    def _plans(
        self, pod: Pod, spec: Json, command: Callable[[Pod, Json, Surroundings], CommandRun], part: str
    ) -> tuple[ContainerPlan, ...]:
        runs = partial(self._run, pod, command)
        return tuple([ContainerPlan(given, runs, part) for given in spec.get(part) or ()])

    def _run(
        self, pod: Pod, command: Callable[[Pod, Json, Surroundings], CommandRun], given: Json, number: int
    ) -> ContainerRun | Obstacle:
        """Returns a run of a container, with the environment and files that it finds, or why it cannot be started."""
        if is_missing(given):
            return Obstacle(NO_IMAGE, f'failed to pull image "{given.get("image")}": not found')
        try:
            variables = environment_of(pod, given, self._store, self._status)
        except ConfigError as error:
            return Obstacle(CONFIG_ERROR, str(error))
        if mistake := path_mistake(given, variables):
            return Obstacle(CONFIG_ERROR, mistake)
        seed = zlib.crc32(f"{pod.uid}/{given.get('name')}/{number}".encode())
        surroundings = Surroundings(tuple(variables.items()), self.volumes.files_of(pod, given), seed)
        run = command(pod, given, surroundings)
        probes = {kind: _probe(pod, kind, given, run, surroundings) for kind in _PROBES if given.get(f"{kind}Probe")}
        return ContainerRun(run, _stop(pod, given, run), **probes)

    def _init(self, pod: Pod, given: Json, surroundings: Surroundings) -> CommandRun:
        """Returns the run of an init container: an unknown program ends at once, a stated duration is the pod's."""
        if given.get("restartPolicy") == "Always":
            return command_of(given, None, surroundings)
        return CommandRun(0) if DURATION in pod.annotations else command_of(given, 0, surroundings)

    def _main(self, pod: Pod, given: Json, surroundings: Surroundings) -> CommandRun:
        behavior = pod.behavior
        if behavior is not None and DURATION in pod.annotations:
            return CommandRun(behavior.duration, behavior.exit_code)
        run = command_of(given, default_duration(pod.manifest), surroundings)
        if behavior is not None and EXIT_CODE in pod.annotations and run.duration is not None:
            return CommandRun(run.duration, behavior.exit_code, run.output)
        return run

    def _ephemeral(self, _: Pod, given: Json, surroundings: Surroundings) -> CommandRun:
        return command_of(given, None, surroundings)


def _differ(pod: Pod) -> bool:
    """Tells whether the containers of a pod differ from each other, or from the pod."""
    spec = pod.spec.manifest
    if spec.get("initContainers") or spec.get("ephemeralContainers"):
        return True
    containers = spec.get("containers") or ()
    return len(containers) > 1 or any(_is_special(pod, each) for each in containers)


def _is_special(pod: Pod, given: Json) -> bool:
    probes = {kind: given[f"{kind}Probe"] for kind in _PROBES if given.get(f"{kind}Probe")}
    if is_missing(given) or any(_matters(pod, kind, probe) for kind, probe in probes.items()):
        return True
    if _refers(given):
        return True
    if not _has_command(given):
        return False
    mounts = any(each.get("mountPath") != _TOKENS for each in given.get("volumeMounts") or ())
    run = command_of(given)
    if probes and not run.serves:
        return True
    tells = run.message or given.get("terminationMessagePolicy") == "FallbackToLogsOnError"
    return mounts or bool(tells) or _depends(given) or any(given.get(field) for field in _OWN)


def _depends(given: Json) -> bool:
    """Tells whether a command depends on its environment."""
    return any(_VARIABLE.search(str(word)) for field in ("command", "args") for word in given.get(field) or ())


def _refers(given: Json) -> bool:
    """Tells whether a container refers to objects that may be missing, or to paths that may be wrong."""
    sources = (each.get("valueFrom") or {} for each in given.get("env") or ())
    keys = any("configMapKeyRef" in each or "secretKeyRef" in each for each in sources)
    return bool(given.get("envFrom")) or keys or any("subPathExpr" in each for each in given.get("volumeMounts") or ())


def _has_command(given: Json) -> bool:
    return bool(given.get("command") or given.get("args"))


def _matters(pod: Pod, kind: str, probe: Json) -> bool:
    """Tells whether a probe may fail, or not succeed at once."""
    if "exec" in probe or _PROBE_ANNOTATION.format(kind) in pod.annotations:
        return True
    return kind != "liveness" and bool(probe.get("initialDelaySeconds") or (probe.get("successThreshold") or 1) > 1)


def _stop(pod: Pod, given: Json, run: CommandRun) -> Nanoseconds:
    stated = pod.annotations.get(TERMINATION)
    if stated is not None:
        try:
            return fields.duration(stated, TERMINATION)
        except InputError:
            return STOPPING
    return _pre_stop((given.get("lifecycle") or {}).get("preStop") or {}) + (STOPPING if run.heeds else _FOREVER)


def _pre_stop(hook: Json) -> Nanoseconds:
    if "sleep" in hook:
        return int((hook["sleep"] or {}).get("seconds") or 0) * SECOND
    if "exec" in hook:
        duration = command_of(hook["exec"] or {}, 0).duration
        return _FOREVER if duration is None else duration
    return 0


def _probe(pod: Pod, kind: str, given: Json, run: CommandRun, surroundings: Surroundings) -> ProbePlan:
    probe = given[f"{kind}Probe"]
    grace = probe.get("terminationGracePeriodSeconds")
    return ProbePlan(
        int(probe.get("initialDelaySeconds") or 0) * SECOND,
        int(probe.get("periodSeconds") or 10) * SECOND,
        int(probe.get("failureThreshold") or 3),
        int(probe.get("successThreshold") or 1),
        tuple(_results(pod, kind, probe, run, surroundings)),
        None if grace is None else int(grace) * SECOND,
    )


def _results(
    pod: Pod, kind: str, probe: Json, run: CommandRun, surroundings: Surroundings
) -> Iterator[tuple[Nanoseconds, bool]]:
    """Yields the results of a probe: as annotated, else those of its command; others succeed if there is a server."""
    stated = _RESULT.fullmatch(pod.annotations.get(_PROBE_ANNOTATION.format(kind), ""))
    if stated is not None:
        passes, after = stated[1] == "pass", _after(stated[2])
        if after:
            yield 0, not passes
        yield after, passes
    elif "exec" in probe:
        limit = int(probe.get("timeoutSeconds") or 1) * SECOND
        for since in sorted({0, *(time for time, _, _ in run.changes)}):
            files = FilesAt(since, run.changes, surroundings.files)
            result = command_of(probe["exec"] or {}, 0, replace(surroundings, files=files))
            yield since, result.exit_code == 0 and result.duration is not None and result.duration <= limit
    elif not run.serves:
        yield 0, False


def _after(text: str | None) -> Nanoseconds:
    try:
        return 0 if text is None else parse_duration(text)
    except InputError:
        return 0
