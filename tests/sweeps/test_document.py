"""The scenarios of a sweep, and what is refused."""

import pytest

from tests.sweeps.trials import parsed
from wavetank.errors import InputError


def names(sweep):
    return {scenario.name: [entry.name for entry in scenario.experiment.schedulers] for scenario in sweep.scenarios}


def nodes(scenario):
    return [manifest["metadata"]["name"] for manifest in scenario.experiment.cluster.manifests]


def test_without_a_sweep_it_is_one_scenario():
    assert names(parsed()) == {"all": ["default"]}


def test_clusters_and_workloads_are_crossed():
    day = {"generator": {"kind": "burst", "pods": 3, "requests": {"cpu": 1}}}
    sweep = parsed(
        sweep={
            "clusters": [{"name": "original"}, {"name": "-50%", "nodes": "-50%"}],
            "workloads": [{"name": "day", "workload": day}, {"name": "night"}],
        }
    )
    assert list(names(sweep)) == ["day-original", "night-original", "day--50", "night--50"]
    assert [len(nodes(scenario)) for scenario in sweep.scenarios] == [4, 4, 2, 2]
    assert sweep.scenarios[0].experiment.workload.description != sweep.scenarios[1].experiment.workload.description


def test_parameters_make_a_scheduler_for_each_combination():
    sweep = parsed(
        schedulers=[{"name": "default"}, {"name": "packed", "policy": "best-fit"}],
        sweep={"parameters": {"packed": {"resource": ["cpu", "memory"]}}},
    )
    assert names(sweep) == {"all": ["default", "packed-resource-cpu", "packed-resource-memory"]}


def test_scenarios_may_have_their_own_cluster_workload_and_schedulers():
    sweep = parsed(
        schedulers=[{"name": "mine", "policy": "best-fit"}],
        sweep={
            "scenarios": [
                {"name": "small", "cluster": {"nodes": [{"cpu": 8, "memory": "8Gi"}]}, "schedulers": ["mine", "LRP"]},
                {"nodes": "+100%", "schedulers": [{"name": "x", "policy": "first-fit"}]},
            ]
        },
    )
    assert names(sweep) == {"small": ["mine", "LRP"], "2": ["x"]}
    assert [len(nodes(scenario)) for scenario in sweep.scenarios] == [1, 8]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"nodes": []}, "spec.sweep: unknown field 'nodes'"),
        ({"clusters": [{"nodes": "-50%"}]}, "spec.sweep.clusters[0].name: "),
        ({"clusters": [{"name": "a", "nodes": "half"}]}, "spec.sweep.clusters[0].nodes: expected a change such as"),
        ({"clusters": [{"name": "a", "nodes": "-100%"}]}, "spec.sweep.clusters[0].nodes: expected a change such as"),
        ({"clusters": [{"name": "a"}, {"name": "A"}]}, "spec.sweep: a second scenario called 'A'"),
        ({"parameters": {"gone": {"x": [1]}}}, "spec.sweep.parameters: there is no scheduler called 'gone'"),
        ({"parameters": {"default": {"x": 1}}}, "spec.sweep.parameters.default.x: expected a list"),
        ({"scenarios": [{}], "clusters": []}, "spec.sweep.clusters: clusters does not go with scenarios"),
        ({"scenarios": [{"schedulers": ["nobody"]}]}, "spec.schedulers[0].name: there is no scheduler called 'nobody'"),
    ],
)
def test_what_is_refused(given, message):
    with pytest.raises(InputError) as refused:
        parsed(sweep=given)
    assert str(refused.value).startswith(message)


def test_a_change_of_any_input_makes_another_run(tmp_path):
    (tmp_path / "mine.py").write_text("class Mine:\n    def score(self, pod, node): return 1\n")
    (tmp_path / "nodes.yaml").write_text(
        "{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: 8, memory: 8Gi, pods: 9}}}"
    )
    spec = {"cluster": {"file": "nodes.yaml"}, "schedulers": [{"name": "mine", "python": "mine:Mine"}, {"name": "LRP"}]}

    def digests(**changes):
        (scenario,) = parsed(tmp_path, **{**spec, **changes}).scenarios
        return dict(scenario.digests)

    before = digests()
    assert digests() == before
    assert digests(ties="exact")["mine"] != before["mine"]
    (tmp_path / "mine.py").write_text("class Mine:\n    def score(self, pod, node): return 2\n")
    assert digests()["mine"] != before["mine"]
    assert digests()["LRP"] == before["LRP"]
    (tmp_path / "nodes.yaml").write_text((tmp_path / "nodes.yaml").read_text().replace("8Gi", "9Gi"))
    assert digests()["LRP"] != before["LRP"]
