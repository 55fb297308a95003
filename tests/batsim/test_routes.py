"""Routes of platforms."""

import pytest

from tests.support.paths import shared_data
from wavetank.batsim.platform.platform import read_platform
from wavetank.errors import InputError
from wavetank.network.link import latency_of


def names(routes, source, target):
    found = routes.between(source, target)
    return None if found is None else [link.name for link in found]


def test_explicit_routes_go_both_ways():
    routes = read_platform(shared_data("batsim/platforms/small_platform.xml")).routes
    assert names(routes, "Jupiter", "Ginette") == ["9", "4", "3", "5"]
    assert names(routes, "Ginette", "Jupiter") == ["5", "3", "4", "9"]
    assert latency_of(routes.between("Fafard", "Bourassa")) == 270_544 + 59_904 + 189_980


def test_hosts_of_a_cluster_meet_at_its_backbone():
    routes = read_platform(shared_data("batsim/platforms/cluster512.xml")).routes
    assert names(routes, "a0", "a7") == ["a0_link", "my_cluster_1_backbone", "a7_link"]
    up, backbone, down = routes.between("a0", "a7")
    assert (up.bandwidth, backbone.bandwidth, latency_of([up, backbone, down])) == (125e6, 2.25e9, 600_000)
    assert routes.between("a7", "a0")[0] is not down  # each direction has its own bandwidth


def test_zones_are_joined_by_their_gateways():
    routes = read_platform(shared_data("batsim/platforms/cluster512.xml")).routes
    expected = ["a3_link", "my_cluster_1_backbone", "backbone", "my_cluster_2_backbone", "master_host0_link"]
    assert names(routes, "a3", "master_host0") == expected


def test_zones_without_links_have_no_routes():
    platform = read_platform(shared_data("batsim/platforms/energy_platform_homogeneous_no_net_128.xml"))
    assert platform.routes is None
    assert len(platform.machines) == 128


def test_properties_of_zones_reach_their_hosts():
    platform = read_platform(shared_data("batsim/platforms/properties_example.xml"))
    by_name = {machine.name: machine for machine in platform.machines}
    assert by_name["host1"].properties == {"Hdd": "180", "mem": "4"}
    assert by_name["host1"].zone_properties == {"Foo": "bar", "bla": "bli"}
    assert by_name["node-3.simgrid.org"].zone_properties == {"Foo": "bar"}


@pytest.mark.parametrize(
    ("zone", "problem"),
    [
        ('<link id="l" bandwidth="fast" latency="1us"/>', r'link "l".bandwidth: expected a bandwidth'),
        ('<link id="l" bandwidth="1MBps" latency="1 week"/>', "expected a latency"),
        ('<route src="a" dst="b"><link_ctn id="x"/></route>', "there is no link 'x'"),
        ('<host id="master" speed="1f"><prop id="role" value="master"/></host>', "expected one master host"),
    ],
)
def test_what_is_wrong_with_a_platform_is_named(zone, problem, tmp_path):
    hosts = '<host id="master_host" speed="1f"/><host id="a" speed="1f"/><host id="b" speed="1f"/>'
    text = f'<platform version="4.1"><zone id="z" routing="Full">{hosts}{zone}</zone></platform>'
    (tmp_path / "p.xml").write_text(text)
    with pytest.raises(InputError, match=problem):
        read_platform(tmp_path / "p.xml")
