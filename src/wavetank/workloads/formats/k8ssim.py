"""K8sSim's inputs, of both of its halves: that of Volcano and that of pfnet's k8s-cluster-simulator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wavetank.cluster.manifests import load_documents
from wavetank.cluster.objects.node import SPEED
from wavetank.cluster.objects.resource import Manifest
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.nodes.k8ssim.parameters import FIELDS, UNIT
from wavetank.workloads.formats.manifests import objects_in, submissions_in
from wavetank.workloads.inputfile import InputFile, naming
from wavetank.workloads.manifests.behavior import DURATION, JOB, behavior_of
from wavetank.workloads.manifests.expansion import ARRIVAL, DEFAULT_JOB_DURATION
from wavetank.workloads.manifests.submissions import SubmittedWorkload

SIM_SPEC = "simSpec"  # pfnet's annotation of pods: phases with their seconds

_CLUSTER, _JOBS, _POD, _START = "cluster", "jobs", "pod", "startTime"
_JOB_LABEL = "job"  # of listed pods
_OF_PFNET = ("logLevel", "tick", "startClock", "metricsTick", "metricsLogger")
_SPEED = "calculationSpeed"
_KEPT = (
    *("minimumSpeed", "slowSpeedThreshold"),
    *("ctnCreationTime", "ctnCreationExtraTime", "ctnCreationTimeInterval"),
)
_NODE = ("apiVersion", "kind", "metadata", "spec", "status", _SPEED, *_KEPT)


def is_k8ssim(file: InputFile) -> bool:
    """Tells whether a file looks like nodes or a workload of K8sSim."""
    first = file.documents[0] if file.documents else None
    if isinstance(first, Mapping):
        return isinstance(first.get(_CLUSTER), list) or _are_jobs(first)
    return isinstance(first, list) and bool(first) and isinstance(first[0], Mapping) and {_POD, _START} <= {*first[0]}


def _are_jobs(document: Mapping[str, Any]) -> bool:
    jobs = document.get(_JOBS)
    return isinstance(jobs, list) and "profiles" not in document and "kind" not in document


def read_k8ssim_nodes(file: InputFile) -> list[Manifest]:
    """Reads the nodes under `cluster:`.

    `calculationSpeed` becomes the speed of the node's cores, of which 1 is 1 Gflop/s; what else K8sSim says of a
    node (how its containers start, how it slows down) is kept as annotations, for `execution: k8ssim`. What pfnet's
    configurations hold besides nodes is left aside.
    """
    with naming(file):
        return list(objects_in(file, _nodes(file)))


def _nodes(file: InputFile) -> Iterator[tuple[str, Manifest]]:
    document = fields.mapping(_only_document(file), "", (_CLUSTER, *_OF_PFNET))
    for i, node in enumerate(fields.items(document.get(_CLUSTER), _CLUSTER)):
        place = f"{_CLUSTER}[{i}]"
        try:
            yield place, _node(fields.mapping(node, "", _NODE))
        except InputError as error:
            file.skip(error.inside(path=place), "a node that cannot be used")


def _node(node: Mapping[str, Any]) -> Manifest:
    metadata = fields.mapping(node.get("metadata"), "metadata")
    speed = fields.number(node.get(_SPEED, 1), _SPEED)
    kept = {f"{FIELDS}{name}": str(fields.number(node[name], name)) for name in _KEPT if name in node}
    annotations = {
        **fields.strings(metadata.get("annotations"), "metadata.annotations"),
        **kept,
        SPEED: str(speed * UNIT),
    }
    manifest = {"apiVersion": "v1", "kind": "Node", "metadata": {**metadata, "annotations": annotations}}
    return {**manifest, **{field: node[field] for field in ("spec", "status") if field in node}}


class K8sSimWorkload(SubmittedWorkload):
    """The pods of a K8sSim workload: Volcano Jobs under `jobs:`, or a list of {pod, startTime in seconds}.

    A Volcano Job becomes the replicas of its tasks, submitted at its label `sub-time`; --epochs=N takes the time
    that K8sSim's performance model gives at full speed. A listed pod runs for the seconds of pfnet's annotation
    `simSpec`, else as long as it shows (`behavior_of`), else for a minute: what --iter-factor takes is not known.
    """

    def __init__(self, file: InputFile) -> None:
        with naming(file):
            super().__init__(file, submissions_in(file, _manifests(file)))


def _manifests(file: InputFile) -> Iterator[tuple[str, Manifest]]:
    document = _only_document(file)
    if isinstance(document, list):
        yield from _listed(file, document)
        return
    for i, job in enumerate(fields.items(fields.mapping(document, "").get(_JOBS), _JOBS)):
        yield f"{_JOBS}[{i}]", fields.mapping(job, f"{_JOBS}[{i}]")


def _listed(file: InputFile, items: list[Any]) -> Iterator[tuple[str, Manifest]]:
    for i, item in enumerate(items):
        try:
            yield f"[{i}].{_POD}", _pod(fields.mapping(item, "", (_POD, _START)))
        except InputError as error:
            file.skip(error.inside(path=f"[{i}]"), "a pod that cannot be used")


def _pod(item: Mapping[str, Any]) -> Manifest:
    pod = fields.mapping(item.get(_POD), _POD)
    metadata = fields.mapping(pod.get("metadata"), f"{_POD}.metadata")
    annotations = {**fields.strings(metadata.get("annotations"), f"{_POD}.metadata.annotations")}
    start = fields.duration(item.get(_START), _START)
    annotations[ARRIVAL] = f"{start}ns"
    if DURATION not in annotations:
        annotations |= _duration(pod, annotations)
    labels = fields.strings(metadata.get("labels"), f"{_POD}.metadata.labels")
    if _JOB_LABEL in labels:
        annotations.setdefault(JOB, labels[_JOB_LABEL])
    return {**pod, "metadata": {**metadata, "annotations": annotations}}


def _duration(pod: Manifest, annotations: Mapping[str, str]) -> dict[str, str]:
    if SIM_SPEC in annotations:
        return {DURATION: f"{_phases(annotations[SIM_SPEC])}ns"}
    try:
        duration = behavior_of(pod, DEFAULT_JOB_DURATION).duration
    except (AttributeError, TypeError):  # no valid pod, as will be said when it is made
        return {}
    return {} if duration is None else {DURATION: f"{duration}ns"}


def _phases(text: str) -> int:
    path = f"{_POD}.metadata.annotations.{SIM_SPEC}"
    try:
        documents = load_documents(text, "")
        phases = fields.items(documents[0] if documents else None, "")
        return sum(fields.duration(fields.mapping(phase, "").get("seconds"), "seconds") for phase in phases)
    except InputError as error:
        raise error.inside(path=path) from None


def _only_document(file: InputFile) -> Any:
    if len(file.documents) != 1:
        raise InputError(f"expected one document, found {len(file.documents)}", source=file.source)
    return file.documents[0]
