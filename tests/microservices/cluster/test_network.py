"""Messages between the nodes of a cluster take the latency and the bandwidth of the network."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.microservices.cluster.documents import a_deployment, a_document, rows, run_document
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import parse_experiment
from wavetank.kernel.distributions import Constant
from wavetank.microservices.cluster.topology import ClusterNetwork, Connection, NetworkSetting

ZONE = "topology.kubernetes.io/zone"


def _services(**network: Any) -> dict[str, Any]:
    """web in one zone calls db in another: 10 ms and 20 ms of CPU, two hops of 1 ms."""
    return {
        "services": [
            {"name": "web", "operations": [{"name": "get", "demand": "10ms", "calls": ["db.read"]}]},
            {"name": "db", "operations": [{"name": "read", "demand": "20ms", "requestSize": "1k", "answerSize": "1M"}]},
        ],
        "users": [{"operation": "web.get", "poisson": 0.2}],
        "network": network,
    }


def _spread(services: dict[str, Any], **spec: Any) -> dict[str, Any]:
    nodes = [{"name": zone, "count": 1, "cpu": 4, "memory": "8Gi", "labels": {ZONE: zone}} for zone in ("east", "west")]
    web, db = a_deployment("web"), a_deployment("db")
    web["spec"]["template"]["spec"]["nodeSelector"] = {ZONE: "east"}
    db["spec"]["template"]["spec"]["nodeSelector"] = {ZONE: "west"}
    return a_document(services=services, cluster={"nodes": nodes, "objects": [web, db]}, **spec)


@pytest.mark.parametrize(
    ("network", "median"),
    [
        pytest.param({}, 0.032, id="without a network: CPU and hops"),
        pytest.param({"links": [{"between": ["east", "west"], "latency": "50ms"}]}, 0.132, id="latency both ways"),
        pytest.param({"links": [{"between": ["east", "south"], "latency": "50ms"}]}, 0.032, id="of another way"),
        pytest.param(
            {"links": [{"between": ["west", "east"], "bandwidth": "80M"}]}, 0.1321, id="1001 kB at 10 MB/s: 100.1 ms"
        ),
        pytest.param({"nodeBandwidth": "160M"}, 0.08205, id="the bandwidth of both nodes"),
        pytest.param(
            {"nodeBandwidth": "160M", "links": [{"between": ["west", "east"], "bandwidth": "80M"}]},
            0.1321,
            id="the slowest link counts",
        ),
        pytest.param(
            {
                "topologyKey": "kubernetes.io/hostname",
                "links": [
                    {"between": ["east-0", "west-0"], "latency": {"normal": {"mean": "50ms", "deviation": "0ms"}}}
                ],
            },
            0.132,
            id="between nodes",
        ),
        pytest.param(
            {"links": [{"between": ["east", "west"], "latency": "50ms"}, {"between": ["west", "east"]}]},
            0.082,
            id="another way back",
        ),
    ],
)
def test_the_network_shows_in_response_times(tmp_path: Path, network: dict[str, Any], median: float) -> None:
    out = run_document(tmp_path, _spread(_services(**network)))
    [row] = rows(out, "services.csv")
    assert float(row["p50_s"]) == pytest.approx(median, rel=0.004)


def test_a_full_link_slows_down_all_that_use_it(tmp_path: Path) -> None:
    """20 answers a second of 1 MB need 160 Mbit/s; the link has 80."""
    services = _services(links=[{"between": ["west", "east"], "bandwidth": "80M"}])
    services["users"] = [{"operation": "web.get", "poisson": 20}]
    out = run_document(tmp_path, _spread(services, horizon="60s"))
    over_time = rows(out, "services_over_time.csv")
    assert float(over_time[-1]["p50_s"]) > 5
    link = next(row for row in rows(out, "service_links.csv") if row["link"] == "west → east")
    assert float(link["utilization"]) == pytest.approx(1, abs=0.06)
    [overload] = rows(out, "service_overloads.csv")
    assert overload["link"] == "west → east"
    assert float(overload["since_s"]) <= 20
    assert overload["until_s"] == ""
    assert int(overload["longest_queue"]) > 300
    assert "link 'west → east' has been overloaded since" in (out / "experiment.json").read_text()


def test_sizes_of_a_call_replace_those_of_the_operation(tmp_path: Path) -> None:
    services = _services(links=[{"between": ["west", "east"], "bandwidth": "80M"}])
    call = {"operation": "db.read", "requestSize": 0, "answerSize": "500k"}
    services["services"][0]["operations"][0]["calls"] = [call]
    [row] = rows(run_document(tmp_path, _spread(services)), "services.csv")
    assert float(row["p50_s"]) == pytest.approx(0.082, rel=0.004)


def test_routes_lead_out_of_a_node_between_domains_and_into_a_node() -> None:
    setting = NetworkSetting({("east", "west"): Connection(Constant(0.05), 1e6)}, node_bandwidth=1e7)
    network = ClusterNetwork(setting, {"a": "east", "b": "east", "c": "west"})
    names = {
        ways: [link.name for link in network.route(*ways)] for ways in (("a", "a"), ("a", "b"), ("a", "c"), ("c", "a"))
    }
    assert names == {
        ("a", "a"): [],
        ("a", "b"): ["a →", "→ b"],
        ("a", "c"): ["a →", "east → west", "→ c"],
        ("c", "a"): ["c →", "west → east", "→ a"],
    }
    assert network.route("a", "c")[0] is network.route("a", "b")[0]
    assert network.latency("a", "a", random.Random(1)) == 0
    assert network.latency("c", "b", random.Random(1)) == 0.05


@pytest.mark.parametrize(
    ("network", "path"),
    [
        ({"nodeBandwidth": 0}, "spec.services.network.nodeBandwidth"),
        ({"nodeBandwidth": "fast"}, "spec.services.network.nodeBandwidth"),
        ({"links": [{"between": ["a"]}]}, "spec.services.network.links[0].between"),
        ({"links": [{"between": ["a", "b"]}, {"between": ["a", "b"]}]}, "spec.services.network.links[1]"),
        ({"links": [{"between": ["a", "b"], "latency": -1}]}, "spec.services.network.links[0].latency"),
    ],
)
def test_a_bad_network_is_refused(network: dict[str, Any], path: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_experiment(_spread(_services(**network)), Path())
    assert caught.value.path == path


def test_an_end_of_a_link_without_a_node_is_named(tmp_path: Path) -> None:
    services = _services(links=[{"between": ["east", "sout"], "latency": "50ms"}])
    out = run_document(tmp_path, _spread(services))
    assert f"no node has the label {ZONE}: sout" in (out / "experiment.json").read_text()
