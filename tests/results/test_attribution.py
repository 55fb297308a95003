"""Which plugin sent a pod to another node is told where attempts were recorded."""

import pytest

from tests.experiments.trials import parsed
from tests.support.objects import pod_manifest
from wavetank.experiments.runner import run_experiment
from wavetank.results.compare.compare import compare_results

NODES = [{"name": "small", "cpu": 4, "memory": "4Gi"}, {"name": "large", "cpu": 16, "memory": "16Gi"}]


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("blame")
    (folder / "pods.yaml").write_text(
        "\n---\n".join(
            map(
                str,
                [pod_manifest("first", duration="10", memory=None), pod_manifest("second", duration="10", memory=None)],
            )
        )
    )
    schedulers = [{"name": "default"}, {"name": "most-allocated"}]
    experiment = parsed(folder, cluster={"nodes": NODES}, workload={"file": "pods.yaml"}, schedulers=schedulers)
    for keep, name in ((None, "plain"), ("best", "recorded")):
        run_experiment(experiment, folder / name, "0.0", jobs=1, keep=keep)
    return folder


def moved(out):
    difference = compare_results(out, out, scheduler_a="default", scheduler_b="most-allocated")
    return {pod.pod: pod.why for pod in difference.runs[0].pods}


def test_the_score_that_changed_most(out):
    """LeastAllocated likes the large node, MostAllocated the small one; all other scores are the same."""
    assert moved(out / "recorded")["default/first"].startswith("NodeResourcesFit: large-0 leads by ")


def test_nothing_is_said_without_recordings(out):
    assert set(moved(out / "plain").values()) == {""}
