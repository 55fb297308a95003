"""The workloads of Kubernetes' scheduler_perf: one file is both the cluster and what is submitted to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import count, cycle
from typing import Any

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Manifest
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.workloads.formats.manifests import objects_in
from wavetank.workloads.formats.schedulerperf.cases import CASE, Operation, PerfCase, read_case
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.manifests.nodes import named_nodes
from wavetank.workloads.manifests.objects import make_object
from wavetank.workloads.manifests.submissions import Submission, SubmittedWorkload

OPTIONS = (CASE,)
WAIT: Nanoseconds = 10 * SECOND  # after what waits for pods to be scheduled: enough for them without latencies

_NOTHING = ("startCollectingMetrics", "stopCollectingMetrics")
_NOT_YET = {
    "deletePods": "deletes pods, which a workload cannot do yet",
    "updateAny": "changes objects, which a workload cannot do yet",
    "createPodGroups": "creates PodGroups, which are not simulated yet",
    "createResourceClaims": "needs dynamic resource allocation, which is not simulated",
    "createResourceDriver": "needs dynamic resource allocation, which is not simulated",
    "allocResourceClaims": "needs dynamic resource allocation, which is not simulated",
}
_DEFAULT_NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"generateName": "scheduler-perf-"},
    "status": {
        "capacity": {"pods": "110", "cpu": "4", "memory": "32Gi"},
        "conditions": [{"type": "Ready", "status": "True"}],
    },
}
_SMALL = {"cpu": "100m", "memory": "500Mi"}
_DEFAULT_POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"generateName": "pod-"},
    "spec": {"containers": [{"name": "pause", "resources": {"limits": _SMALL, "requests": _SMALL}}]},
}


def is_scheduler_perf(file: InputFile) -> bool:
    """Tells whether a file looks like one of scheduler_perf's."""
    first = file.documents[0] if file.documents else None
    return isinstance(first, list) and bool(first) and isinstance(first[0], Mapping) and "workloadTemplate" in first[0]


def read_scheduler_perf_cluster(file: InputFile) -> list[Manifest]:
    """Reads what a case creates before its first pods: nodes, namespaces and other objects.

    The option `case` says which, `<case>/<workload>`; without it, it is the first. The case's scheduler
    configuration is for the user to give.
    """
    try:
        case = read_case(file)
        manifests = list(_Timeline(case).before_pods())
    except InputError as error:
        raise error.inside(source=file.source) from None
    return list(objects_in(file, manifests))


class SchedulerPerfWorkload(SubmittedWorkload):
    """The pods of a case, in the namespaces that scheduler_perf gives them, named by generateName and a number.

    A `createPods` or `barrier` that waits until pods are scheduled becomes ten seconds of the run, `sleep` its time;
    with `skipWaitToCompletion` the next operation follows at once. `churn` in mode create submits a pod of each
    template per interval until the last operation is over. What deletes or changes objects, creates nodes while it
    runs, or needs volumes, pod groups, dynamic resource allocation or Go templates is refused by name.
    """

    def __init__(self, file: InputFile) -> None:
        try:
            case = read_case(file)
            submissions = list(_Timeline(case).pods())
        except InputError as error:
            raise error.inside(source=file.source) from None
        super().__init__(file, submissions)
        self.description = f"{self.description}, {case.name}"


class _Timeline:
    """The operations of a case, one after the other: `now` is when the present one begins."""

    def __init__(self, case: PerfCase) -> None:
        self._case = case
        self._specs = SpecTable()
        self._numbers: Counter[tuple[str, str]] = Counter()
        self.now: Nanoseconds = 0

    def before_pods(self) -> Iterator[tuple[str, Manifest]]:
        """Yields (place, manifest) of what the cluster holds when it begins."""
        for operation in self._operations():
            if operation.opcode == "createNodes":
                for node in self._nodes(operation):
                    yield operation.path, node
            elif operation.opcode == "createNamespaces":
                for namespace in self._namespaces(operation):
                    yield operation.path, namespace
            elif operation.opcode == "createAny":
                yield operation.path, self._any(operation)

    def pods(self) -> Iterator[Submission]:
        """Yields the pods with their times."""
        churns: list[tuple[Operation, Nanoseconds]] = []
        for operation in self._operations():
            if operation.opcode == "createPods":
                yield self._pods(operation, operation.text("namespace", f"namespace-{operation.number}"))
            elif operation.opcode == "createPodSets":
                yield from self._pod_sets(operation)
            elif operation.opcode == "churn":
                churns.append((operation, self.now))
            self.now += self._takes(operation)
        for operation, begun in churns:
            yield from self._churn(operation, begun)

    def _operations(self) -> Iterator[Operation]:
        """Yields the operations, once it is clear that each can be simulated where it stands."""
        pods = False
        for operation in self._case.operations:
            if operation.opcode in _NOT_YET:
                raise operation.refuse(_NOT_YET[operation.opcode])
            if operation.opcode not in _KNOWN:
                raise operation.refuse(f"is not known: expected one of {', '.join(_KNOWN)}")
            pods = pods or operation.opcode in ("createPods", "createPodSets", "churn")
            if pods and operation.opcode in ("createNodes", "createAny"):
                raise operation.refuse("after the first pods is not supported yet: a workload holds pods only")
            yield operation

    def _takes(self, operation: Operation) -> Nanoseconds:
        if operation.opcode == "sleep":
            return fields.duration(operation.given.get("duration"), f"{operation.path}.duration")
        waits = operation.opcode in ("createPods", "createPodSets", "barrier") and operation.waits()
        return WAIT if waits else 0

    def _nodes(self, operation: Operation) -> Iterator[Manifest]:
        given = operation.given
        template = self._template(operation, "nodeTemplatePath") if "nodeTemplatePath" in given else _DEFAULT_NODE
        if "nodeAllocatableStrategy" in given:
            raise operation.refuse("with nodeAllocatableStrategy needs CSI volumes, which are not simulated")
        labels = _node_labels(operation)
        for node in named_nodes(template, self._named(template, "", operation.count())):
            metadata = {**node["metadata"], "labels": {**node["metadata"]["labels"], **next(labels)}}
            yield {**node, "metadata": {key: value for key, value in metadata.items() if key != "generateName"}}

    def _namespaces(self, operation: Operation) -> Iterator[Manifest]:
        given = operation.given
        template = self._template(operation, "namespaceTemplatePath") if "namespaceTemplatePath" in given else {}
        prefix = operation.text("prefix")
        for i in range(operation.count()):
            metadata = {**(template.get("metadata") or {}), "name": f"{prefix}-{i}"}
            yield {**template, "apiVersion": "v1", "kind": "Namespace", "metadata": metadata}

    def _any(self, operation: Operation) -> Manifest:
        template = self._template(operation, "templatePath")
        if str(template.get("apiVersion")).startswith("resource.k8s.io/"):
            raise operation.refuse(f"of a {template.get('kind')} needs dynamic resource allocation, not simulated")
        if operation.count() != 1:
            raise operation.refuse("of several equal objects is not supported yet")
        namespace = operation.text("namespace", f"namespace-{operation.number}")
        (name,) = self._named(template, namespace, 1)
        metadata = {key: value for key, value in (template.get("metadata") or {}).items() if key != "generateName"}
        return {**template, "metadata": {**metadata, "name": name, "namespace": namespace}}

    def _pods(self, operation: Operation, namespace: str) -> Submission:
        for field in ("persistentVolumeTemplatePath", "persistentVolumeClaimTemplatePath"):
            if field in operation.given:
                raise operation.refuse("with volumes is not simulated")
        if "steadyStateParam" in operation.given or operation.given.get("steadyState"):
            raise operation.refuse("in a steady state deletes pods, which a workload cannot do yet")
        return self._submission(operation, self._pod_template(operation), namespace, operation.count(), self.now)

    def _pod_template(self, operation: Operation) -> Mapping[str, Any]:
        if "podTemplatePath" in operation.given:
            return self._template(operation, "podTemplatePath")
        return self._case.template(self._case.default_pod) if self._case.default_pod else _DEFAULT_POD

    def _pod_sets(self, operation: Operation) -> Iterator[Submission]:
        inner = fields.mapping(operation.given.get("createPodsOp"), f"{operation.path}.createPodsOp")
        prefix = operation.text("namespacePrefix")
        path = f"{operation.path}.createPodsOp"
        pods = Operation(operation.number, "createPods", inner, operation.params, path)
        for i in range(operation.count()):
            yield self._pods(pods, f"{prefix}-{i}")

    def _churn(self, operation: Operation, begun: Nanoseconds) -> Iterator[Submission]:
        mode = fields.choice(operation.given.get("mode"), f"{operation.path}.mode", ("create", "recreate"))
        if mode == "recreate":
            raise operation.refuse("in mode recreate deletes objects, which a workload cannot do yet")
        every = fields.integer(operation.given.get("intervalMilliseconds", 500), f"{operation.path}.interval", 1)
        most = fields.integer(operation.given.get("number", 0), f"{operation.path}.number")
        step = every * SECOND // 1000
        paths = fields.items(operation.given.get("templatePaths"), f"{operation.path}.templatePaths")
        namespace = operation.text("namespace", f"namespace-{operation.number}")
        times = range(begun, self.now, step)[: most or None]
        templates = [self._case.template(fields.text(path, f"{operation.path}.templatePaths")) for path in paths]
        for time in times:
            for template in templates:
                yield self._submission(operation, template, namespace, 1, time)

    def _submission(
        self, operation: Operation, template: Mapping[str, Any], namespace: str, size: int, time: Nanoseconds
    ) -> Submission:
        if template.get("kind") != "Pod":
            raise operation.refuse(
                f"of a {template.get('kind')!s:.60} is not supported yet: a workload holds pods only"
            )
        metadata = {key: value for key, value in (template.get("metadata") or {}).items() if key != "generateName"}
        names = tuple(self._named(template, namespace, size))
        manifest = {**template, "metadata": {**metadata, "name": names[0] if names else "none", "namespace": namespace}}
        pod = make_object(manifest, self._specs)
        if (template.get("spec") or {}).get("resourceClaims"):
            raise operation.refuse("with resource claims needs dynamic resource allocation, which is not simulated")
        assert isinstance(pod, Pod)
        return Submission(time, names, namespace, manifest, pod.behavior)

    def _named(self, template: Mapping[str, Any], namespace: str, size: int) -> Iterator[str]:
        """Yields names: the template's own if it has one, else generateName and a number."""
        metadata = fields.mapping(template.get("metadata") or {}, "metadata")
        if "name" in metadata and size == 1:
            yield fields.text(metadata["name"], "metadata.name")
            return
        prefix = fields.text(metadata.get("generateName"), "metadata.generateName")
        key = (namespace, prefix)
        for _ in range(size):
            yield f"{prefix}{self._numbers[key]}"
            self._numbers[key] += 1

    def _template(self, operation: Operation, field: str) -> Mapping[str, Any]:
        return self._case.template(operation.text(field))


def _node_labels(operation: Operation) -> Iterator[dict[str, str]]:
    """Yields the labels of one node after the other."""
    strategy = operation.given.get("labelNodePrepareStrategy")
    path = f"{operation.path}.labelNodePrepareStrategy"
    if "uniqueNodeLabelStrategy" in operation.given:
        unique = fields.mapping(operation.given["uniqueNodeLabelStrategy"], path)
        key = fields.text(unique.get("labelKey"), f"{path}.labelKey")
        return ({key: str(i)} for i in count())
    if strategy is None:
        return ({} for _ in count())
    given = fields.mapping(strategy, path, ("labelKey", "labelValues"))
    key = fields.text(given.get("labelKey"), f"{path}.labelKey")
    values = fields.items(given.get("labelValues"), f"{path}.labelValues")
    return cycle([fields.labels({key: value}, path) for value in values])


_KNOWN = (
    *("createNodes", "createNamespaces", "createPods", "createPodSets", "createAny", "churn", "barrier", "sleep"),
    *_NOTHING,
)
