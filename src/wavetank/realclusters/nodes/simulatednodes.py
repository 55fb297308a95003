from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.resource import Manifest
from wavetank.cluster.releases import SERVED
from wavetank.cluster.store.errors import ApiError, ConflictError, NotFoundError
from wavetank.cluster.store.store import Store
from wavetank.kernel.randomness import Streams
from wavetank.nodes.kubelet.kubelets import Kubelets
from wavetank.nodes.kubelet.latency import NodeLatency
from wavetank.nodes.reports.crashloops import CrashLoopReporter
from wavetank.nodes.reports.kubeletreports import KubeletReports
from wavetank.realclusters.client.client import ApiClient
from wavetank.realclusters.client.informer import Document, Informer
from wavetank.realclusters.client.outbox import Outbox, Request
from wavetank.realclusters.mirror.documents import read_node
from wavetank.realclusters.mirror.realtime import RealTime
from wavetank.realclusters.nodes.heartbeats import Heartbeats
from wavetank.realclusters.nodes.names import CRASH, FAULT, NODES, PODS, SIMULATED
from wavetank.realclusters.nodes.podmirror import PodMirror
from wavetank.realclusters.nodes.podreports import PodReports
from wavetank.realclusters.nodes.registration import register, remove
from wavetank.realclusters.nodes.stages.engine import StageEngine
from wavetank.realclusters.nodes.stages.stage import Stage
from wavetank.simulation.served.podbehavior import set_behavior


class SimulatedNodes:
    """Nodes without machines under a real control plane: they run the pods that are bound to them, as kubelets do.

    Pods and nodes are mirrored into a store, in which the kubelets of simulations work by the time of this machine;
    what they write is sent to the API server. `stages` replace the kubelets for pods, as KWOK's do. `warn` is called
    with what the server refuses.
    """

    def __init__(
        self,
        client: ApiClient,
        nodes: Sequence[Manifest],
        latency: NodeLatency,
        warn: Callable[[str], None],
        stages: Sequence[Stage] = (),
        seed: int = 1,
    ) -> None:
        self.names = frozenset(str(node["metadata"]["name"]) for node in nodes)
        self.joined = asyncio.Event()
        self._client = client
        self._nodes = nodes
        self._warn = warn
        self.time = RealTime()
        self.store = Store(self.time.clock)
        self.outbox = Outbox(client, self._refused)
        self._context = context = ActorContext(self.store, Streams(seed), SERVED.version)
        reports = KubeletReports(context, SERVED.tag)
        self._down: set[str] = set()
        self._kubelets: Kubelets | None = None
        self._heartbeats = Heartbeats(context, reports, self.outbox, self._down.__contains__)
        if stages:
            self._pods: PodMirror | StageEngine = StageEngine(context, self.names, stages, self.outbox, self._down)
        else:
            self.store.subscribe(POD, added=set_behavior)
            CrashLoopReporter(context, reports)
            self._kubelets = Kubelets(context, latency)
            self._pods = PodMirror(context, self.names, PodReports(context, reports, self.outbox))

    async def run(self) -> None:
        """Registers the nodes and runs them until it is cancelled."""
        await register(self._client, self._nodes)
        selected = f"{NODES}?labelSelector={SIMULATED}%3Dtrue"
        nodes = Informer(self._client, selected, self._replace_nodes, self._change_node)
        pods = Informer(self._client, f"{PODS}?fieldSelector=spec.nodeName%21%3D", self._replace_pods, self._change_pod)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self.outbox.run())
                group.create_task(nodes.run())
                await nodes.synced.wait()
                group.create_task(pods.run())
                await pods.synced.wait()
                self.joined.set()
        finally:
            self.time.stop()

    async def leave(self) -> None:
        """Deletes the nodes."""
        await remove(self._client, self.names)

    # what the API server reports

    def _replace_pods(self, documents: list[Document]) -> None:
        self._at_once(lambda: self._pods.replace(documents))

    def _change_pod(self, action: str, document: Document) -> None:
        self._at_once(lambda: self._pods.change(action, document))

    def _replace_nodes(self, documents: list[Document]) -> None:
        listed = {document["metadata"]["name"] for document in documents}
        gone = [node for node in self.store.list(NODE) if node.name not in listed]
        for node in gone:
            self._change_node("DELETED", {"metadata": {"name": node.name}})
        for document in documents:
            self._change_node("MODIFIED", document)

    def _change_node(self, action: str, document: Document) -> None:
        if document["metadata"]["name"] in self.names:
            change = self._node_gone if action == "DELETED" else self._node_seen
            self._at_once(lambda: change(document["metadata"]["name"], document))

    def _at_once(self, change: Callable[[], object]) -> None:
        """Makes a change at the present time, and whatever it makes due."""
        self.time.advance()
        change()
        self.time.advance()
        self.time.plan()

    def _node_gone(self, name: str, _: Document) -> None:
        present = self.store.find(NODE, "", name)
        if present is not None:
            self.store.delete(present)

    def _node_seen(self, name: str, document: Document) -> None:
        node = read_node(document)
        present = self.store.find(NODE, "", name)
        if present is not None and present.uid != node.uid:
            self.store.delete(present)
            present = None
        if present is None:
            self.store.create(node)
        else:
            node.resource_version, node.created = present.resource_version, present.created
            self.store.update(node)
        self._set_fault(node)
        if not node.ready and name not in self._down:  # a controller took it for lost while the server was slow or away
            self._heartbeats.report(name)

    # faults

    def _set_fault(self, node: Node) -> None:
        """Crashes or repairs a node, as its annotation says."""
        crashed = node.annotations.get(FAULT) == CRASH
        if crashed == (node.name in self._down):
            return
        if crashed:
            self._down.add(node.name)
            if self._kubelets is not None:
                self._kubelets.crash(node.name)
        else:
            self._down.discard(node.name)
            if self._kubelets is not None:
                self._kubelets.repair(node.name)
            self._heartbeats.begin(node)

    def _refused(self, key: Hashable, request: Request, error: ApiError) -> None:
        is_expected = isinstance(error, NotFoundError | ConflictError)  # the pod is gone, or another one has its name
        if not self._heartbeats.refused(key, error) and not is_expected:
            self._warn(f"{request.method} {request.path}: {error}")


async def run_until(nodes: SimulatedNodes, stopped: asyncio.Event) -> None:
    """Runs nodes until `stopped`; errors of theirs are raised."""
    running = asyncio.ensure_future(nodes.run())
    waiting = asyncio.ensure_future(stopped.wait())
    await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
