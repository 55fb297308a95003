"""TOPSIS as a scheduler of its own, over the official Kubernetes client: on a simulated cluster or a real one.

    python -m wavetank.examples.topsis_scheduler --kubeconfig wavetank.kubeconfig --scheduler-name topsis

Each round it reads nodes, pods and metrics, and binds the pods that wait, oldest first. It keeps to the filters of
kube-scheduler's default profile; pods with volumes are left alone, since it does not read these.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import click

from wavetank.cluster.fields.resources import parse_amounts
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.releases import SERVED
from wavetank.errors import InputError, WavetankError
from wavetank.scheduling.config import default_configuration
from wavetank.scheduling.framework.cycle.cycle import Cycle, Rotation
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.framework.selection import RandomTies
from wavetank.scheduling.policies.topsis.policy import Topsis
from wavetank.scheduling.policy import policy_framework
from wavetank.scheduling.registry import Handle

NODES, PODS, NODE_METRICS, POD_METRICS = "nodes", "pods", "nodes.metrics.k8s.io", "pods.metrics.k8s.io"

Read = Callable[[str], Sequence[Mapping[str, Any]] | None]  # the objects of a kind; None if there is no such kind
Say = Callable[[str], None]


class Cluster:
    """The cluster as it is read in one round."""

    def __init__(self, read: Read) -> None:
        self.table = NodeTable()
        self.waiting: list[Pod] = []
        self.has_metrics = True
        self._list = read
        self._specs = SpecTable()
        self._read()

    def _read(self) -> None:
        bound: list[Pod] = []
        for manifest in self._list(PODS) or ():
            pod = Pod.parse({"kind": "Pod", **manifest}, self._specs)
            if pod.node_name and not pod.finished:
                bound.append(pod)
            elif not pod.node_name and pod.deleted is None and not pod.gates:
                self.waiting.append(pod)
        self.waiting.sort(key=lambda pod: (-pod.priority, pod.created, pod.namespace, pod.name))
        loads = self._loads(bound)
        for manifest in self._list(NODES) or ():
            node = Node({"kind": "Node", **manifest})
            node.load = loads.get(node.name, {})
            self.table.set_node(node)
        for pod in bound:
            self.table.add_pod(pod, pod.node_name)

    def _loads(self, bound: Sequence[Pod]) -> dict[str, dict[str, int]]:
        """Returns what nodes use beyond what their pods use: the load of other programs."""
        used = self._usage(NODE_METRICS, lambda item: [item])
        pods = self._usage(POD_METRICS, lambda item: item.get("containers") or [])
        for pod in bound:
            for resource, amount in pods.get(f"{pod.namespace}/{pod.name}", {}).items():
                rest = used.get(pod.node_name, {})
                rest[resource] = max(0, rest.get(resource, 0) - amount)
        return used

    def _usage(
        self, kind: str, parts: Callable[[Mapping[str, Any]], Sequence[Mapping[str, Any]]]
    ) -> dict[str, dict[str, int]]:
        found: dict[str, dict[str, int]] = {}
        metrics = self._list(kind)
        self.has_metrics = metrics is not None
        for item in metrics or ():
            metadata = item["metadata"]
            key = "/".join(part for part in (metadata.get("namespace"), metadata["name"]) if part)
            total = found.setdefault(key, {})
            for part in parts(item):
                for resource, amount in parse_amounts(part.get("usage")).items():
                    total[resource] = total.get(resource, 0) + amount
        return found


class TopsisScheduler:
    """Binds the pods that wait for it, round by round."""

    def __init__(
        self, read: Read, bind: Callable[[Pod, str], bool], policy: Topsis, scheduler_name: str, say: Say
    ) -> None:
        self._read = read
        self._bind = bind
        self._name = scheduler_name
        self._say = say
        self._round = 0
        self._random = Random()
        self._warned: set[str] = set()
        policy.now = lambda: self._round
        handle = Handle(SERVED.version, Listers(), self._random)
        self._framework = policy_framework(policy, scheduler_name, default_configuration(SERVED.version), handle)

    def run_once(self) -> int:
        """Reads the cluster, binds each pending pod that fits on a node, and returns the number of bound pods."""
        self._round += 1
        cluster = Cluster(self._read)
        if not cluster.has_metrics:
            self._warn_once("this cluster has no metrics.k8s.io: load that no pod asks for is not seen")
        bound = 0
        for pod in cluster.waiting:
            if pod.scheduler_name == self._name:
                bound += self._schedule(pod, cluster.table)
        return bound

    def _schedule(self, pod: Pod, table: NodeTable) -> bool:
        outcome = Cycle(self._framework, table, pod).run(Rotation(), RandomTies(self._random))
        if not outcome.node_name:
            self._warn_once(f"{pod.namespace}/{pod.name} waits: {outcome.message}")
            return False
        if not self._bind(pod, outcome.node_name):
            return False
        table.add_pod(pod, outcome.node_name)
        self._say(f"{pod.namespace}/{pod.name} -> {outcome.node_name}")
        return True

    def _warn_once(self, warning: str) -> None:
        if warning not in self._warned:
            self._warned.add(warning)
            self._say(f"warning: {warning}")


class Client:
    """What is asked of the API server, through the official client."""

    def __init__(self, kubeconfig: str | None) -> None:
        try:
            from kubernetes import client, config
        except ImportError:
            raise InputError("this needs the official client: pip install 'wavetank[kubernetes]'") from None
        load: Callable[[str | None], None] = config.load_kube_config
        try:
            load(kubeconfig)
        except Exception as error:
            raise InputError(f"cannot use the kubeconfig: {error}") from error
        self._client = client
        self._core = client.CoreV1Api()
        self._others = client.CustomObjectsApi()

    def read(self, kind: str) -> Sequence[Mapping[str, Any]] | None:
        """Returns all objects of a kind; None if the server does not know the kind."""
        try:
            items: list[Mapping[str, Any]] = self._answer(kind).get("items") or []
        except self._client.ApiException as error:
            if error.status == 404:
                return None
            raise InputError(f"cannot read {kind}: {error.status} {error.reason}") from error
        return items

    def _answer(self, kind: str) -> Mapping[str, Any]:
        answer: Any
        if kind in (NODES, PODS):
            ask = self._core.list_node if kind == NODES else self._core.list_pod_for_all_namespaces
            answer = json.loads(ask(_preload_content=False).data)  # type: ignore[union-attr]
        else:
            plural, _, group = kind.partition(".")
            answer = self._others.list_cluster_custom_object(group, "v1beta1", plural)
        return answer if isinstance(answer, Mapping) else {}

    def bind(self, pod: Pod, node_name: str) -> bool:
        """Binds a pod; False if it is already bound or deleted."""
        body = self._client.V1Binding(
            metadata=self._client.V1ObjectMeta(name=pod.name, namespace=pod.namespace),
            target=self._client.V1ObjectReference(api_version="v1", kind="Node", name=node_name),
        )
        try:
            self._core.create_namespaced_binding(pod.namespace, body, _preload_content=False)
        except self._client.ApiException as error:
            if error.status in (404, 409):
                return False
            raise InputError(f"binding {pod.namespace}/{pod.name}: {error.status} {error.reason}") from error
        return True


_EXAMPLES = """\b
Examples:
  python -m wavetank.examples.topsis_scheduler --kubeconfig wavetank.kubeconfig
  python -m wavetank.examples.topsis_scheduler --criteria cores,free_memory --weights 35,65 --once
  python -m wavetank.examples.topsis_scheduler --at-most memory_utilisation=90
"""


@click.command(epilog=_EXAMPLES)
@click.option("--kubeconfig", metavar="FILE", help="The cluster; by default that of kubectl.")
@click.option("--scheduler-name", default="topsis", show_default=True, help="Pods with this schedulerName are bound.")
@click.option("--criteria", metavar="A,B,…", default="cores,cpu_utilisation,free_memory", show_default=True)
@click.option("--weights", metavar="1,2,…", help="One for each criterion; by default all are equal.")
@click.option("--costs", metavar="A,…", default="", help="Criteria of which less is better.")
@click.option("--at-least", multiple=True, metavar="CRITERION=VALUE", help="Drop nodes with less.")
@click.option("--at-most", multiple=True, metavar="CRITERION=VALUE", help="Drop nodes with more.")
@click.option("--compat", type=click.Choice(["seed"]), help="seed: rank once a round, bind all to the best node.")
@click.option("--period", type=click.FloatRange(min=0.01), default=1.0, show_default=True, help="Seconds of a round.")
@click.option("--once", is_flag=True, help="Make one round and end.")
def main(kubeconfig: str | None, scheduler_name: str, period: float, once: bool, **options: Any) -> None:
    """Schedule pods by TOPSIS on the cluster of a kubeconfig, simulated or real."""
    try:
        policy = _policy(**options)
        client = Client(kubeconfig)
        scheduler = TopsisScheduler(client.read, client.bind, policy, scheduler_name, click.echo)
        while True:
            begun = time.monotonic()
            scheduler.run_once()
            if once:
                return
            time.sleep(max(0.0, period - (time.monotonic() - begun)))
    except WavetankError as error:
        click.echo(f"error: {error}", err=True)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        raise SystemExit(0) from None


def _policy(
    criteria: str, weights: str | None, costs: str, at_least: Sequence[str], at_most: Sequence[str], compat: str | None
) -> Topsis:
    conditions = [_condition("at_least", each) for each in at_least] + [_condition("at_most", each) for each in at_most]
    try:
        numbers = None if weights is None else [float(weight) for weight in weights.split(",")]
    except ValueError:
        raise InputError(f"expected numbers separated by commas, got {weights!r:.60}", path="--weights") from None
    return Topsis(_list(criteria), numbers, _list(costs), conditions=conditions, compat=compat)


def _list(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def _condition(bound: str, text: str) -> dict[str, str]:
    criterion, equals, value = text.rpartition("=")
    if not equals:
        raise InputError(f"expected CRITERION=VALUE, got {text!r:.60}", path=f"--{bound.replace('_', '-')}")
    return {"criterion": criterion, bound: value}


if __name__ == "__main__":
    main()
