"""Wishes that make no sense: one message that names the policy and the pod, while the other schedulers go on."""

from __future__ import annotations

import json

import pytest

from tests.cli.commands import Wavetank, an_experiment
from tests.scheduling.gpusharing.gpuclusters import a_gpu_node, a_gpu_pod
from wavetank.cluster.objects.gpus import GPU_COUNT, GPU_MILLI


def with_annotations(**annotations):
    pod = a_gpu_pod("p")
    names = {"count": GPU_COUNT, "milli": GPU_MILLI}
    pod["metadata"]["annotations"] = {names[key]: value for key, value in annotations.items()}
    return pod


@pytest.mark.parametrize(
    ("pod", "message"),
    [
        pytest.param(a_gpu_pod("p", gpus=1, models="H100"), "no node has the GPU model H100", id="no such model"),
        pytest.param(
            a_gpu_pod("p", gpus=1, models="K80|H100"), "no node has the GPU model K80 or H100", id="none of them"
        ),
        pytest.param(with_annotations(count="1", milli="1500"), f"{GPU_MILLI}: expected a whole number", id="too much"),
        pytest.param(with_annotations(milli="0"), f"{GPU_MILLI}: expected 1 to 1000 of one GPU", id="nothing of one"),
        pytest.param(with_annotations(count="2", milli="500"), "expected 1 to 1000 of one GPU or", id="parts of two"),
        pytest.param(with_annotations(count="-1"), f"{GPU_COUNT}: expected a whole number, 0 to", id="less than none"),
        pytest.param(with_annotations(count="1", milli="half"), "got 'half'", id="a word"),
    ],
)
@pytest.mark.parametrize("policy", ["FGD", "GpuPacking"])
def test_a_wish_that_makes_no_sense(wavetank: Wavetank, here, policy, pod, message) -> None:
    (here / "nodes.yaml").write_text(json.dumps(a_gpu_node("a", gpus=2)))
    (here / "pods.yaml").write_text(json.dumps(pod))
    schedulers = [{"name": "default"}, {"name": policy}]
    experiment = an_experiment(
        here, cluster={"file": "nodes.yaml"}, workload={"file": "pods.yaml"}, schedulers=schedulers
    )
    ended = wavetank("run", experiment, "-o", "out", "--jobs", "1")
    assert ended.status == 3
    last = ended.err.splitlines()[-1]
    assert last.startswith(f"{policy}/seed-1: policy {policy} failed on pod default/p: ")
    assert message in last
    assert "Traceback" not in ended.err
    assert (here / "out" / "default" / "seed-1" / "pods.csv").exists()
    assert not (here / "out" / policy).exists()
    warnings = json.loads((here / "out" / "experiment.json").read_text())["warnings"]
    assert any(warning.startswith(f"{policy}/seed-1 failed: policy {policy} failed on pod") for warning in warnings)


def test_they_take_no_arguments(wavetank: Wavetank, here) -> None:
    schedulers = [{"name": "x", "policy": "FGD", "args": {"a": 1}}]
    ended = wavetank("run", an_experiment(here, schedulers=schedulers), "-o", "out")
    assert ended.status == 2
    assert "spec.schedulers[0].args: FGD takes no arguments" in ended.err
