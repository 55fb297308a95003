"""Flows share links max-min fairly and end when they should."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.network.fairness import fair_rates
from wavetank.network.flows import Flow, FlowNetwork
from wavetank.network.link import Link

MB = 1_000_000
A, B, C = Link("a", 10 * MB), Link("b", 20 * MB), Link("c", 4 * MB)
BACKBONE = Link("backbone", 6 * MB, shared=False)

Transfers = list[tuple[float, float, list[Link]]]  # (start in seconds, megabytes, route)


def _ends(transfers: Transfers) -> list[float]:
    """Runs transfers to their ends, in seconds."""
    network = FlowNetwork()
    flows: list[Flow] = []
    for start, size, route in transfers:
        now = round(start * SECOND)
        network.advance(now)
        flows.append(network.send(now, size * MB, route))
    while (instant := network.next_change) is not None:
        network.advance(instant)
    return [(flow.ended or 0) / SECOND for flow in flows]


@pytest.mark.parametrize(
    ("transfers", "ends"),
    [
        pytest.param([(0, 10, [A])], [1], id="alone: size by bandwidth"),
        pytest.param([(0, 10, [A, C])], [2.5], id="the slowest link counts"),
        pytest.param([(0, 10, [A]), (0, 10, [A])], [2, 2], id="two share a link"),
        pytest.param([(0, 10, [A]), (0.5, 10, [A])], [1.5, 2], id="the second comes later: 5 MB alone, then half"),
        pytest.param([(0, 10, [A]), (0, 5, [A])], [1.5, 1], id="what one leaves, the other gets"),
        pytest.param([(0, 4, [A, C]), (0, 6, [A])], [1, 1], id="one is held back elsewhere: 4 and 6 MB/s"),
        pytest.param(
            [(0, 4, [A, C]), (0, 6, [A, B]), (0, 14, [B])], [1, 1, 1], id="a chain of bottlenecks: 4, 6 and 14 MB/s"
        ),
        pytest.param(
            [(0, 2, [A, C]), (0, 2, [B, C]), (0, 8, [A]), (0, 18, [B])], [1, 1, 1, 1], id="two share c, others the rest"
        ),
        pytest.param([(0, 10, [A, A])], [2], id="a link that is crossed twice carries twice as much"),
        pytest.param([(0, 6, [BACKBONE]), (0, 6, [BACKBONE])], [1, 1], id="a link without sharing"),
        pytest.param([(0, 5, [A, BACKBONE]), (0, 5, [A, BACKBONE])], [1, 1], id="shared and not shared"),
        pytest.param([(0, 6, [A, BACKBONE]), (0, 4, [A, C])], [1, 1], id="bounded by another link each"),
        pytest.param([(1, 0, [A])], [1], id="nothing to send"),
        pytest.param([(1, 5, [])], [1], id="no link to cross"),
    ],
)
def test_transfers_end_as_computed_by_hand(transfers: Transfers, ends: list[float]) -> None:
    assert _ends(transfers) == ends


def test_latencies_pass_before_bytes_flow() -> None:
    near, far = Link("near", 10 * MB, SECOND // 1000), Link("far", 10 * MB, SECOND // 10)
    assert _ends([(0, 10, [near, far])]) == [1.101]
    # the far one leaves the whole link to the near one for 0.1 s
    assert _ends([(0, 10, [near, far]), (0, 1, [near])]) == [1.101, 0.101]


def test_parallel_tasks_progress_by_their_largest_demand() -> None:
    """Each unit of the task puts 5 MB on a and 1 MB on c; beside it a transfer of 5 MB on a."""
    network = FlowNetwork()
    task = network.start(0, 1.0, {A: 5 * MB, C: 1 * MB})
    network.advance(0)
    assert task.rate == 2.0
    assert network.next_change == SECOND // 2


def test_a_flow_that_is_stopped_frees_its_links() -> None:
    network = FlowNetwork()
    one, other = network.send(0, 10 * MB, [A]), network.send(0, 10 * MB, [A])
    network.advance(SECOND)
    assert network.carried(A, SECOND) == 10 * MB
    network.stop(SECOND, one)
    assert one.left_at(SECOND) == 5 * MB
    assert network.next_change == SECOND + SECOND // 2
    assert network.advance(2 * SECOND) == [other]
    assert network.carried(A, 2 * SECOND) == 15 * MB
    assert network.most[A] == 2


def test_a_flow_that_is_stopped_before_it_begins_has_carried_nothing() -> None:
    network = FlowNetwork()
    network.stop(0, network.send(0, 10 * MB, [A]))
    assert network.next_change is None
    assert network.carried(A, 0) == 0


def test_flows_on_the_same_route_end_one_by_one() -> None:
    network = FlowNetwork()
    sizes = [3, 1, 2]
    flows = [network.send(0, size * MB, [A]) for size in sizes]
    stopped = network.send(0, 5 * MB, [A])
    network.advance(0)
    network.stop(SECOND // 10, stopped)
    ended = network.advance(SECOND)
    # 0.25 MB each in the first 0.1 s; then 0.75, 1 and 1 MB more at a third, a half and all of 10 MB/s
    assert ended == [flows[1], flows[2], flows[0]]
    assert [flow.ended for flow in ended] == [325_000_000, 525_000_000, 625_000_000]
    assert network.carried(A, SECOND) == pytest.approx(6.25 * MB)
    assert network.next_change is None


def test_ten_thousand_flows_on_one_link_take_little_work() -> None:
    network = FlowNetwork()
    flows = [network.send(0, 1000 + i, [A, B]) for i in range(10_000)]
    assert len(network.advance(1000 * SECOND)) == len(flows)
    assert network.most[A] == 10_000


LINKS = [Link(f"l{i}", bandwidth * MB, shared=i != 5) for i, bandwidth in enumerate((1, 2, 3, 5, 8, 4))]
_links = st.lists(st.sampled_from(LINKS), min_size=1, max_size=4, unique=True)
_demands = st.builds(
    lambda links, weights: dict(zip(links, weights, strict=False)),
    _links,
    st.lists(st.floats(0.01, 100), min_size=4, max_size=4),
)


@given(st.lists(_demands, min_size=1, max_size=12))
def test_no_link_is_over_capacity_and_every_flow_has_a_bottleneck(flows: list[dict[Link, float]]) -> None:
    """A bottleneck is a full link on which no flow is faster: the definition of max-min fairness."""
    rates = fair_rates(flows)
    used = {
        link: sum(rate * demands.get(link, 0) for rate, demands in zip(rates, flows, strict=True)) for link in LINKS
    }
    fastest = {
        link: max((rate for rate, demands in zip(rates, flows, strict=True) if link in demands), default=0.0)
        for link in LINKS
    }
    for link in LINKS[:5]:
        assert used[link] <= link.bandwidth * (1 + 1e-9)
    for rate, demands in zip(rates, flows, strict=True):
        shared = any(
            used[link] >= link.bandwidth * (1 - 1e-9) and fastest[link] <= rate * (1 + 1e-9)
            for link in demands
            if link.shared
        )
        own = any(rate * demand >= link.bandwidth * (1 - 1e-9) for link, demand in demands.items() if not link.shared)
        assert shared or own


_transfers = st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 5 * MB), _links), min_size=1, max_size=10)


@given(_transfers)
def test_all_bytes_arrive_and_not_before_they_can(transfers: list[tuple[int, int, list[Link]]]) -> None:
    network = FlowNetwork()
    flows = []
    for start, size, route in sorted(transfers, key=lambda each: each[0]):
        now: Nanoseconds = start * SECOND // 1000
        network.advance(now)
        flows.append((now, size, route, network.send(now, size, route)))
    while (instant := network.next_change) is not None:
        network.advance(instant)
    for now, size, route, flow in flows:
        assert flow.ended is not None
        assert flow.ended - now >= size / min(link.bandwidth for link in route) * SECOND - 1
    for link in LINKS:
        crossed = [(now, size, flow) for now, size, route, flow in flows if link in route]
        assert network.carried(link, 0) == pytest.approx(sum(size for _, size, _ in crossed))


@given(_transfers)
def test_rates_that_are_computed_for_affected_flows_are_those_of_all(
    transfers: list[tuple[int, int, list[Link]]],
) -> None:
    network = FlowNetwork()
    flows: list[Flow] = []
    for start, size, route in sorted(transfers, key=lambda each: each[0]):
        now: Nanoseconds = start * SECOND // 1000
        network.advance(now)
        flows.append(network.send(now, size, route))
        network.advance(now)
        active = [flow for flow in flows if flow.ended is None]
        assert [flow.rate for flow in active] == pytest.approx(fair_rates([flow.group.demands for flow in active]))
