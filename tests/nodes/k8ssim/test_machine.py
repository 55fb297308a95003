"""K8sSim's nodes, second by second, with figures worked out by hand from its published inputs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.kernel.durations import SECOND
from wavetank.nodes.k8ssim.demand import Deadline, Demand, demand_of
from wavetank.nodes.k8ssim.machine import Allowances, Machine, Task
from wavetank.nodes.k8ssim.parameters import FIELDS, Parameters, parameters_of
from wavetank.nodes.k8ssim.rates import cpu_rate, gpu_rate

SMALL = Parameters(4000.0, creation=6, extra=2.5, interval=2)  # k8s20-74 of K8sSim's nodes_7-0
LARGE = Parameters(8000.0, creation=6, extra=2.5, interval=2)  # k8s21-74
TRAINING = Demand(135.0, 800.0, 1000.0)  # gpu-test-1 of wsl_test_mrp-2
LONG = Demand(945.0, 4000.0, 4100.0)  # gpu-test-2


def lives(parameters, bindings, until=1000):
    """Plays a machine; `bindings` are (second, name, demand). Returns by name (start, end), and the restarted ones."""
    machine, allowances = Machine(parameters), Allowances()
    started, ended, restarted = {}, {}, []
    for second in range(until):
        now = second * SECOND
        task = machine.begin(now)
        if task is not None:
            started[task.uid] = second
        for done in (*machine.work(), *machine.remove_terminated()):
            ended[done.uid] = second
        restarted += [task.uid for task in machine.overdue(now, allowances)]
        for due, name, demand in bindings:
            if due == second:
                machine.bind(Task(name, "job", now, demand))
    return {name: (started[name], ended.get(name)) for name in started}, restarted


@pytest.mark.parametrize(
    ("parameters", "bindings", "expected"),
    [
        # 6 s and twice 2.5 more for two others: ready after 11 s, so one at 12, 14, 16; 135 / (1 - .3) = 193 seconds
        pytest.param(
            SMALL,
            [(0, name, TRAINING) for name in "abc"],
            {"a": (12, 204), "b": (14, 206), "c": (16, 208)},
            id="three on the small node, as GANG_LRP has it",
        ),
        pytest.param(
            LARGE,
            [(0, name, TRAINING) for name in "abcdefg"],
            {name: (22 + 2 * i, 214 + 2 * i) for i, name in enumerate("abcdefg")},
            id="seven on the large node, as GANG_LRP has it",
        ),
        pytest.param(SMALL, [(208, "x", LONG)], {"x": (214, 528)}, id="4 CPU of 4: 3 a second, 315 seconds"),
        # five times 0.8 CPU is all there is: with 800m each 0.53 a second
        pytest.param(
            SMALL,
            [(0, name, TRAINING) for name in "abcde"],
            {name: (16 + 2 * i, 268 + 2 * i) for i, name in enumerate("abcde")},
            id="a full node, as GANG_MRP has it",
        ),
        # the sixth task comes while the five are made: all wait 2.5 s longer
        pytest.param(
            LARGE,
            [*((0, name, TRAINING) for name in "abcde"), (1, "x", LONG)],
            {**{name: (20 + 2 * i, 271 + 2 * i) for i, name in enumerate("abcde")}, "x": (30, 344)},
            id="five and one, as GANG_MRP has it",
        ),
        pytest.param(
            Parameters(4000.0, speed=0.5), [(0, "a", TRAINING)], {"a": (2, 387)}, id="half the speed, twice the time"
        ),
        pytest.param(
            Parameters(1000.0), [(0, "a", Demand(5.0, 500.0, None, timed=True))], {"a": (2, 6)}, id="a stated time"
        ),
        pytest.param(
            Parameters(1000.0), [(0, "a", Demand(2.0, 1000.0, 1000.0))], {"a": (2, 4)}, id="no more than requested"
        ),
        pytest.param(
            Parameters(1000.0), [(0, "a", Demand(None, 500.0, None, timed=True))], {"a": (2, None)}, id="endless"
        ),
    ],
)
def test_tasks_start_and_end_as_in_k8ssim(parameters, bindings, expected):
    assert lives(parameters, bindings)[0] == expected


@pytest.mark.parametrize(
    ("milli_cpu", "rate"),
    [
        *((4000, 3), (3200, 3.0), (3000, 2.8), (2800, 2.55), (2700, 2.45), (2600, 2.3), (1000, 0.7), (800, 0.53)),
        *((700, 0.43), (640, 0.4), (500, 0.26), (450, 0.207), (100, 0.046), (0, 0)),
    ],
)
def test_the_table_of_rates(milli_cpu, rate):
    assert cpu_rate(milli_cpu) == pytest.approx(rate)


@pytest.mark.parametrize(("milli_cpu", "rate"), [(1001, 7.5), (1000, 7.125), (500, 3.375), (50, 0), (10, 0)])
def test_a_gpu_needs_a_cpu(milli_cpu, rate):
    assert gpu_rate(milli_cpu) == pytest.approx(rate)


@pytest.mark.parametrize(
    ("requested", "speed"),
    [(4000, 1), (5000, 1), (7500, 0.75), (9900, 0.51), (9901, 0.5), (12000, 0.5)],
)
def test_a_busy_node_slows_down(requested, speed):
    busy = Parameters(10000.0, speed=1, slowest=0.5, threshold=0.5)
    assert busy.speed_at(requested) == pytest.approx(speed)
    assert Parameters(10000.0, speed=0.8).speed_at(requested) == 0.8


def test_a_gpu_does_not_slow_down_with_the_cpus():
    gpu = Demand(10.0, 1000.0, 1100.0, has_gpu=True)
    assert gpu.rate(1100, slowed=0.5, speed=1) == 7.5
    assert TRAINING.rate(1000, slowed=0.5, speed=1) == pytest.approx(0.35)


def test_a_task_that_takes_too_long_is_restarted_once_with_a_fifth_of_its_work():
    slow = Demand(135.0, 800.0, 1000.0, restart=Deadline(100, None))
    # started at 2; more than 100 s at 103; then 27 / 0.7 = 39 seconds from 104 on
    assert lives(Parameters(4000.0), [(0, "a", slow)]) == ({"a": (2, 142)}, ["a"])


def test_a_task_that_takes_too_long_is_terminated_a_second_later():
    slow = Demand(135.0, 800.0, 1000.0, termination=Deadline(100, None))
    assert lives(Parameters(4000.0), [(0, "a", slow)]) == ({"a": (2, 104)}, [])


def test_limits_of_a_job_hold_for_all_its_tasks():
    slow = Demand(135.0, 800.0, 1000.0, restart=Deadline(100, 1), termination=Deadline(150, 0))
    found, restarted = lives(Parameters(8000.0), [(0, "a", slow), (0, "b", slow)])
    assert restarted == ["a"]
    assert found["b"] == (4, 196)  # neither restarted nor terminated


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ({}, Parameters(4000.0, 1.0, None, None, 2.0, 0.5, 1)),
        ({"ctnCreationTime": "6.0"}, Parameters(4000.0, 1.0, None, None, 6.0, 0.0, 0)),
        ({"minimumSpeed": "0.05", "slowSpeedThreshold": "0.5"}, Parameters(4000.0, 1.0, None, 0.5)),
    ],
)
def test_defaults_of_a_node(annotations, expected):
    metadata = {"name": "n", "annotations": {FIELDS + name: value for name, value in annotations.items()}}
    assert parameters_of(Node({"metadata": metadata, "status": {"allocatable": {"cpu": "4"}}})) == expected


@pytest.mark.parametrize(
    ("container", "labels", "expected"),
    [
        (
            {
                "command": ["python3", "x.py", "--epochs=2"],
                "resources": {"requests": {"cpu": "0.8"}, "limits": {"cpu": 1}},
            },
            {"restartTime": "300", "restartLimit": "2", "terminationTime": "350", "terminationLimit": "-1"},
            Demand(270.0, 800.0, 1000.0, restart=Deadline(300, 2), termination=Deadline(350, None)),
        ),
        (
            {"command": ["a", "b", "--epochs=1"], "resources": {"limits": {"cpu": "500m", "nvidia.com/gpu": 1}}},
            {"restartTime": "soon"},
            Demand(135.0, 500.0, 500.0, has_gpu=True),
        ),
        ({"command": ["sleep"]}, {}, Demand(None, 0.0, None, timed=True)),
    ],
)
def test_what_a_pod_has_to_do(container, labels, expected):
    metadata = {"name": "p", "labels": labels}
    pod = Pod.parse({"metadata": metadata, "spec": {"containers": [{"name": "c", **container}]}}, SpecTable())
    assert demand_of(pod) == expected


@given(st.lists(st.tuples(st.floats(1, 1000), st.floats(0, 2000)), min_size=1, max_size=20), st.floats(0, 5000))
def test_cpu_is_shared_within_what_there_is(asked, spare):
    """Every task has at least its request and at most its limit, and all together no more than there is."""
    requested = sum(request for request, _ in asked)
    machine = Machine(Parameters(requested + spare))
    tasks = [Task(str(i), "j", 0, Demand(1.0, request, request + more)) for i, (request, more) in enumerate(asked)]
    shares = machine.shares(tasks, requested)
    assert all(
        request - 1e-6 <= share <= request + more + 1e-6 for share, (request, more) in zip(shares, asked, strict=True)
    )
    assert sum(shares) <= requested + spare + 1e-6
