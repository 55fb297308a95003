"""A small scheduler with the official Kubernetes client: pods in order of arrival, first node that fits.

It is an ordinary program that does not depend on the simulation: python scheduler.py --kubeconfig FILE
"""

from __future__ import annotations

import argparse
import queue
import threading
from collections.abc import Callable
from typing import Any

from kubernetes import client, config, watch

NAME = "default-scheduler"


def cpu_of(quantity: str) -> int:
    """Returns thousandths of a CPU."""
    return int(quantity[:-1]) if quantity.endswith("m") else round(float(quantity) * 1000)


class Scheduler:
    def __init__(self, core: client.CoreV1Api) -> None:
        self.core = core
        self.events: queue.Queue[tuple[str, str, Any]] = queue.Queue()
        self.capacity: dict[str, int] = {}
        self.placed: dict[str, tuple[str, int]] = {}
        self.pending: dict[str, Any] = {}

    def run(self) -> None:
        for kind, source in (("node", self.core.list_node), ("pod", self.core.list_pod_for_all_namespaces)):
            threading.Thread(target=self._follow, args=(kind, source), daemon=True).start()
        while True:
            self._take(*self.events.get())
            while not self.events.empty():
                self._take(*self.events.get())
            self._schedule()

    def _follow(self, kind: str, source: Callable[..., Any]) -> None:
        while True:
            for event in watch.Watch().stream(source):
                self.events.put((kind, event["type"], event["object"]))

    def _take(self, kind: str, change: str, thing: Any) -> None:
        if kind == "node":
            self.capacity[thing.metadata.name] = cpu_of(thing.status.allocatable["cpu"])
            return
        uid = thing.metadata.uid
        if change == "DELETED" or thing.status.phase in ("Succeeded", "Failed"):
            self.placed.pop(uid, None)
            self.pending.pop(uid, None)
        elif thing.spec.node_name:
            self.placed[uid] = (thing.spec.node_name, self._request(thing))
            self.pending.pop(uid, None)
        elif thing.spec.scheduler_name == NAME and uid not in self.placed:
            self.pending[uid] = thing

    def _schedule(self) -> None:
        free = dict(self.capacity)
        for node, cpu in self.placed.values():
            free[node] = free.get(node, 0) - cpu
        for uid, pod in list(self.pending.items()):
            request = self._request(pod)
            node = next((name for name, cpu in free.items() if cpu >= request), None)
            if node is not None:
                free[node] -= request
                self._bind(pod, node)
                self.placed[uid] = (node, request)
                del self.pending[uid]

    def _bind(self, pod: Any, node: str) -> None:
        body = client.V1Binding(
            metadata=client.V1ObjectMeta(name=pod.metadata.name, namespace=pod.metadata.namespace),
            target=client.V1ObjectReference(api_version="v1", kind="Node", name=node),
        )
        self.core.create_namespaced_binding(pod.metadata.namespace, body, _preload_content=False)

    @staticmethod
    def _request(pod: Any) -> int:
        requests = (container.resources.requests or {} for container in pod.spec.containers)
        return sum(cpu_of(each.get("cpu", "0")) for each in requests)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kubeconfig", required=True)
    config.load_kube_config(parser.parse_args().kubeconfig)
    Scheduler(client.CoreV1Api()).run()
