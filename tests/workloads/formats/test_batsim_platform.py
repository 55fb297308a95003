from __future__ import annotations

import pytest

from tests.support.paths import shared_data
from tests.workloads.inputs import a_file
from wavetank.cluster.fields.power import POWER, read_power
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.errors import InputError
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.formats.batsim.platform import read_platform
from wavetank.workloads.open import open_cluster


def nodes_of(inner: str, version: str = "4.1") -> list[Node]:
    text = f'<platform version="{version}"><zone id="z" routing="Full">{inner}</zone></platform>'
    nodes = Cluster(read_platform(a_file(text, "p.xml"))).resources(SpecTable())
    return [node for node in nodes if isinstance(node, Node)]


@pytest.mark.parametrize(
    ("inner", "names"),
    [
        pytest.param('<host id="A" speed="1Gf"/>', ["a"], id="names are in lower case"),
        pytest.param('<host id="h_1" speed="1Gf"/>', ["h-1"], id="what a name may not hold becomes a dash"),
        pytest.param(
            '<host id="n10" speed="1f"/><host id="n9" speed="1f"/><host id="n1-x" speed="1f"/>',
            ["n1-x", "n9", "n10"],
            id="numbers in names sort by value",
        ),
        pytest.param(
            '<host id="b" speed="1f"/><host id="B" speed="1f"/><host id="1" speed="1f"/>'.replace('"B"', '"C"'),
            ["1", "c", "b"],
            id="digits, capitals, small letters",
        ),
        pytest.param(
            '<cluster id="c" prefix="n-" suffix=".x" radical="0-2,7" speed="1Gf"/>',
            ["n-0.x", "n-1.x", "n-2.x", "n-7.x"],
            id="a cluster expands its radical",
        ),
        pytest.param(
            '<AS id="in"><zone id="deep"><host id="h" speed="1f"/></zone></AS>', ["h"], id="zones nest, by either name"
        ),
        pytest.param(
            '<host id="h" speed="1f"/><host id="master_host" speed="1f"/>'
            '<host id="m" speed="1f"><prop id="role" value="master"/></host>'
            '<cluster id="s" prefix="s" suffix="" radical="0-1" speed="1f"><prop id="role" value="storage"/></cluster>',
            ["h"],
            id="masters and storages are no nodes",
        ),
    ],
)
def test_compute_hosts_become_nodes_in_batsims_order(inner: str, names: list[str]) -> None:
    nodes = nodes_of(inner)
    assert [node.name for node in nodes] == names
    assert [node.annotations["wavetank.dev/batsim-id"] for node in nodes] == [str(i) for i in range(len(names))]


@pytest.mark.parametrize(
    ("stated", "watts"),
    [
        pytest.param("100:200", [100, 125, 200], id="idle and full"),
        pytest.param("100:120:200", [100, 140, 200], id="and with the least load"),
        pytest.param("100:120:200, 50:60:70", [100, 140, 200], id="the first of several states"),
    ],
)
def test_the_wattage_of_a_host_is_the_power_of_its_node(stated: str, watts: list[float]) -> None:
    speeds = ",".join(["1Gf"] * (stated.count(",") + 1))
    (node,) = nodes_of(f'<host id="h" speed="{speeds}" core="4"><prop id="wattage_per_state" value="{stated}"/></host>')
    model = read_power(node.annotations[POWER], 4)
    assert [model.watts(share) for share in (0, 0.25, 1)] == pytest.approx(watts)


def test_a_host_without_a_wattage_has_no_power() -> None:
    assert POWER not in nodes_of('<host id="h" speed="1Gf"/>')[0].annotations
    with pytest.raises(InputError, match="expected watts such as"):
        nodes_of('<host id="h" speed="1Gf"><prop id="wattage_per_state" value="many"/></host>')


@pytest.mark.parametrize(
    ("host", "cpu", "memory"),
    [
        pytest.param('<host id="h" speed="1f"/>', 1000, 4 << 30, id="one core and 4Gi unless stated"),
        pytest.param('<host id="h" speed="1f" core="4"/>', 4000, 4 << 30, id="the attribute"),
        pytest.param(
            '<host id="h" speed="1f" core="4"><prop id="core" value="6"/><prop id="memory" value="1Gi"/></host>',
            6000,
            1 << 30,
            id="properties beat attributes",
        ),
    ],
)
def test_cores_and_memory(host: str, cpu: int, memory: int) -> None:
    (node,) = nodes_of(host)
    assert dict(node.allocatable) == {"cpu": cpu, "memory": memory, "pods": 110}


@pytest.mark.parametrize(
    ("speed", "flops"),
    [
        pytest.param("100Mf", 1e8, id="mega"),
        pytest.param("1Gf", 1e9, id="giga"),
        pytest.param("16.673E9f", 16.673e9, id="an exponent is no exa"),
        pytest.param("2Ef", 2e18, id="exa"),
        pytest.param("42f", 42.0, id="no prefix"),
        pytest.param("42", 42.0, id="no unit"),
        pytest.param("100.0Mf, 88.9Mf, 1e-9Mf", 1e8, id="the first of several states"),
    ],
)
def test_the_speed_of_a_core(speed: str, flops: float) -> None:
    (node,) = nodes_of(f'<host id="h" speed="{speed}"/>')
    assert node.speed == pytest.approx(flops)


@pytest.mark.parametrize(
    ("inner", "message"),
    [
        pytest.param('<host id="h"/>', 'p.xml: host "h".speed: expected a speed above 0', id="no speed"),
        pytest.param('<host id="h" speed="0f"/>', "expected a speed above 0", id="standing still"),
        pytest.param('<host id="h" speed="1e999f"/>', "expected a speed above 0", id="an infinite speed"),
        pytest.param('<host speed="1f"/>', "host: expected a name of 1 to 253 characters", id="no name"),
        pytest.param('<host id="h" speed="1f" core="x"/>', 'host "h".cpu', id="no number of cores"),
        pytest.param('<host id="h" speed="1f"><prop id="role" value="x"/></host>', "unknown role 'x'", id="a role"),
        pytest.param('<cluster id="c" radical="5-x" speed="1f"/>', 'cluster "c".radical', id="no range"),
        pytest.param('<cluster id="c" radical="0-999999999" speed="1f"/>', "at most 1000000", id="too many hosts"),
        pytest.param('<host id="h"', "p.xml: not valid XML", id="broken"),
    ],
)
def test_a_bad_host_is_named(inner: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        nodes_of(inner)
    assert message in str(caught.value)


def test_two_hosts_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match='a second Node "h"'):
        nodes_of('<host id="h" speed="1f"/><host id="H" speed="1f"/>')


def test_other_versions_are_refused() -> None:
    with pytest.raises(InputError, match=r"expected a <platform> of version 4 or 4.1, got <platform> of version '3'"):
        nodes_of("", version="3")


def test_an_entity_is_refused_before_it_can_grow() -> None:
    bomb = '<!DOCTYPE platform [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><platform version="4.1">&c;</platform>'
    with pytest.raises(InputError, match="entity declarations are not accepted"):
        read_platform(a_file(bomb))


def test_a_document_type_is_not_fetched_and_a_leading_line_does_not_matter() -> None:
    head = '\n<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://unreachable.invalid/simgrid.dtd">\n'
    body = '<platform version="4"><AS id="a"><host id="h" speed="1f"/></AS></platform>'
    assert len(read_platform(a_file(head + body))) == 1


@pytest.mark.parametrize(
    ("path", "count", "first", "last"),
    [
        pytest.param(
            "batkube-real-k3s/platform_graphene_16nodes.xml",
            16,
            "graphene-1.nancy.grid5000.fr",
            "graphene-16.nancy.grid5000.fr",
            id="graphene",
        ),
        pytest.param("batsim/platforms/cluster512.xml", 512, "a0", "a511", id="a cluster"),
        pytest.param(
            "batsim/platforms/energy_platform_homogeneous_no_net_128.xml", 128, "host0", "host127", id="energy"
        ),
        pytest.param("batsim/platforms/properties_example.xml", 7, "host1", "node-4.simgrid.org", id="properties"),
        pytest.param("batsim/platforms/small_platform.xml", 4, "bourassa", "jupiter", id="small"),
    ],
)
def test_real_platforms(path: str, count: int, first: str, last: str) -> None:
    file = shared_data(path)
    cluster = open_cluster([file])
    nodes = cluster.resources(SpecTable())
    assert cluster.description == f"{count} nodes from {file.name}"
    assert (nodes[0].name, nodes[-1].name) == (first, last)
