"""Power models, switching nodes, and what a run makes of them."""

import json

import pytest

import wavetank
from tests.experiments.trials import a_batsim_workload
from wavetank.cluster.fields.power import POWER, read_power
from wavetank.errors import InputError
from wavetank.workloads.nodepower import PowerSpec


def model(cores=4, **fields):
    return read_power(PowerSpec.read(fields, "power").annotation(), cores)


@pytest.mark.parametrize(
    ("fields", "watts"),
    [
        pytest.param({"idle": 100, "full": 200}, [100, 125, 150, 200], id="linear"),
        pytest.param({"idle": 100, "full": 200, "shape": "sqrt"}, [100, 150, 170.710678, 200], id="sqrt"),
        pytest.param({"idle": 100, "full": 200, "shape": "square"}, [100, 106.25, 125, 200], id="square"),
        pytest.param({"idle": 100, "full": 200, "shape": "cubic"}, [100, 101.5625, 112.5, 200], id="cubic"),
        pytest.param({"idle": 100, "perCore": 20}, [100, 120, 140, 180], id="per core"),
        pytest.param({"table": [100, 180, 200]}, [100, 140, 180, 200], id="a table"),
    ],
)
def test_watts_by_utilization(fields, watts):
    assert [model(**fields).watts(share) for share in (0, 0.25, 0.5, 1)] == pytest.approx(watts)
    assert model(**fields).watts(1.7) == pytest.approx(watts[-1])


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({}, "idle with either full or perCore"),
        ({"idle": 1, "full": 2, "perCore": 3}, "idle with either full or perCore"),
        ({"idle": 5, "full": 2}, "power.full: 2 W in use are less than 5 W idle"),
        ({"table": [5, 2]}, "power.table: watts fall"),
        ({"table": [1, 2], "idle": 1}, "not both"),
        ({"idle": -1, "full": 2}, "power.idle"),
        ({"idle": 1, "full": 2, "shape": "odd"}, "power.shape"),
        ({"idle": 1, "perCore": 2, "shape": "cubic"}, "rise linearly"),
    ],
)
def test_impossible_models_are_refused(fields, problem):
    with pytest.raises(InputError, match=problem):
        PowerSpec.read(fields, "power")


@pytest.mark.parametrize("annotation", ["", "{", "[]", '{"idle": "x"}', '{"shape": "odd", "idle": 1}'])
def test_annotations_that_are_no_model_are_refused(annotation):
    with pytest.raises(InputError, match=POWER):
        read_power(annotation, 1)


def test_energy_computed_by_hand():
    """Two nodes of 4 cores, one pod of 2 cores for 100 s: 100 s × (150 W + 100 W)."""
    results = run([{"pods": 1, "duration": 100, "kind": "burst", "requests": {"cpu": 2}}])
    row = results.summary(frame="rows")[0]
    assert joules_of(results) == pytest.approx(25_000, rel=1e-4)
    assert row["mean_power_w"] == pytest.approx(250)
    assert row["energy_per_finished_pod_j"] == pytest.approx(25_000, rel=1e-6)


def test_a_job_consumes_what_its_nodes_do_while_it_runs():
    """As Batsim counts it: with the idle power of its node, 150 W, but not of the other, 100 W."""
    results = run([{"pods": 1, "duration": 100, "kind": "burst", "requests": {"cpu": 2}}])
    (job,) = results.jobs("default", 1, frame="rows")
    assert job["consumed_energy"] == pytest.approx(15_000, rel=1e-6)
    schedule = (results.folder / "default/seed-1/schedule.csv").read_text().splitlines()
    total = dict(zip(*(line.split(",") for line in schedule), strict=True))["consumed_joules"]
    assert float(total) == pytest.approx(25_000, rel=1e-6)


def test_a_node_counts_once_for_a_job_of_several_pods(tmp_path):
    """Two pods of one core on a node of four: 150 W for 5 s; then two such jobs at once, 200 W for 5 s."""
    jobs = [{"id": "a", "res": 2}, {"id": "b", "res": 2, "subtime": 10}, {"id": "c", "res": 2, "subtime": 10}]
    workload = tmp_path / a_batsim_workload(tmp_path / "jobs.json", *jobs)["file"]
    nodes = [{"cpu": 4, "memory": "8Gi", "power": {"idle": 100, "full": 200}}]
    results = wavetank.run(cluster={"nodes": nodes}, workload=workload)
    found = {job["job_id"]: job["consumed_energy"] for job in results.jobs("default", 1, frame="rows")}
    assert found == pytest.approx({"a": 750, "b": 1000, "c": 1000}, rel=1e-6)


def test_jobs_on_nodes_without_a_power_model_have_no_energy():
    burst = {"kind": "burst", "pods": 1, "duration": 10, "requests": {"cpu": 1}}
    results = wavetank.run(cluster={"nodes": [{"cpu": 4, "memory": "8Gi"}]}, workload={"generator": burst})
    assert [job["consumed_energy"] for job in results.jobs("default", 1, frame="rows")] == [-1]


def run(generators, saving=None, scheduler="default", **power):
    nodes = [{"count": 2, "cpu": 4, "memory": "8Gi", "power": {"idle": 100, "full": 200, **power}}]
    spec = {
        "cluster": {"nodes": nodes},
        "workload": {"generators": generators},
        "schedulers": [scheduler if isinstance(scheduler, dict) else {"name": scheduler}],
        **({"powerSaving": saving} if saving else {}),
    }
    return wavetank.run({"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment", "spec": spec})


LATER = [{"pods": 2, "every": 1000, "duration": 100, "kind": "spaced", "requests": {"cpu": 4}}]


def test_empty_nodes_are_switched_off_and_on_again_for_pending_pods():
    """Off after 60 s, 10 s to shut down at 50 W, 5 W in standby, 20 s to boot at 150 W."""
    switching = {"shutdown": {"time": 10, "energy": 500}, "boot": {"time": 20, "energy": 3000}, "standby": 5}
    results = run(LATER, {"offAfter": "60s"}, **switching)
    pods = results.pods("default", 1, frame="rows")
    assert [pod["started"] for pod in pods] == [0, 1020]
    # one node is off from 70 s on, the other from 170 s on; one of them until 1,000 s, the other to the end at 1,120 s
    running, empty, standby = 2 * 100 * 200, 2 * 60 * 100, (1000 + 1120 - 70 - 170) * 5
    assert joules_of(results) == pytest.approx(running + empty + 2 * 500 + standby + 3000, rel=1e-4)


def joules_of(results):
    return results.summary(frame="rows")[0]["energy_kwh"] * 3.6e6


def test_spare_nodes_stay_on():
    pods = run(LATER, {"offAfter": "60s", "spare": 2}).pods("default", 1, frame="rows")
    assert [pod["started"] for pod in pods] == [0, 1000]


class Lazy(wavetank.Policy):
    """Switches the second node off at the first pod, and on at the second."""

    seen = 0

    def filter_nodes(self, pod, nodes):
        self.seen += 1
        assert self.power.off("node-1") if self.seen == 1 else self.power.on("node-1")
        return [name == "node-0" for name in nodes.names]


def test_a_policy_switches_nodes():
    results = wavetank.run(
        cluster={"nodes": [{"count": 2, "cpu": 4, "memory": "8Gi", "power": {"idle": 100, "full": 200}}]},
        workload={"generator": {"kind": "spaced", "every": 50, "pods": 2, "duration": 100, "requests": {"cpu": 1}}},
        schedulers=[Lazy],
        jobs=1,
    )
    assert joules_of(results) == pytest.approx(50 * 125 + 50 * 150 + 50 * 125 + 100 * 100, rel=1e-4)


def test_saving_power_needs_a_model():
    document = {"cluster": {"nodes": [{"cpu": 1, "memory": "1Gi"}]}, "powerSaving": {}}
    spec = {**document, "workload": {"generator": {"pods": 1, "kind": "burst"}}}
    with pytest.raises(InputError, match=r"spec\.powerSaving: no node has a power model"):
        wavetank.run({"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment", "spec": spec})


def test_the_annotation_is_what_a_node_of_a_manifest_may_have():
    assert json.loads(PowerSpec.read({"idle": 1, "full": 2, "standby": 3}, "").annotation()) == {
        "idle": 1,
        "full": 2,
        "standby": 3,
    }
