"""Random autoscalers and random loads: what a scripted cluster plays to the real controller and to the built-in one."""

from __future__ import annotations

import random
from typing import Any

from wavetank.testing import PodTimes, ScriptedCluster, Signal

Document = dict[str, Any]

HORIZON_S = 2400
LABELS = {"app": "web"}
_FRONT = {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "name": "front"}
_APIS = (
    "/apis/metrics.k8s.io/",
    "/apis/custom.metrics.k8s.io/.*/namespaces/",
    "/apis/external.metrics.k8s.io/.*/names",
)


class RandomLoad:
    """One seed's target, autoscaler, metrics and faults.

    What the script does happens between whole seconds, the autoscaler is created at one: nothing else happens at the
    instant of a sync, whose order would be left to chance.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        draw = self._draw = random.Random(seed)
        self.kind = draw.choice(["Deployment", "StatefulSet", "ReplicaSet"])
        self._requests = {"cpu": f"{draw.choice([100, 250, 500, 1000])}m", "memory": "256Mi"}
        self._late = draw.choice([2, 10, 40, 120])
        self.target = self._target(draw.randrange(1, 7))
        self.autoscaler = self._autoscaler()
        self.metrics = self._metrics()
        self._actions = self._plan()

    def cluster(self, process: Document | None = None) -> ScriptedCluster:
        """Returns a cluster in which everything is planned but nothing has happened yet."""
        pods = random.Random(self._seed)
        cluster = ScriptedCluster(process=process, kubelets=lambda pod: self._times(pods), metrics=self.metrics)
        cluster.create(self.target, at=0.5)
        cluster.create(self.autoscaler, at=3)
        for name, arguments, options in self._actions:
            getattr(cluster, name)(*arguments, **options)
        return cluster

    # objects

    def _target(self, replicas: int) -> Document:
        containers = [{"name": "app", "image": "a", "resources": {"requests": self._requests}}]
        if self._draw.random() < 0.6:
            given = {"requests": {"cpu": "100m", "memory": "64Mi"}} if self._draw.random() < 0.85 else {}
            containers.append({"name": "proxy", "image": "b", "resources": given})
        spec: Document = {"replicas": replicas, "selector": {"matchLabels": LABELS}}
        spec["template"] = {"metadata": {"labels": LABELS}, "spec": {"containers": containers}}
        if self.kind == "StatefulSet":
            spec |= {"serviceName": "web", "podManagementPolicy": self._draw.choice(["OrderedReady", "Parallel"])}
        return {"apiVersion": "apps/v1", "kind": self.kind, "metadata": {"name": "web"}, "spec": spec}

    def _autoscaler(self) -> Document:
        draw = self._draw
        least = draw.choice([1, 1, 2, 3])
        kinds = [self._resource, self._resource, self._container, self._pods, self._object, self._external]
        spec: Document = {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": self.kind, "name": "web"},
            "minReplicas": least,
            "maxReplicas": least + draw.randrange(2, 15),
            "metrics": [make() for make in draw.sample(kinds, draw.choice([1, 1, 2, 3]))],
        }
        if draw.random() < 0.6:
            spec["behavior"] = {name: self._rules() for name in ("scaleUp", "scaleDown") if draw.random() < 0.8}
        head = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"}}
        return {**head, "spec": spec}

    def _rules(self) -> Document:
        draw = self._draw
        rules: Document = {}
        if draw.random() < 0.7:
            policies = [
                {"type": kind, "value": value, "periodSeconds": draw.choice([15, 30, 60, 180])}
                for kind, value in draw.sample([("Pods", 1), ("Pods", 4), ("Percent", 50), ("Percent", 100)], 2)
            ]
            rules |= {"policies": policies, "selectPolicy": draw.choice(["Max", "Max", "Min", "Disabled"])}
        if draw.random() < 0.6:
            rules["stabilizationWindowSeconds"] = draw.choice([0, 30, 60, 120, 300])
        if draw.random() < 0.3:
            rules["tolerance"] = draw.choice(["0", "0.05", "0.3"])
        return rules

    # metrics of the autoscaler

    def _resource(self) -> Document:
        return {"type": "Resource", "resource": {"name": "cpu", "target": self._resource_target()}}

    def _container(self) -> Document:
        source = {"name": self._draw.choice(["cpu", "memory"]), "container": "app"}
        return {
            "type": "ContainerResource",
            "containerResource": {**source, "target": {"type": "Utilization", "averageUtilization": 60}},
        }

    def _resource_target(self) -> Document:
        if self._draw.random() < 0.7:
            return {"type": "Utilization", "averageUtilization": self._draw.choice([30, 50, 80])}
        return {"type": "AverageValue", "averageValue": "300m"}

    def _pods(self) -> Document:
        target = {"type": "AverageValue", "averageValue": str(self._draw.choice([10, 25]))}
        return {"type": "Pods", "pods": {"metric": {"name": "requests"}, "target": target}}

    def _object(self) -> Document:
        source = {"metric": {"name": "hits"}, "describedObject": _FRONT}
        return {"type": "Object", "object": {**source, "target": self._amount("100")}}

    def _external(self) -> Document:
        metric: Document = {"name": self._draw.choice(["queue", "queue", "queue", "unknown"])}
        if self._draw.random() < 0.5:
            metric["selector"] = {"matchLabels": {"shard": "a"}}
        return {"type": "External", "external": {"metric": metric, "target": self._amount("30")}}

    def _amount(self, value: str) -> Document:
        average = self._draw.random() < 0.5
        return {"type": "AverageValue", "averageValue": value} if average else {"type": "Value", "value": value}

    # what is measured

    def _metrics(self) -> Document:
        draw = self._draw
        loads: list[Document] = [{"selector": LABELS, "total": self._signal(3)}]
        if draw.random() < 0.5:
            loads.append({"selector": LABELS, "metric": "memory", "each": self._signal(300 * 2**20)})
        if draw.random() < 0.3:
            loads.append({"selector": LABELS, "container": "proxy", "share": self._signal(1)})
        loads.append({"selector": LABELS, "metric": "requests", draw.choice(["each", "total"]): self._signal(100)})
        return {
            "resolution": draw.choice(["0s", "15s", "60s"]),
            "window": draw.choice(["15s", "30s"]),
            "lag": draw.choice(["0s", "0s", "4s"]),
            "loads": loads,
            "objects": [
                {
                    "metric": "hits",
                    "resource": "ingresses.networking.k8s.io",
                    "name": "front",
                    "value": self._signal(400),
                }
            ],
            "external": [
                {"metric": "queue", "labels": {"shard": shard}, "value": self._signal(150)} for shard in ("a", "b")
            ],
        }

    def _signal(self, largest: float) -> Signal:
        signal = Signal(self._value(largest))
        time = 0.0
        while (time := time + self._draw.uniform(40, 500)) < HORIZON_S:
            missing = self._draw.random() < 0.08
            signal.set(None if missing else self._value(largest), at=int(time) + 0.5)
        return signal

    def _value(self, largest: float) -> str:
        return f"{round(largest * self._draw.choice([0.05, 0.2, 0.5, 1]) * self._draw.random() * 1000)}m"

    def _times(self, draw: random.Random) -> PodTimes:
        start, ready, stop = draw.uniform(0.2, 5), draw.uniform(0.2, self._late), draw.uniform(0.2, 20)
        if draw.random() < 0.03:
            return PodTimes(round(start, 3), None, round(stop, 3))
        return PodTimes(round(start, 3), round(ready, 3), round(stop, 3))

    # what else happens

    def _plan(self) -> list[tuple[str, tuple[Any, ...], Document]]:
        draw = self._draw
        planned: list[tuple[str, tuple[Any, ...], Document]] = []
        if draw.random() < 0.4:
            start = self._time()
            options = {"start": start, "end": start + draw.choice([20, 100, 400]), "message": "down"}
            planned.append(("refuse", (draw.choice(_APIS),), options))
        if draw.random() < 0.3:
            path, start = draw.choice(["/web/scale$", "/web/status$"]), self._time()
            options = {"method": "PUT", "start": start, "end": start + 120, "code": 500, "message": "not now"}
            planned.append(("refuse", (f"autoscaling.*{path}" if "status" in path else path,), options))
        if draw.random() < 0.4:
            replicas = {"spec": {"replicas": draw.randrange(0, 12)}}
            planned.append(("patch", (self.kind, "web", replicas), {"at": self._time()}))
        if draw.random() < 0.4:
            spec = {"spec": {"maxReplicas": draw.randrange(3, 20)}}
            planned.append(("patch", ("hpa", "web", spec), {"at": self._time()}))
        if self.kind == "StatefulSet":
            at = self._time()
            planned += [("set_ready", ("web-0", False), {"at": at}), ("set_ready", ("web-0", True), {"at": at + 90})]
        return planned

    def _time(self) -> float:
        return self._draw.randrange(30, HORIZON_S - 300) + 0.5
