"""How much of the free GPUs is lost to usual pods, and which pods are usual."""

from __future__ import annotations

import pytest

from tests.scheduling.gpusharing.gpuclusters import a_gpu_node, a_gpu_pod, a_state
from wavetank.scheduling.gpusharing.fragmentation import fragment, total_fragment
from wavetank.scheduling.gpusharing.podmix import PodKind, PodMix

NODE = a_gpu_node("n", cpu=8, gpus=4)
LEFT = [
    ("n", a_gpu_pod("p", cpu=2, gpus=1, milli=400, devices="0")),
    ("n", a_gpu_pod("q", cpu=2, gpus=2, devices="1-2")),
]


def lost(*kinds):
    """Returns what is lost of 600, 0, 0 and 1000 beside 4 cores."""
    state, mix = a_state([NODE], LEFT), PodMix()
    for kind in kinds:
        mix.add(kind)
    return fragment(state.cpu_free[0], state.free[0], state.models[0], mix.typical(state))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        pytest.param(PodKind(1000, 500, 1, ""), 0, id="both have room"),
        pytest.param(PodKind(1000, 700, 1, ""), 600, id="one has too little"),
        pytest.param(PodKind(1000, 1000, 1, ""), 600, id="a whole one"),
        pytest.param(PodKind(1000, 1000, 2, ""), 1600, id="two whole ones do not fit"),
        pytest.param(PodKind(5000, 500, 1, ""), 1600, id="too few cores"),
        pytest.param(PodKind(1000, 500, 1, "T4"), 1600, id="another model"),
        pytest.param(PodKind(1000, 700, 1, "G2|T4"), 600, id="one of its models"),
        pytest.param(PodKind(1000, 0, 0, ""), 1600, id="no GPU wanted"),
    ],
)
def test_what_is_lost_to_one_kind(kind, expected) -> None:
    assert lost(kind) == expected


def test_it_is_the_mean_over_the_pods() -> None:
    one, other = PodKind(1000, 700, 1, ""), PodKind(5000, 500, 1, "")
    assert lost(one, one, one, other) == pytest.approx(0.75 * 600 + 0.25 * 1600)


def test_all_nodes_together() -> None:
    state, mix = a_state([NODE, a_gpu_node("m", gpus=2), a_gpu_node("o", gpus=0)], LEFT), PodMix()
    mix.add(PodKind(1000, 1000, 2, ""))
    assert total_fragment(state.cpu_free, state.free, state.models, mix.typical(state)) == 1600


def test_the_most_frequent_kinds_stand_for_95_percent() -> None:
    mix = PodMix()
    for cpu, number in ((1, 90), (2, 4), (3, 3), (4, 3)):
        for _ in range(number):
            mix.add(PodKind(cpu, 0, 0, ""))
    shares = {kind.cpu: share for kind, share in mix.shares()}
    assert list(shares) == [1, 2, 4]  # of two equally frequent ones the larger
    assert shares == pytest.approx({1: 90 / 97, 2: 4 / 97, 4: 3 / 97})
