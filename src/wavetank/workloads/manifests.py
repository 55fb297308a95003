"""Kubernetes manifests as a cluster, and as pods to submit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from wavetank.cluster.manifests import manifests_in
from wavetank.cluster.pod import Pod
from wavetank.cluster.podspec import SpecTable
from wavetank.cluster.resource import Manifest
from wavetank.cluster.run import Run
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.kernel.randomness import Streams
from wavetank.workloads import fields
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.objects import make_object
from wavetank.workloads.workload import Arrival

PREFIX = "wavetank.dev/"
ARRIVAL = "wavetank.dev/arrival"  # annotation: when the object is submitted, from the start of the run
DEFAULT_JOB_DURATION: Nanoseconds = 60 * SECOND  # of a Job's container that does not tell how long it runs


def read_cluster_manifests(file: InputFile) -> list[Manifest]:
    """Reads every object of the file, of whatever kind."""
    specs = SpecTable()
    manifests: list[Manifest] = []
    for place, manifest in manifests_in(file.documents, file.source):
        try:
            make_object(manifest, specs)
        except InputError as error:
            raise InputError(str(error), path=place, source=file.source) from None
        manifests.append(manifest)
    return manifests


class _Submission(NamedTuple):
    """Pods of one manifest, submitted together."""

    time: Nanoseconds
    names: tuple[str, ...]
    namespace: str
    manifest: Manifest
    run: Run | None


class ManifestWorkload:
    """The Pods, Jobs, Deployments, ReplicaSets and StatefulSets of a file, each submitted at its arrival.

    The annotation wavetank.dev/arrival says when, the start of the run if there is none; at one time the
    order is that of the file. A controller becomes the pods that it asks for, named `<name>-<number>`, and
    nothing replaces them. How long they run is what `run_of` reads; a Job's pods that do not tell, a minute.
    """

    def __init__(self, file: InputFile) -> None:
        submissions = sorted(_submissions(file), key=lambda submission: submission.time)
        self._submissions = submissions
        pods = sum(len(submission.names) for submission in submissions)
        self.description = f"{pods} pods from {file.name}"

    def arrivals(self, specs: SpecTable, streams: Streams) -> Iterator[Arrival]:
        """Yields the pods in the order of time; the same for every seed."""
        for time, names, namespace, manifest, run in self._submissions:
            spec = specs.intern(manifest["spec"])
            for name in names:
                yield Arrival(time, Pod(manifest, spec, name=name, namespace=namespace, run=run))


def _submissions(file: InputFile) -> Iterator[_Submission]:
    specs = SpecTable()
    seen: set[tuple[str, str]] = set()
    for place, manifest in manifests_in(file.documents, file.source):
        try:
            submission = _submission(manifest, specs)
            _check_names(submission, seen)
        except InputError as error:
            raise InputError(str(error), path=place, source=file.source) from None
        yield submission


def _check_names(submission: _Submission, seen: set[tuple[str, str]]) -> None:
    for name in submission.names:
        if (submission.namespace, name) in seen:
            raise InputError(f'a second pod "{name}": names must be unique in a namespace', path="metadata.name")
        seen.add((submission.namespace, name))


def _submission(manifest: Manifest, specs: SpecTable) -> _Submission:
    given = make_object(manifest, specs)
    time = fields.duration(given.annotations.get(ARRIVAL, "0"), f"metadata.annotations.{ARRIVAL}")
    if isinstance(given, Pod):
        return _Submission(time, (given.name,), given.namespace, manifest, given.run)
    if given.table not in _EXPANDED:
        expected = ", ".join(("Pod", *_EXPANDED))
        raise InputError(f"a {given.table} cannot be submitted as a workload yet: expected {expected}", path="kind")
    size = _EXPANDED[given.table](fields.mapping(manifest.get("spec"), "spec"))
    names = tuple(f"{given.name}-{i}" for i in range(size))
    pod = _pod_of_template(manifest, specs, DEFAULT_JOB_DURATION if given.table == _JOB else None)
    return _Submission(time, names, given.namespace, pod.manifest, pod.run)


def _pod_of_template(owner: Manifest, specs: SpecTable, duration: Nanoseconds | None) -> Pod:
    template = fields.mapping(owner["spec"].get("template"), "spec.template")
    try:
        metadata = fields.mapping(template.get("metadata") or {}, "metadata")
        given = {key: value for key, value in owner["metadata"].items() if key in ("name", "namespace")}
        own = fields.strings(metadata.get("annotations"), "metadata.annotations")
        annotations = {**_own_annotations(owner), **own}
        metadata = {**metadata, **given, **({"annotations": annotations} if annotations else {})}
        head = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata}
        pod = make_object({**head, "spec": template.get("spec")}, specs, duration)
    except InputError as error:
        raise error.inside(path="spec.template") from None
    assert isinstance(pod, Pod)
    return pod


def _own_annotations(owner: Manifest) -> dict[str, str]:
    """Returns what the owner says to wavetank, which is meant for its pods."""
    annotations = owner["metadata"].get("annotations") or {}
    return {key: value for key, value in annotations.items() if key.startswith(PREFIX) and key != ARRIVAL}


def _replicas(spec: Mapping[str, Any]) -> int:
    value = spec.get("replicas")
    return fields.integer(1 if value is None else value, "spec.replicas", 0, fields.MOST_OBJECTS)


def _parallelism(spec: Mapping[str, Any]) -> int:
    parallel, completions = spec.get("parallelism"), spec.get("completions")
    size = fields.integer(1 if parallel is None else parallel, "spec.parallelism", 0, fields.MOST_OBJECTS)
    wanted = fields.integer(size if completions is None else completions, "spec.completions")
    if wanted > size:
        raise InputError(f"a Job in waves is not supported yet: expected at most {size}", path="spec.completions")
    if spec.get("suspend"):
        raise InputError("a suspended Job is not supported yet", path="spec.suspend")
    _check_restart_policy(spec)
    return wanted


def _check_restart_policy(spec: Mapping[str, Any]) -> None:
    path = "spec.template.spec.restartPolicy"
    template = fields.mapping(spec.get("template"), "spec.template")
    policy = fields.mapping(template.get("spec"), "spec.template.spec").get("restartPolicy")
    if policy not in ("Never", "OnFailure"):
        raise InputError(f"expected Never or OnFailure in a Job, got {policy!r:.60}", path=path)


_JOB = "Job.batch"
_EXPANDED: dict[str, Callable[[Mapping[str, Any]], int]] = {
    _JOB: _parallelism,
    "Deployment.apps": _replicas,
    "ReplicaSet.apps": _replicas,
    "StatefulSet.apps": _replicas,
}
