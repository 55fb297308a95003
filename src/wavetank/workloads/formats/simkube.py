"""SimKube's traces (version 2, MessagePack or JSON): what was applied to a cluster, what was deleted, and when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from wavetank.cluster.manifests import MAX_BYTES, read_limited
from wavetank.cluster.objects.groupkinds import CRON_JOB, DAEMON_SET
from wavetank.cluster.objects.podbehavior import PodBehavior
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Manifest, Resource
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.workloads.inputfile import InputFile, naming
from wavetank.workloads.manifests.expansion import DEFAULT_JOB_DURATION, pod_of_template, submissions_of
from wavetank.workloads.manifests.submissions import Names, Submission, SubmittedWorkload

VERSION = 2

_MSGPACK = b"\xa7version"  # its first key, after the byte that opens the map
_KEYS = ("version", "config", "events", "index", "pod_lifecycles")
_CRON_JOB, _DAEMONS = CRON_JOB, DAEMON_SET
_UNUSABLE = "an object that cannot be submitted"

Owner = tuple[str, str]  # ("apps/v1.Deployment", "namespace/name")
Change = Callable[[Owner, Manifest, Nanoseconds], None]


def is_simkube(file: InputFile) -> bool:
    """Tells whether a file looks like a trace, of either form."""
    if file.head[1:9] == _MSGPACK:
        return True
    if not file.head.lstrip().startswith(b"{"):
        return False
    first = file.documents[0] if file.documents else None
    return isinstance(first, Mapping) and {"version", "events", "pod_lifecycles"} <= {*first}


class SimkubeWorkload(SubmittedWorkload):
    """The pods of a trace's objects, submitted when these were applied; times count from the first event.

    Pods, Jobs, Deployments, ReplicaSets and StatefulSets become pods as in manifests. Applied again with more
    replicas they get more pods, with fewer the newest ones end; with another template all are replaced. A CronJob's
    pods are those whose life the trace recorded. A pod runs as long as the trace recorded of it, else as long as it
    shows; at the latest it ends as long after its start as the trace deleted it after applying it (a workload cannot
    delete a pod that still waits).
    """

    def __init__(self, file: InputFile) -> None:
        with naming(file):
            document = fields.mapping(_decode(file), "", _KEYS)
            if document.get("version") != VERSION:
                raise InputError(f"expected {VERSION}, got {document.get('version')!r:.60}", path="version")
            history = _History(file, _life_cycles(document.get("pod_lifecycles") or {}))
            history.replay(fields.items(document.get("events"), "events"))
        super().__init__(file, history.submissions())


@dataclass
class _Life:
    """A pod of the trace: applied at `begun`, gone from it at `ended`; `recorded` is how long it ran there."""

    begun: Nanoseconds
    pod: Submission
    recorded: Nanoseconds | None
    ended: Nanoseconds | None = None

    def submission(self) -> Submission:
        behavior = self.pod.behavior or PodBehavior(None)
        lived = None if self.ended is None else self.ended - self.begun
        own = behavior.duration if self.recorded is None else self.recorded
        duration = min((time for time in (lived, own) if time is not None), default=None)
        if duration is None:
            return self.pod._replace(time=self.begun)
        manifest = {**self.pod.manifest, "spec": {**self.pod.manifest["spec"], "restartPolicy": "Never"}}
        return self.pod._replace(time=self.begun, manifest=manifest, behavior=replace(behavior, duration=duration))


@dataclass
class _History:
    """The objects of the trace and their pods while its events are gone through."""

    file: InputFile
    life_cycles: Mapping[Owner, list[tuple[Nanoseconds, Nanoseconds | None]]]
    start: Nanoseconds = 0
    specs: SpecTable = field(default_factory=SpecTable)
    names: Names = field(default_factory=Names)
    lives: list[_Life] = field(default_factory=list)
    running: dict[Owner, list[_Life]] = field(default_factory=dict)
    born: defaultdict[Owner, int] = field(default_factory=lambda: defaultdict(int))

    def replay(self, events: list[Any]) -> None:
        """Goes through the events in the order of their time."""
        checked = [
            (fields.integer(fields.mapping(event, f"events[{i}]").get("ts"), f"events[{i}].ts", 0, 2**40), i, event)
            for i, event in enumerate(events)
        ]
        checked.sort(key=lambda item: item[:2])
        self.start = fields.duration(checked[0][0], "events[0].ts")
        for seconds, i, event in checked:
            time = fields.duration(seconds, f"events[{i}].ts") - self.start
            for key, change in (("applied_objs", self.apply), ("deleted_objs", self.delete)):
                self._each(event.get(key) or [], f"events[{i}].{key}", time, change)

    def _each(self, objects: Any, path: str, time: Nanoseconds, change: Change) -> None:
        for j, item in enumerate(fields.items(objects, path) if objects else ()):
            try:
                manifest = fields.mapping(item, "")
                change(_owner(manifest), manifest, time)
            except InputError as error:
                self.file.skip(error.inside(path=f"{path}[{j}]"), _UNUSABLE)

    def apply(self, owner: Owner, manifest: Manifest, time: Nanoseconds) -> None:
        """Brings the pods of an object to its present number of replicas."""
        if Resource(manifest).group_kind == _CRON_JOB:
            self._cron_job(owner, manifest)
            return
        if Resource(manifest).group_kind == _DAEMONS:
            raise InputError(f"a {_DAEMONS} cannot be submitted as a workload yet", path="kind")
        running = self.running.setdefault(owner, [])
        for submission in submissions_of(manifest, self.specs):
            if running and running[0].pod.manifest["spec"] != submission.manifest["spec"]:
                self._end(running, 0, time)
            self._end(running, len(submission.names), time)
            for _ in range(len(submission.names) - len(running)):
                running.append(self._begin(owner, submission, time))

    def delete(self, owner: Owner, manifest: Manifest, time: Nanoseconds) -> None:
        """Ends the pods of an object; one that was there before the trace has none."""
        self._end(self.running.pop(owner, []), 0, time)

    def _begin(self, owner: Owner, like: Submission, time: Nanoseconds) -> _Life:
        number = self.born[owner]
        recorded = self.life_cycles.get(owner, [])[number : number + 1]
        name = like.names[0] if owner[0] == "v1.Pod" else f"{like.manifest['metadata']['name']}-{number}"
        pod = self.names.take(like._replace(names=(name,), source=None))  # the trace tells how long it lived
        self.born[owner] += 1
        begun, ended = recorded[0] if recorded else (0, None)
        life = _Life(time, pod, None if ended is None else ended - begun)
        self.lives.append(life)
        return life

    def _end(self, running: list[_Life], keep: int, time: Nanoseconds) -> None:
        for life in running[keep:]:
            life.ended = time
        del running[keep:]

    def _cron_job(self, owner: Owner, manifest: Manifest) -> None:
        cycles = self.life_cycles.get(owner, [])
        if not cycles:
            raise InputError("a CronJob whose pods the trace did not record is not supported yet", path="kind")
        path = "spec.jobTemplate.spec.template"
        job = fields.mapping(fields.mapping(manifest.get("spec"), "spec").get("jobTemplate"), "spec.jobTemplate")
        template = fields.mapping(job.get("spec"), "spec.jobTemplate.spec").get("template")
        pod = pod_of_template(manifest, template, path, self.specs, DEFAULT_JOB_DURATION)
        for begun, _ in cycles[self.born[owner] :]:
            like = Submission(0, (pod.name,), pod.namespace, pod.manifest, pod.behavior)
            self._begin(owner, like, max(begun - self.start, 0))

    def submissions(self) -> Iterator[Submission]:
        """Yields the pods of the whole trace."""
        return (life.submission() for life in self.lives)


def _owner(manifest: Mapping[str, Any]) -> Owner:
    version, kind = (fields.text(manifest.get(key), key) for key in ("apiVersion", "kind"))
    metadata = fields.mapping(manifest.get("metadata"), "metadata")
    name = fields.text(metadata.get("name"), "metadata.name")
    return f"{version}.{kind}", f"{metadata.get('namespace') or 'default'}/{name}"


def _decode(file: InputFile) -> object:
    if file.head[1:9] != _MSGPACK:
        return file.documents[0] if file.documents else None
    with file.stream() as stream:
        data = read_limited(stream)
    if len(data) > MAX_BYTES:
        raise InputError(f"larger than {MAX_BYTES >> 20} MiB")
    try:
        return msgspec.msgpack.decode(data)
    except (msgspec.DecodeError, ValueError, TypeError, RecursionError) as error:
        raise InputError(f"not valid MessagePack: {error}") from None


def _life_cycles(value: object) -> dict[Owner, list[tuple[Nanoseconds, Nanoseconds | None]]]:
    """Returns when each owner's pods started and ended, in the order of their start; None is an end not seen."""
    if not isinstance(value, Mapping):
        raise InputError(f"expected a mapping, got {value!r:.60}", path="pod_lifecycles")
    read = {}
    for owner, of_hash in value.items():
        path = f"pod_lifecycles[{owner!r:.120}]"
        if not (isinstance(owner, tuple) and len(owner) == 2 and all(isinstance(part, str) for part in owner)):
            raise InputError("expected a pair such as (v1.Pod, namespace/name) as the key", path=path)
        if not isinstance(of_hash, Mapping):
            raise InputError(f"expected a mapping, got {of_hash!r:.60}", path=path)
        cycles = [_life_cycle(item, path) for items in of_hash.values() for item in fields.items(items, path)]
        read[owner] = sorted((cycle for cycle in cycles if cycle is not None), key=lambda cycle: cycle[0])
    return read


def _life_cycle(item: object, path: str) -> tuple[Nanoseconds, Nanoseconds | None] | None:
    if item == "Empty":
        return None
    given = fields.mapping(item, path, ("Running", "Finished"))
    if "Running" in given:
        return fields.duration(given["Running"], f"{path}.Running"), None
    times = fields.items(given.get("Finished"), f"{path}.Finished")
    begun, ended = (fields.duration(time, f"{path}.Finished") for time in times) if len(times) == 2 else (1, 0)
    if ended < begun:
        raise InputError(f"expected a start and an end, got {times!r:.60}", path=f"{path}.Finished")
    return begun, ended
