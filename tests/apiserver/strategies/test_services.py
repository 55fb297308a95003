"""Services get their addresses and ports."""

from __future__ import annotations

from typing import Any

import pytest

from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.strategies.services import ServiceAllocator
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock


@pytest.fixture
def store() -> Store:
    return Store(Clock())


def service(name: str = "s", **spec: Any) -> dict[str, Any]:
    given = {"type": "ClusterIP", "ports": [{"port": 80, "protocol": "TCP"}], **spec}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": "ns"}, "spec": given}


def create(store: Store, document: dict[str, Any]) -> dict[str, Any]:
    ServiceAllocator(store).create(document)
    store.create(parse_resource(document, store.specs))
    return dict(document["spec"])


def test_every_service_gets_an_address_of_its_own(store: Store) -> None:
    first, second = create(store, service("a")), create(store, service("b"))
    assert first["clusterIP"] != second["clusterIP"]
    assert first["clusterIPs"] == [first["clusterIP"]]
    assert (first["ipFamilies"], first["ipFamilyPolicy"]) == (["IPv4"], "SingleStack")


def test_a_headless_service_without_selector_is_for_all_families(store: Store) -> None:
    spec = create(store, service(clusterIP="None"))
    assert (spec["clusterIP"], spec["clusterIPs"]) == ("None", ["None"])
    assert (spec["ipFamilies"], spec["ipFamilyPolicy"]) == (["IPv4", "IPv6"], "RequireDualStack")


def test_a_name_needs_no_address(store: Store) -> None:
    assert "clusterIP" not in create(store, service(type="ExternalName", externalName="a.b"))


def test_node_ports_are_shared_by_entries_for_the_same_port(store: Store) -> None:
    ports = [
        {"name": "t", "port": 53, "protocol": "TCP"},
        {"name": "u", "port": 53, "protocol": "UDP"},
        {"name": "x", "port": 1},
    ]
    spec = create(store, service(type="NodePort", ports=ports))
    numbers = [port["nodePort"] for port in spec["ports"]]
    assert numbers[0] == numbers[1] != numbers[2]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        pytest.param(
            {"clusterIP": "1.2.3.4"},
            'spec.clusterIPs: Invalid value: ["1.2.3.4"]: failed to allocate IP 1.2.3.4:'
            " the provided network does not match the current range",
            id="an address elsewhere",
        ),
        pytest.param(
            {"clusterIP": "10.0.0.0"},
            'spec.clusterIPs: Invalid value: ["10.0.0.0"]: failed to allocate IP 10.0.0.0:'
            " the provided IP (10.0.0.0) is not in the valid range. The range of valid IPs is 10.0.0.0/16",
            id="the address of the network",
        ),
        pytest.param(
            {"clusterIP": "10.0.0.9"},
            'spec.clusterIPs: Invalid value: ["10.0.0.9"]: failed to allocate IP 10.0.0.9:'
            " provided IP is already allocated",
            id="a taken address",
        ),
        pytest.param(
            {"clusterIP": "nonsense"},
            'spec.clusterIPs[0]: Invalid value: "nonsense": must be a valid IP address,'
            " (e.g. 10.9.8.7 or 2001:db8::ffff)",
            id="no address",
        ),
        pytest.param(
            {"type": "NodePort", "ports": [{"port": 80, "nodePort": 80}]},
            "spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range."
            " The range of valid ports is 30000-32767",
            id="a port elsewhere",
        ),
        pytest.param(
            {"type": "NodePort", "ports": [{"port": 80, "nodePort": 30100}]},
            "spec.ports[0].nodePort: Invalid value: 30100: provided port is already allocated",
            id="a taken port",
        ),
        pytest.param(
            {"ipFamilyPolicy": "RequireDualStack"},
            'spec.ipFamilyPolicy: Invalid value: "RequireDualStack":'
            " this cluster is not configured for dual-stack services",
            id="two families",
        ),
    ],
)
def test_what_cannot_be_had_is_refused(store: Store, spec: dict[str, Any], message: str) -> None:
    create(store, service("taken", type="NodePort", clusterIP="10.0.0.9", ports=[{"port": 80, "nodePort": 30100}]))
    with pytest.raises(StatusError) as refused:
        create(store, service(**spec))
    assert str(refused.value) == f'Service "s" is invalid: {message}'


def test_an_update_keeps_what_was_allocated(store: Store) -> None:
    old = service(type="NodePort")
    create(store, old)
    new = service(type="NodePort", ports=[{"port": 81}])
    ServiceAllocator(store).update(new, old)
    assert new["spec"]["clusterIP"] == old["spec"]["clusterIP"]
    assert new["spec"]["ports"][0]["nodePort"] == old["spec"]["ports"][0]["nodePort"]


def test_a_dry_run_allocates_nothing(store: Store) -> None:
    ports = [{"port": 80}, {"port": 81}]
    document = service(type="NodePort", ports=ports)
    ServiceAllocator(store).create(document, dry_run=True)
    assert document["spec"]["clusterIP"] == "10.0.0.0"
    assert [port["nodePort"] for port in document["spec"]["ports"]] == [32769, 32770]


def test_a_health_check_port_that_is_taken_is_an_internal_error(store: Store) -> None:
    balanced = {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "healthCheckNodePort": 31000}
    create(store, service("a", **balanced))
    with pytest.raises(StatusError) as refused:
        create(store, service("b", **balanced))
    assert refused.value.code == 500


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_dry_run_accepts_node_ports_out_of_range(store: Store, dry_run: bool) -> None:
    document = service(type="NodePort", ports=[{"port": 80, "protocol": "TCP", "nodePort": 5}])
    if dry_run:
        ServiceAllocator(store).create(document, dry_run=True)
        assert document["spec"]["ports"][0]["nodePort"] == 5
    else:
        with pytest.raises(StatusError, match="not in the valid range"):
            ServiceAllocator(store).create(document)


def test_the_same_node_port_twice_is_refused_when_a_service_is_changed(store: Store) -> None:
    ports = [{"name": name, "port": port, "protocol": "TCP"} for name, port in (("a", 80), ("b", 81))]
    old = service(type="NodePort", ports=[dict(port) for port in ports])
    create(store, old)
    new = service(type="NodePort", ports=[{**port, "nodePort": 30500} for port in ports])
    with pytest.raises(StatusError, match=r"duplicate nodePort: \{TCP 30500\}"):
        ServiceAllocator(store).update(new, old)
