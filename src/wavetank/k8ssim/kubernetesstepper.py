from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wavetank.cluster.releases import NEWEST, Version
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.k8ssim.cluster import K8sSimCluster, only_document
from wavetank.k8ssim.info import Document, clock_text, node_document, pod_document, used_by_node
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.nodes.kubelet.kubelets import Kubelets
from wavetank.results.write.k8ssim import write_k8ssim
from wavetank.scheduling.named.switching import switched_definition


class KubernetesStepper:
    """K8sSim's simulation of kube-scheduler: in each step one of the eleven algorithms schedules the pending pods.

    A step takes `tick` seconds, a field of the nodes' document that is 1 by default. After it the events of the next
    instant have happened, but its pods are not scheduled yet. Containers start at once.
    """

    def __init__(
        self, nodes: str, workload: str, compat: bool = False, version: Version = NEWEST, seed: int = 1
    ) -> None:
        if not isinstance(only_document(workload, "workload"), list):
            raise InputError("expected a list of {pod, startTime}", path="workload")
        self._cluster = cluster = K8sSimCluster(nodes, workload, version, seed)
        self._tick = _tick(only_document(nodes, "nodes"))
        Kubelets(cluster.world.context, keep_finished=True)
        cluster.load()
        definition = switched_definition(version, compat)
        cluster.world.attach([definition])
        self._switch = definition.switch
        cluster.submit()
        cluster.clock.run_events(0)

    @property
    def done(self) -> bool:
        """Tells whether all pods were submitted and have ended."""
        return self._cluster.is_done

    def step(self, action: int) -> Document:
        """Schedules by the algorithm of this number for one tick; returns the state after it."""
        self._switch.turn(action)
        clock = self._cluster.clock
        clock.run_events(clock.now + self._tick)
        return self.state()

    def state(self) -> Document:
        """Returns the state as K8sSim's server sends it: done, nodes, pods, and the time."""
        rows = list(self._cluster.ledger.rows.values())
        used = used_by_node(rows)
        return {
            "done": self.done,
            "nodes": [node_document(node, used[node.name]) for node in self._cluster.node_list()],
            "pods": [pod_document(row) for row in rows],
            "clock": clock_text(self._cluster.clock.now),
        }

    def write_results(self, folder: Path) -> None:
        """Writes the tables of K8sSim's client."""
        folder.mkdir(parents=True, exist_ok=True)
        write_k8ssim(self._cluster.ledger.rows.values(), folder)


def _tick(nodes: object) -> Nanoseconds:
    tick = nodes.get("tick", 1) if isinstance(nodes, Mapping) else 1
    return fields.integer(tick, "nodes.tick", 1, 86_400) * SECOND
