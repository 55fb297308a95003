"""metrics.k8s.io: the resource use of nodes and pods, as a metrics server reports it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from wavetank.apiserver.endpoints.aggregated import register
from wavetank.apiserver.errors import not_found
from wavetank.apiserver.kinds import Kind, KindTable
from wavetank.apiserver.requests.negotiation import PLAIN, negotiate
from wavetank.apiserver.requests.paths import Target
from wavetank.apiserver.requests.request import Request, Response
from wavetank.apiserver.requests.responses import PRIVATE
from wavetank.apiserver.schemas.schema import Schema, Structure
from wavetank.apiserver.verbs.objects import Document, Objects
from wavetank.apiserver.verbs.options import ListOptions
from wavetank.apiserver.verbs.reading import page
from wavetank.apiserver.verbs.writing import Writer
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource, render_time
from wavetank.kernel.durations import Nanoseconds, format_seconds
from wavetank.quantity import format_milli

GROUP, VERSION = "metrics.k8s.io", "v1beta1"
_VERBS = ("get", "list")


class Amount(Protocol):
    """Thousandths of a core, and bytes."""

    @property
    def cpu(self) -> int:
        """Returns thousandths of a core."""

    @property
    def memory(self) -> int:
        """Returns bytes."""


class Measures(Protocol):
    """The resource use of containers and nodes, as it was last measured; times are in nanoseconds."""

    window: Nanoseconds

    @property
    def measured_at(self) -> Nanoseconds:
        """Returns the time of the values."""

    def containers(self, pod: Pod) -> Mapping[str, Amount]:
        """Returns the use of each container of a pod by name; empty if it does not run."""

    def nodes(self, nodes: list[Node]) -> Mapping[str, Amount]:
        """Returns the use of each node by name."""


class Metrics:
    """Serves the metrics of nodes and pods, which are computed for each request."""

    def __init__(self, writer: Writer, measures: Measures) -> None:
        self._objects: Objects = writer.objects
        self._measures = measures
        for kind in _kinds(self._objects.kinds):
            self._objects.kinds.add(kind)
        register(writer, GROUP, VERSION, "metrics-server")

    def respond(self, target: Target, request: Request) -> Response:
        """Returns the metrics of one object, or of a list."""
        listing = not target.name
        representation = negotiate(request, listing=listing)
        source = self._objects.kinds.named("v1", "Node" if target.kind.kind == "NodeMetrics" else "Pod")
        assert source is not None
        headers = [("content-type", representation.media_type), PRIVATE]
        if listing:
            options = ListOptions.read(request, watch=False).selecting(request, source)
            found, _ = page(self._objects, source, target.namespace, options)
            documents = list(self._measure(found))
            shown = representation.list(target.kind, documents, {}, self._objects.now)
            if representation == PLAIN:  # a metrics server names the kind of each item
                shown["items"] = documents
            return Response(200, headers, representation.encode(shown))
        present = self._objects.find(source, target.namespace, target.name)
        measured = list(self._measure([present])) if present is not None else []
        if not measured:
            raise not_found(f"{target.kind.kind.lower()}.{GROUP}", _key(target))
        shown = representation.object(target.kind, measured[0], self._objects.now)
        return Response(200, headers, representation.encode(shown))

    def _measure(self, found: list[Resource]) -> Iterator[Document]:
        nodes = [each for each in found if isinstance(each, Node)]
        used = self._measures.nodes(nodes) if nodes else {}
        for each in found:
            if isinstance(each, Node):
                yield {**self._head("NodeMetrics", each), "usage": _amounts(used[each.name])}
            elif isinstance(each, Pod) and (containers := self._measures.containers(each)):
                shown = [{"name": name, "usage": _amounts(amount)} for name, amount in containers.items()]
                yield {**self._head("PodMetrics", each), "containers": shown}

    def _head(self, kind: str, resource: Resource) -> Document:
        time = render_time(self._measures.measured_at)
        metadata: Document = {"name": resource.name, "creationTimestamp": render_time(self._objects.store.clock.now)}
        if resource.namespace:
            metadata["namespace"] = resource.namespace
        if resource.labels:
            metadata["labels"] = dict(resource.labels)
        head = {"kind": kind, "apiVersion": f"{GROUP}/{VERSION}", "metadata": metadata}
        return {**head, "timestamp": time, "window": f"{format_seconds(self._measures.window)}s"}


def _key(target: Target) -> str:
    return f"{target.namespace}/{target.name}" if target.namespace else target.name


def _amounts(amount: Amount) -> dict[str, str]:
    return {"cpu": format_milli(amount.cpu), "memory": f"{amount.memory // 1024}Ki"}


def _kinds(kinds: KindTable) -> Iterator[Kind]:
    head = kinds.named("v1", "ConfigMap")
    assert head is not None
    common = {name: head.schema.fields[name] for name in ("kind", "apiVersion", "metadata")}
    common |= {"timestamp": Schema("time"), "window": Schema("duration")}
    usage = Schema("map", items=Schema("quantity"))
    container = Structure("metrics.v1beta1.ContainerMetrics", {"name": Schema("string"), "usage": usage})
    containers = Schema("array", items=Schema("object", resolve=lambda: container))
    nodes = Structure("metrics.v1beta1.NodeMetrics", {**common, "usage": usage})
    pods = Structure("metrics.v1beta1.PodMetrics", {**common, "containers": containers})
    yield Kind(GROUP, VERSION, "NodeMetrics", "nodes", "", False, _VERBS, Schema("object", resolve=lambda: nodes))
    yield Kind(GROUP, VERSION, "PodMetrics", "pods", "", True, _VERBS, Schema("object", resolve=lambda: pods))
