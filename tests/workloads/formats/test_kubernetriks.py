from __future__ import annotations

import pytest

from tests.workloads.formats.tracefiles import lives_of
from tests.workloads.inputs import a_file, arrivals_of
from wavetank.cluster.objects.node import Node
from wavetank.errors import InputError
from wavetank.workloads.formats.kubernetriks import KubernetriksWorkload, is_kubernetriks, read_kubernetriks_nodes

POD = """
- timestamp: {time}
  event_type:
    !CreatePod
      pod:
        metadata:
          name: {name}
        spec:
          resources:
            requests: {{cpu: 4000, ram: 8589934592}}
            limits: {{cpu: 8000, ram: 17179869184}}
          running_duration: {duration}
"""
REMOVAL = """
- timestamp: {time}
  event_type: !RemovePod
    pod_name: pod_1
"""
NODE = """
- timestamp: 1
  event_type:
    !CreateNode
      node:
        metadata:
          name: node_21
          labels: {storage_type: ssd}
        status:
          capacity: {cpu: 16000, ram: 17179869184}
"""


def a_pod_event(time: float = 550, name: str = "pod_1", duration: str = "21.0") -> str:
    return POD.format(time=time, name=name, duration=duration)


def test_pods_come_at_their_time_and_run_for_their_duration() -> None:
    file = a_file(f"events:{a_pod_event(551.5)}{a_pod_event(550, 'pod_2', 'null')}")
    assert is_kubernetriks(file)
    assert lives_of(KubernetriksWorkload(file)) == [("pod-2", 550, None), ("pod-1", 551.5, 21)]


def test_cpu_is_in_milli_and_ram_in_bytes() -> None:
    (arrival,) = arrivals_of(KubernetriksWorkload(a_file(f"events:{a_pod_event()}")))
    assert arrival.pod.requests == {"cpu": 4000, "memory": 8 << 30}


@pytest.mark.parametrize(("time", "duration"), [(560, 10), (900, 21)], ids=["while it runs", "after its end"])
def test_a_pod_may_be_removed(time: int, duration: int) -> None:
    file = a_file(f"events:{a_pod_event()}{REMOVAL.format(time=time)}")
    assert lives_of(KubernetriksWorkload(file)) == [("pod-1", 550, duration)]


def test_nodes_are_there_from_the_start() -> None:
    file = a_file(f"events:{NODE}")
    node = Node(read_kubernetriks_nodes(file)[0])
    assert (node.name, node.allocatable) == ("node-21", {"cpu": 16_000, "memory": 16 << 30, "pods": 110})
    assert node.labels["storage_type"] == "ssd"
    assert file.assumed["a node that comes later is there from the start"] == 1


@pytest.mark.parametrize(
    ("events", "message"),
    [
        pytest.param(REMOVAL.format(time=1), r'events\[0\].pod_name: there is no pod "pod-1" to remove', id="nothing"),
        pytest.param(
            a_pod_event() + a_pod_event(), r'events\[1\].metadata.name: a second pod "pod-1"', id="a name twice"
        ),
        pytest.param(NODE, r"events\[0\]: 'CreateNode' is not supported: expected CreatePod", id="a node"),
        pytest.param(a_pod_event(duration="-3"), r"events\[0\].pod.spec.running_duration: a duration", id="negative"),
        pytest.param(a_pod_event().replace("4000", "x"), r"requests.cpu: expected a whole number", id="no amount"),
        pytest.param(
            "\n- timestamp: 3\n  event_type: x", r"event_type: expected a tag such as !CreatePod", id="no tag"
        ),
    ],
)
def test_what_is_wrong_is_named_and_a_lenient_reading_goes_on(events: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        KubernetriksWorkload(a_file(f"events:{events}"))
    file = a_file(f"events:{events}{a_pod_event(name='good')}")
    file.lenient = True
    assert arrivals_of(KubernetriksWorkload(file))[-1].pod.name == "good"
    assert file.skipped.total() == 1


def test_broken_yaml_is_named_with_its_line() -> None:
    with pytest.raises(InputError, match=r"in\.yaml: line 3, column \d+: not valid YAML"):
        KubernetriksWorkload(a_file("events:\n- timestamp: [event_type:"))
