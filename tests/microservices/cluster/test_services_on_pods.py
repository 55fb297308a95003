"""Services whose instances are pods of Deployments in a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.microservices.cluster.documents import a_deployment, a_document, rows, run_document
from wavetank.api.experiments import run
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import parse_experiment

CHAIN = {
    "services": [
        {"name": "web", "operations": [{"name": "get", "demand": "10ms", "calls": ["db.read"]}]},
        {"name": "db", "operations": [{"name": "read", "demand": "20ms"}]},
    ],
    "users": [{"operation": "web.get", "poisson": 5}],
    "hop": "1ms",
}


def test_requests_run_on_the_pods_of_deployments(tmp_path: Path) -> None:
    out = run_document(tmp_path, a_document(a_deployment("web", 2), a_deployment("db"), services=CHAIN))
    [row] = rows(out, "services.csv")
    assert int(row["failed"]) == 0
    assert int(row["succeeded"]) == pytest.approx(1000, abs=150)
    assert float(row["p50_s"]) == pytest.approx(0.032, rel=0.01)
    assert float(row["p50_s"]) <= float(row["p95_s"]) <= float(row["p999_s"]) <= float(row["max_s"])
    pods = rows(out, "service_pods.csv")
    assert [pod["service"] for pod in pods].count("web") == 2
    assert sum(float(pod["cpu_s"]) for pod in pods) == pytest.approx(int(row["succeeded"]) * 0.03, rel=0.01)
    assert sum(int(float(each["throughput"]) * 10 + 0.5) for each in rows(out, "services_over_time.csv")) == int(
        row["succeeded"]
    )


def test_a_limit_throttles(tmp_path: Path) -> None:
    deployments = a_deployment("web"), a_deployment("db", limits={"cpu": "500m"})
    out = run_document(tmp_path, a_document(*deployments, services=CHAIN))
    [row] = rows(out, "services.csv")
    assert float(row["p50_s"]) == pytest.approx(0.052, rel=0.01)  # the 20 ms of db take 40 ms
    assert [float(pod["throttled_s"]) > 0 for pod in rows(out, "service_pods.csv")].count(True) == 1


def test_a_failed_node_fails_its_requests_until_it_is_back(tmp_path: Path) -> None:
    faults = [{"at": "50s", "fail": ["node-0", "node-1"], "for": "50s"}]
    out = run_document(tmp_path, a_document(a_deployment("web"), a_deployment("db"), services=CHAIN, faults=faults))
    [row] = rows(out, "services.csv")
    assert int(row["failed"]) == pytest.approx(250, abs=80)
    assert "NO_INSTANCE_AVAILABLE" in row["failures"]


def test_the_autoscaler_sees_the_cpu_that_requests_take(tmp_path: Path) -> None:
    """200 requests a second need 2 cores; at 50 % of half a core for each pod these are 8 pods."""
    services = {
        "services": [{"name": "web", "operations": [{"name": "get", "demand": "10ms"}]}],
        "users": [{"operation": "web.get", "steps": [["0s", 10], ["60s", 200]]}],
    }
    document = a_document(
        a_deployment("web", 1),
        services=services,
        hpa=[{"target": "web", "min": 1, "max": 12, "cpu": 50}],
        horizon="400s",
    )
    out = run_document(tmp_path, document)
    started = [float(pod["started"]) for pod in rows(out, "service_pods.csv")]
    assert sum(time <= 60 for time in started) == 1
    assert 7 <= len(started) <= 10
    late = [row for row in rows(out, "services_over_time.csv") if float(row["time_s"]) >= 200]
    assert all(float(row["p99_s"]) < 0.1 for row in late)


def test_a_pod_that_is_deleted_finishes_its_requests(tmp_path: Path) -> None:
    """The autoscaler takes pods away after a burst: none of their requests fails."""
    services = {
        "services": [{"name": "web", "operations": [{"name": "get", "demand": "100ms"}]}],
        "users": [{"operation": "web.get", "steps": [["0s", 20], ["60s", 2]]}],
    }
    behavior = {"window": "0s"}
    hpa = [{"target": "web", "min": 1, "max": 6, "cpu": 80, "scaleDown": behavior}]
    out = run_document(tmp_path, a_document(a_deployment("web", 6), services=services, hpa=hpa))
    assert any(pod["ended"] for pod in rows(out, "service_pods.csv"))
    assert sum(int(row["failed"]) for row in rows(out, "services.csv")) == 0


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    document = a_document(a_deployment("web", 3), a_deployment("db"), services=CHAIN)
    texts = []
    for name in ("one", "other"):
        run(document, out=tmp_path / name)
        folder = tmp_path / name / "default" / "seed-1"
        texts.append([(folder / table).read_text() for table in ("services.csv", "service_pods.csv")])
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"users": [{"operation": "web.put", "poisson": 1}]}, "spec.services.users[0].operation: service 'web' has no"),
        ({"users": [{"operation": "web.get"}]}, "spec.services.users[0]: expected exactly one of poisson"),
        ({"users": [{"operation": "web.get", "poisson": -1}]}, "spec.services.users[0].poisson: expected"),
        (
            {"services": [{"name": "web", "operations": [{"name": "get", "demand": 1, "calls": ["web.get"]}]}]},
            "spec.services.services: a cycle of calls: web.get -> web.get",
        ),
    ],
)
def test_bad_input_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_experiment(a_document(a_deployment("web"), services={**CHAIN, **change}), Path())
    assert str(refused.value).startswith(message)


def test_a_run_needs_an_end() -> None:
    with pytest.raises(InputError, match="a run with services needs an end"):
        parse_experiment(a_document(a_deployment("web"), services=CHAIN, horizon=None), Path())
