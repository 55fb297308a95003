"""Orders in which a CPU serves requests; one thread of 1000 units a second."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.microservices.builders import a_service, an_architecture, an_operation, interval, run
from wavetank.microservices.engine.queues import MultiLevelFeedbackQueue, Process
from wavetank.microservices.model.architecture import Architecture, Policy
from wavetank.microservices.model.rules import CORRECT, MISIM, Rules


def _one_thread(policy: Policy) -> Architecture:
    demands = (400, 100, 50)
    read = an_architecture(a_service("a", [an_operation(f"d{demand}", demand) for demand in demands]))
    return replace(read, services=tuple(replace(each, policy=policy, threads=1) for each in read.services))


@pytest.mark.parametrize(
    ("policy", "rules", "ends"),
    [
        pytest.param("fifo", MISIM, [400, 500, 550], id="first come, first served"),
        pytest.param("lifo", MISIM, [550, 150, 50], id="the latest first"),
        pytest.param("sjn", MISIM, [550, 150, 50], id="the shortest first"),
        pytest.param("sarr", MISIM, [550, 200, 250], id="a quantum of 100, the median"),
        pytest.param("ps", CORRECT, [550, 250, 150], id="all at once, each a third"),
    ],
)
def test_when_three_requests_of_one_instant_end(policy: Policy, rules: Rules, ends: list[int]) -> None:
    generators = [interval(f"a.d{demand}", 100) for demand in (400, 100, 50)]
    recorder = run(_one_thread(policy), generators, duration=5, rules=rules)
    assert [recorder.responses[f"d{demand}"][0][0] // 1000 for demand in (400, 100, 50)] == ends


def test_mlfq_goes_down_one_level_at_a_time_unless_it_skips_the_middle_one_as_misim_does() -> None:
    for rules, levels in ((MISIM, [2, 2, 2]), (CORRECT, [1, 2, 2])):
        queue = MultiLevelFeedbackQueue(rules.mlfq_skips_middle)
        process = Process(None, 1000)  # type: ignore[arg-type]
        seen = []
        for _ in levels:
            queue.enter(process)
            seen.append(queue.take().level)
        assert seen == levels
