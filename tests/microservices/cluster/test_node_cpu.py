"""Pods share the cores of their node by weight, up to their quota."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavetank.kernel.durations import SECOND
from wavetank.microservices.engine.events import EventQueue
from wavetank.microservices.engine.nodecpu import NodeCpu, PodCpu

Pods = list[tuple[float, float | None, int]]


def _node(cores: float, pods: Pods) -> tuple[EventQueue, list[PodCpu]]:
    """A node with pods of (request, limit, requests of 1000 s each) that begin at once."""
    events = EventQueue()
    node = NodeCpu(events, cores)
    shares = [node.join(request, limit) for request, limit, _ in pods]
    for share, (_, _, busy) in zip(shares, pods, strict=True):
        for _ in range(busy):
            share.cpu.submit(None, 1000.0, lambda _: None)  # type: ignore[arg-type]
    return events, shares


@pytest.mark.parametrize(
    ("cores", "pods", "used"),
    [
        pytest.param(4, [(1, None, 2)], [2], id="a request uses one core at most"),
        pytest.param(2, [(1, None, 3), (1, None, 3)], [1, 1], id="equal weights share equally"),
        pytest.param(2, [(3, None, 4), (1, None, 4)], [1.5, 0.5], id="by weight"),
        pytest.param(2, [(3, None, 1), (1, None, 4)], [1, 1], id="what one does not want, the other gets"),
        pytest.param(4, [(1, 0.5, 4)], [0.5], id="a quota holds on an idle node"),
        pytest.param(2, [(3, 0.5, 4), (1, None, 4)], [0.5, 1.5], id="a quota frees CPU for others"),
        pytest.param(2, [(1, None, 0), (1, None, 5)], [0, 2], id="an idle pod takes nothing"),
    ],
)
def test_ten_seconds_of_cpu(cores: float, pods: Pods, used: list[float]) -> None:
    events, shares = _node(cores, pods)
    events.run_before(10 * SECOND)
    for share in shares:
        share.cpu.advance()
    assert [share.cpu.used for share in shares] == [pytest.approx(10 * each) for each in used]


_pods = st.tuples(st.floats(0, 4), st.one_of(st.none(), st.floats(0.1, 4)), st.integers(0, 6))


@given(st.floats(0.5, 8), st.lists(_pods, min_size=1, max_size=6))
def test_no_core_is_used_twice_and_none_is_idle_while_it_is_wanted(cores: float, pods: Pods) -> None:
    events, shares = _node(cores, pods)
    events.run_before(SECOND)
    for share in shares:
        share.cpu.advance()
    total = sum(share.cpu.used for share in shares)
    wanted = sum(min(busy, limit if limit is not None else busy) for _, limit, busy in pods)
    assert total == pytest.approx(min(cores, wanted))
    assert all(
        limit is None or share.cpu.used <= limit + 1e-9 for share, (_, limit, _) in zip(shares, pods, strict=True)
    )


def test_throttling_is_the_time_in_which_a_quota_holds_back() -> None:
    events = EventQueue()
    share = NodeCpu(events, 4).join(1, 0.5)
    share.cpu.submit(None, 1.0, lambda _: None)  # type: ignore[arg-type]
    events.run_before(5 * SECOND)
    assert share.throttled == pytest.approx(2)  # one second of work at half a core
