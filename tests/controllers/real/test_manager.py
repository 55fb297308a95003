"""The real kube-controller-manager in lockstep, with the built-in controllers off."""

from __future__ import annotations

from typing import Any

from tests.controllers.real.clusters import Cluster, managed

DEPLOYMENTS, JOBS = "/apis/apps/v1/namespaces/default/deployments", "/apis/batch/v1/namespaces/default/jobs"


def a_deployment(replicas: int) -> dict[str, Any]:
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"terminationGracePeriodSeconds": 1, "containers": [{"name": "c", "image": "i:1"}]},
    }
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}


def a_job(completions: int) -> dict[str, Any]:
    template = {
        "metadata": {"annotations": {"wavetank.dev/duration": "20s"}},
        "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i:1"}]},
    }
    spec = {"parallelism": 2, "completions": completions, "template": template}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": spec}


def images(cluster: Cluster) -> list[str]:
    pods = cluster.ask("GET", "/api/v1/namespaces/default/pods")["items"]
    return sorted(pod["spec"]["containers"][0]["image"] for pod in pods if pod["status"]["phase"] == "Running")


def test_a_deployment_scales_and_rolls() -> None:
    with managed() as cluster:
        cluster.ask("POST", DEPLOYMENTS, a_deployment(2))
        cluster.run_for(30)
        assert images(cluster) == ["i:1"] * 2
        cluster.merge(f"{DEPLOYMENTS}/web", {"spec": {"replicas": 5}})
        cluster.run_for(30)
        assert images(cluster) == ["i:1"] * 5
        new = [{"name": "c", "image": "i:2"}]
        cluster.merge(f"{DEPLOYMENTS}/web", {"spec": {"template": {"spec": {"containers": new}}}})
        cluster.run_for(60)
        assert images(cluster) == ["i:2"] * 5
        assert cluster.ask("GET", f"{DEPLOYMENTS}/web")["status"]["updatedReplicas"] == 5


def test_a_job_completes() -> None:
    with managed() as cluster:
        cluster.ask("POST", JOBS, a_job(3))
        cluster.run_for(120)
        status = cluster.ask("GET", f"{JOBS}/j")["status"]
        assert status["succeeded"] == 3
        assert [condition["type"] for condition in status["conditions"]] == ["SuccessCriteriaMet", "Complete"]


def test_without_it_nothing_happens() -> None:
    with managed(["job-controller"]) as cluster:
        cluster.ask("POST", DEPLOYMENTS, a_deployment(2))
        cluster.run_for(30)
        assert images(cluster) == []
