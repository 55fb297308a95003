from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.paths import shared_data
from tests.workloads.inputs import cluster_of
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.nodes.faults import Fault
from wavetank.workloads.formats.batsim.events import Event, faults_of, read_events


def written(folder: Path, *events: object) -> Path:
    path = folder / "events.txt"
    path.write_text("".join(event if isinstance(event, str) else json.dumps(event) + "\n" for event in events))
    return path


def an_event(**fields: object) -> dict[str, object]:
    return {"type": "machine_unavailable", "resources": "0", "timestamp": 0, **fields}


def test_real_events() -> None:
    events = read_events(shared_data("batsim/events/test_events_4hosts.txt"))
    assert events[:3] == (
        Event(0, "cordon", (0,)),
        Event(10 * SECOND, "uncordon", (0,)),
        Event(20 * SECOND, "cordon", (0, 1, 3)),
    )
    assert len(events) == 5


def test_events_become_faults_of_nodes(tmp_path: Path) -> None:
    cluster = cluster_of([{"count": 3, "cpu": 1, "memory": 1}])
    events = read_events(written(tmp_path, an_event(resources="0 2", timestamp=5)))
    assert faults_of(events, cluster) == (
        Fault(5 * SECOND, "cordon", "node-0"),
        Fault(5 * SECOND, "cordon", "node-2"),
    )
    with pytest.raises(InputError, match="there is no machine 3: the cluster has 3"):
        faults_of(read_events(written(tmp_path, an_event(resources="3"))), cluster)


def test_events_come_in_the_order_of_time(tmp_path: Path) -> None:
    events = read_events(written(tmp_path, an_event(timestamp=9), "\n", an_event(timestamp=2)))
    assert [event.time for event in events] == [2 * SECOND, 9 * SECOND]


@pytest.mark.parametrize(
    ("event", "message"),
    [
        pytest.param("{\n", "line 2: not valid JSON", id="cut off"),
        pytest.param("3\n", "line 2: expected a mapping", id="a number"),
        pytest.param(an_event(type="dance"), "line 2: type: expected one of machine_unavailable", id="another event"),
        pytest.param(an_event(resources="a"), 'line 2: resources: expected ids such as "0-4 6"', id="no ids"),
        pytest.param(an_event(resources="4-1"), "line 2: resources: expected ids", id="backwards"),
        pytest.param(an_event(timestamp=-1), "line 2: timestamp: a duration cannot be", id="before the beginning"),
    ],
)
def test_a_bad_event_is_named_or_left_out(tmp_path: Path, event: object, message: str) -> None:
    path = written(tmp_path, an_event(), event)
    with pytest.raises(InputError) as caught:
        read_events(path)
    assert message in str(caught.value)
    assert len(read_events(path, lenient=True)) == 1
