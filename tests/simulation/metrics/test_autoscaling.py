"""The built-in autoscaler in a served cluster, with kubelets, controllers and a load."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.apiserver.inprocess import Caller
from wavetank.apiserver.requests.request import User
from wavetank.cluster.releases import SERVED
from wavetank.controllers.descriptors import all_names
from wavetank.experiments.document.schedulers import entry_of, parse_entries
from wavetank.kernel.durations import SECOND
from wavetank.simulation.metrics.document import MetricsSpec
from wavetank.simulation.served.cluster import ServedCluster, ServedSetting

HPAS = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


class Served(Caller):
    def __init__(self, **metrics: Any) -> None:
        setting = ServedSetting(
            schedulers=parse_entries([entry_of("default")], Path(), SERVED.version)[0].schedulers,
            kubelets=True,
            controllers=all_names(),
            measured=MetricsSpec.read(metrics, "").setting(Path()),
            start=0,
        )
        served = ServedCluster(setting, lambda token: User())
        self.clock, self.store, self.api = served.clock, served.store, served.api
        amounts = {"cpu": "64", "memory": "64Gi", "pods": "500"}
        status = {"capacity": amounts, "allocatable": amounts}
        self.create("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": status})
        container = {"name": "c", "image": "x", "resources": {"requests": {"cpu": "500m"}}}
        template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}
        spec = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template}
        self.create(
            DEPLOYMENTS, {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}
        )
        target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
        self.create(
            HPAS,
            {
                "apiVersion": "autoscaling/v2",
                "kind": "HorizontalPodAutoscaler",
                "metadata": {"name": "web"},
                "spec": {"scaleTargetRef": target, "maxReplicas": 10},
            },
        )

    def replicas(self) -> int:
        return int(self.get(f"{DEPLOYMENTS}/web").body["spec"]["replicas"])


def test_a_deployment_follows_its_load_up_and_down() -> None:
    total = {"steps": [[0, "800m"], ["400s", "2400m"], ["1000s", "400m"]]}
    served = Served(resolution="15s", window="15s", loads=[{"selector": {"app": "web"}, "total": total}])
    served.clock.run(390 * SECOND)
    assert served.replicas() == 2
    served.clock.run(800 * SECOND)
    assert served.replicas() == 6  # 2.4 cores of 0.5 each at 80 %
    served.clock.run(1500 * SECOND)
    assert served.replicas() == 1
    status = served.get(f"{HPAS}/web").body["status"]
    assert status["currentMetrics"][0]["resource"]["current"] == {"averageValue": "400m", "averageUtilization": 80}
    events = served.get("/api/v1/namespaces/default/events").body["items"]
    assert "SuccessfulRescale" in {event["reason"] for event in events}


def test_without_a_load_pods_use_what_they_request() -> None:
    served = Served()
    served.clock.run(600 * SECOND)
    assert served.replicas() == 10  # always 100 % at a target of 80 %, so that it goes to the most
