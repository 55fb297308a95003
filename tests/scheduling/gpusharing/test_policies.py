"""The scores of each policy, computed by hand, and the device that each takes."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.scheduling.gpusharing.gpuclusters import a_gpu_node, a_gpu_pod, a_request, a_state, a_table, scores
from tests.support.objects import SPECS
from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.gpusharing.gpunodes import GpuNodes
from wavetank.scheduling.gpusharing.podmix import PodKind
from wavetank.scheduling.gpusharing.policies.anygpu import Random
from wavetank.scheduling.gpusharing.policies.bestfit import BestFit
from wavetank.scheduling.gpusharing.policies.dotprod import DotProd
from wavetank.scheduling.gpusharing.policies.fgd import FGD
from wavetank.scheduling.gpusharing.policies.gpuclustering import GpuClustering
from wavetank.scheduling.gpusharing.policies.gpupacking import GpuPacking

# a: 96 cores and 8 GPUs, idle; b: 64 of 96 cores, GPU 0 has 400 left, GPUs 1 and 2 are taken, five are idle;
# c: 14 of 16 cores, GPU 0 has 700 left and GPU 1 200; d: 128 cores and no GPU
NODES = [
    a_gpu_node("a"),
    a_gpu_node("b"),
    a_gpu_node("c", cpu=16, gpus=2, model="P100"),
    a_gpu_node("d", cpu=128, gpus=0),
]
PODS = [
    ("b", a_gpu_pod("share", cpu=16, gpus=1, milli=600, devices="0")),
    ("b", a_gpu_pod("two", cpu=16, gpus=2, devices="1-2")),
    ("c", a_gpu_pod("third", cpu=1, gpus=1, milli=300, devices="0")),
    ("c", a_gpu_pod("most", cpu=1, gpus=1, milli=800, devices="1")),
]
A, B, C, D = range(4)


def test_what_is_left_of_each_device() -> None:
    state = a_state(NODES, PODS)
    assert state.free[:3].tolist() == [[1000] * 8, [400, 0, 0, *[1000] * 5], [700, 200, *[0] * 6]]
    assert state.cpu_free[:4].tolist() == [96_000, 64_000, 14_000, 128_000]
    assert state.gpu_free[:4].tolist() == [8000, 5400, 900, 0]


@pytest.mark.parametrize(
    ("policy", "request_", "expected"),
    [
        # 100 (1 - (cpu_free/128 * cpu/128 + gpu_free/8 * gpu/8) / 2); for 8 cores and 0.5 GPUs
        # a: (0.75 * 0.0625 + 1 * 0.0625) / 2 = 0.0547; b: (0.5 + 0.675) * 0.0625 / 2 = 0.0367; c: (0.109 + 0.1125) …
        pytest.param(DotProd, {"cpu": 8, "gpus": 1, "milli": 500}, [94, 96, 99], id="dot product of a share"),
        # for 32 cores and 4 GPUs: a: (0.75 * 0.25 + 1 * 0.5) / 2 = 0.34375; b: (0.125 + 0.3375) / 2 = 0.23125
        pytest.param(DotProd, {"cpu": 32, "gpus": 4}, [65, 76], id="dot product of four GPUs"),
        # for 64 cores: 0.75 * 0.5 / 2 = 0.1875, 0.5 * 0.5 / 2 = 0.125
        pytest.param(DotProd, {"cpu": 64}, [81, 87], id="dot product without GPUs"),
        # 100 (1 - ((cpu_free - cpu)/128 + (gpu_free - gpu)/8) / 2); for 8 cores and 0.5 GPUs
        # a: (0.6875 + 0.9375) / 2 = 0.8125; b: (0.4375 + 0.6125) / 2 = 0.525; c: (0.046875 + 0.05) / 2 = 0.0484
        pytest.param(BestFit, {"cpu": 8, "gpus": 1, "milli": 500}, [18, 47, 95], id="what a share leaves"),
        # for 64 cores: a: (0.25 + 1) / 2 = 0.625; b: (0 + 0.675) / 2 = 0.3375
        pytest.param(BestFit, {"cpu": 64}, [37, 66], id="what a pod without GPUs leaves"),
        # 25 (8000 - gpu_free) / 8000: a 0, b 8, c 22; no pods: + 25, equals among others: + 50, equals only: +75
        pytest.param(GpuClustering, {"gpus": 1, "milli": 100}, [25, 58, 97], id="a share beside shares"),
        pytest.param(GpuClustering, {"gpus": 2}, [25, 58], id="two GPUs beside two"),
        pytest.param(GpuClustering, {"gpus": 1}, [25, 8], id="one GPU beside others"),
        pytest.param(GpuClustering, {}, [0, 0, 0, 0], id="no company without GPUs"),
        # idle node: 33 - 8; device in use: 100 - left/10 %, whole; idle device: 50 - GPUs
        pytest.param(GpuPacking, {"gpus": 1, "milli": 100}, [25, 96, 98], id="packed on a device in use"),
        pytest.param(GpuPacking, {"gpus": 1, "milli": 500}, [25, 49, 93], id="packed where it is large enough"),
        pytest.param(GpuPacking, {"gpus": 4}, [25, 46], id="packed on idle devices"),
        pytest.param(GpuPacking, {}, [0, 0, 0, 0], id="not packed without GPUs"),
    ],
)
def test_scores(policy, request_, expected) -> None:
    state = a_state(NODES, PODS)
    assert scores(policy(), state, len(expected), **request_) == expected


def test_a_large_node_that_is_idle_is_worth_its_gpus() -> None:
    assert scores(GpuPacking(), a_state([a_gpu_node("a", gpus=20), a_gpu_node("b", gpus=1)]), 2, gpus=1) == [20, 32]


def test_random_draws_one_node_and_any_device() -> None:
    policy, state = Random(), a_state(NODES, PODS)
    policy.random = random.Random(7)
    request = a_request(state, gpus=1, milli=300)
    drawn = [policy.score(request, state, state.gpus[:2]).tolist() for _ in range(50)]
    assert {tuple(each) for each in drawn} == {(100, 0), (0, 100)}
    assert {policy.device(request, state, B) for _ in range(100)} == {0, 3, 4, 5, 6, 7}


@pytest.mark.parametrize("policy", [DotProd, BestFit, GpuClustering, GpuPacking])
def test_a_share_goes_to_the_tightest_device(policy) -> None:
    state = a_state(NODES, PODS)
    assert [policy().device(a_request(state, gpus=1, milli=milli), state, B) for milli in (100, 400, 401)] == [0, 0, 3]
    assert [policy().device(a_request(state, gpus=1, milli=milli), state, C) for milli in (100, 300)] == [1, 0]


def expecting(*kinds):
    policy = FGD()
    for kind in kinds:
        policy._mix.add(kind)
    policy._expects = True
    return policy


def test_fgd_by_hand() -> None:
    """Two kinds, half each: 4 cores and half a GPU; 8 cores and two GPUs.

    e (8 cores; 1000 and 500 left): half GPUs lose nothing, two GPUs do not fit: 0.5 · 1500 = 750 are lost.
    A half on device 0 leaves 4 cores, 500 and 500: 0.5 · 1000 lost, 250 less: sigmoid(0.25) = 0.562.
    On device 1, 1000 and 0: the same 500 lost. Equal, so the first device.
    f (8 cores; 1000 and 1000 left): nothing is lost. Afterwards two GPUs no longer fit: 0.5 · 1500 are, and
    sigmoid(-0.75) = 0.320.
    g (4 cores; 1000 left): 0.5 · 1000 lost; afterwards no cores for any pod, all 500 lost: as before, 0.5.
    """
    nodes = [a_gpu_node("e", cpu=9, gpus=2), a_gpu_node("f", cpu=8, gpus=2), a_gpu_node("g", cpu=4, gpus=1)]
    state = a_state(nodes, [("e", a_gpu_pod("p", cpu=1, gpus=1, milli=500, devices="1"))])
    policy = expecting(PodKind(4000, 500, 1, ""), PodKind(8000, 1000, 2, ""))
    assert scores(policy, state, 3, cpu=4, gpus=1, milli=500) == [56, 32, 50]
    assert policy.device(a_request(state, cpu=4, gpus=1, milli=500), state, 0) == 0


def test_fgd_takes_the_device_that_leaves_most_of_use() -> None:
    """Usual pods want 0.7: of 800 and 300 left, a pod of 0.3 takes the one that was lost anyway."""
    pods = [
        ("a", a_gpu_pod("p", gpus=1, milli=200, devices="0")),
        ("a", a_gpu_pod("q", gpus=1, milli=700, devices="1")),
    ]
    state = a_state([a_gpu_node("a", gpus=2)], pods)
    policy = expecting(PodKind(1000, 700, 1, ""))
    assert policy.device(a_request(state, gpus=1, milli=300), state, 0) == 1


def test_fgd_knows_which_pods_want_which_model() -> None:
    """A GPU of a model that usual pods cannot use is lost already: using it costs nothing, it is a gain."""
    state = a_state([a_gpu_node("a", gpus=1, model="T4"), a_gpu_node("b", gpus=1, model="A10")])
    policy = expecting(PodKind(1000, 1000, 1, "A10"))
    # a: 1000 lost before, 0 after: sigmoid(1); b: 0 before, 0 after
    assert scores(policy, state, 2, gpus=1) == [73, 50]


def test_fgd_learns_from_what_it_places_if_no_mix_is_given() -> None:
    state = a_state([a_gpu_node("a", gpus=1, model="T4"), a_gpu_node("b", gpus=1, model="A10")])
    policy = FGD()
    assert scores(policy, state, 2, gpus=1, models=("A10",)) == [73, 50]
    assert policy.device(a_request(state, gpus=1, milli=500), state, 0) == 0


def test_fgd_remembers_scores_until_something_changes() -> None:
    """What is remembered is what would be found again, whatever has changed: pods, nodes, or the pods that come."""
    nodes = [a_gpu_node(f"n{i}", cpu=20, gpus=1 + i % 4, model="T4" if i % 3 else "A10") for i in range(12)]
    table, draw = a_table(nodes), random.Random(5)
    state, policy = GpuNodes(), FGD()
    for number in range(60):
        state.catch_up(table)
        milli = draw.choice([200, 500, 1000])
        request = a_request(state, cpu=draw.choice([1, 2]), gpus=1, milli=milli)
        fitting = np.flatnonzero((state.free[:12] >= milli).any(axis=1))
        scores_ = policy.score(request, state, fitting).tolist()
        policy._memory.clear()
        policy._expects = True  # so that this look is not counted
        assert scores_ == policy.score(request, state, fitting).tolist()
        policy._expects = False
        if number % 7 == 6:
            table.remove_pod(draw.choice(list(table.placements)))
        pod = Pod.parse(a_gpu_pod(f"p{number}", cpu=1, gpus=1, milli=milli), SPECS)
        pod.uid = pod.name
        table.add_pod(pod, f"n{draw.choice(fitting.tolist())}")
