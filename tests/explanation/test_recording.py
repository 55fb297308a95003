from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

from tests.explanation.clusters import wavetank, write
from tests.support.objects import pod_manifest
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import parse_experiment
from wavetank.experiments.document.structures.spec import API_VERSION, KIND
from wavetank.results.attempts.explanation import explain_attempt, key_of
from wavetank.results.attempts.reading import RecordedAttempts, read_recorded
from wavetank.results.attempts.recorder import KEPT_BEST, KEPT_WORST, AttemptRecorder
from wavetank.results.layout import ATTEMPTS
from wavetank.simulation.simulation import Simulation

PODS = 60


def an_experiment(nodes=8, pods=PODS, **spec):
    """A cluster that is too small, with taints, zones and priorities: attempts of every outcome."""
    half = {"cpu": 4, "memory": "8Gi"}
    tainted = {**half, "count": nodes // 4, "name": "gpu", "taints": [{"key": "gpu", "effect": "NoSchedule"}]}
    generator = {
        "kind": "poisson",
        "pods": pods,
        "rate": 2,
        "duration": {"exponential": 40},
        "requests": [{"cpu": cpu, "memory": "1Gi"} for cpu in ("500m", "1", "2500m", "3")],
    }
    document = {
        "cluster": {"nodes": [{**half, "count": nodes - nodes // 4, "zone": ["a", "b"]}, tainted]},
        "workload": {"generator": generator},
        **spec,
    }
    head = {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": "recorded"}}
    return {**head, "spec": document}


class Witness:
    """Explains every attempt at the moment, and has it recorded as well."""

    def __init__(self, path, keep):
        self.told = {}
        self._recorder = AttemptRecorder(path, keep)

    def __call__(self, time, pod, outcome, cycle):
        attempts = self.told.setdefault(key_of(pod), [])
        attempts.append(replace(explain_attempt(pod, outcome, cycle, len(attempts) + 1), time=time))
        self._recorder(time, pod, outcome, cycle)

    def close(self):
        self._recorder.close()


def witnessed(path, keep, **changes):
    experiment = parse_experiment(an_experiment(**changes), Path.cwd())
    witness = Witness(path, keep)
    Simulation(experiment.setting(experiment.schedulers[0]), 1, explain=witness).run()
    witness.close()
    return witness.told


@pytest.mark.parametrize("scheduler", ["default", "best-fit"])
def test_what_was_recorded_in_full_is_read_back_as_it_was(tmp_path, scheduler):
    told = witnessed(tmp_path / ATTEMPTS, "all", schedulers=[{"name": scheduler}])
    recorded = RecordedAttempts(tmp_path / ATTEMPTS)
    assert {word for attempts in told.values() for word in (attempt.outcome for attempt in attempts)} == {
        "bound",
        "unschedulable",
    }
    for pod, attempts in told.items():
        assert recorded.of(pod) == [replace(attempt, victims=list(attempt.victims)) for attempt in attempts]


def test_only_the_best_and_the_worst_nodes_are_kept_but_all_are_counted(tmp_path):
    told = witnessed(tmp_path / ATTEMPTS, "best", nodes=120, pods=300)
    recorded = RecordedAttempts(tmp_path / ATTEMPTS)
    pairs = [pair for pod in told for pair in zip(told[pod], recorded.of(pod), strict=True)]
    assert any(len(got.feasible) < got.feasible_count for _, got in pairs)
    for expected, got in pairs:
        assert (got.feasible_count, got.candidate_count) == (expected.feasible_count, expected.candidate_count)
        assert (got.refusals, got.filtered, got.chosen) == (expected.refusals, {}, expected.chosen)
        assert sorted(got.totals.values()) == kept_of(sorted(expected.totals.values()))
        assert got.totals.items() <= expected.totals.items()
        assert all(scores.items() <= expected.scores[plugin].items() for plugin, scores in got.scores.items())
        assert got.chosen is None or got.chosen in got.candidates


def kept_of(ascending):
    many = len(ascending) > KEPT_BEST + KEPT_WORST
    return [*ascending[:KEPT_WORST], *ascending[-KEPT_BEST:]] if many else ascending


def test_a_preemption_is_recorded_with_its_victims(tmp_path):
    arrival = {"wavetank.dev/arrival": "10s"}
    low, high = pod_manifest("low", cpu="4"), pod_manifest("high", cpu="4", priority=9)
    high["metadata"]["annotations"] = arrival
    write(tmp_path / "pods.json", low, high)
    out = run(tmp_path, "--explain", cluster={"nodes": [{"cpu": 4, "memory": "8Gi"}]}, workload={"file": "pods.json"})
    first, *_, last = read_recorded(out, "high")
    assert (first.outcome, first.nominated, first.victims) == ("nominated", "node-0", ["default/low"])
    assert (last.outcome, last.chosen) == ("bound", "node-0")
    assert first.message == "0/1 nodes are available: 1 Insufficient cpu."


def test_an_attempt_costs_few_bytes_however_large_the_cluster(tmp_path):
    told = witnessed(tmp_path / ATTEMPTS, "best", nodes=1000, pods=1000)
    attempts = sum(map(len, told.values()))
    assert (tmp_path / ATTEMPTS).stat().st_size / attempts < 250


def run(folder, *args, **changes):
    path = folder / "experiment.json"
    path.write_text(json.dumps(an_experiment(**changes)))
    done = wavetank("run", path, "-o", folder / "out", "--jobs", 1, *args)
    assert done.status == 0, done.stderr
    return folder / "out"


def test_a_run_is_recorded_on_demand_and_not_changed_by_it(tmp_path):
    (tmp_path / "plain").mkdir()
    plain, explained = run(tmp_path / "plain"), run(tmp_path, "--explain")
    assert not (plain / "default/seed-1" / ATTEMPTS).exists()
    assert (explained / "default/seed-1" / ATTEMPTS).exists()
    for table in ("pods.csv", "utilization.csv"):
        assert (plain / "default/seed-1" / table).read_bytes() == (explained / "default/seed-1" / table).read_bytes()


def test_the_same_run_writes_the_same_bytes(tmp_path):
    (tmp_path / "again").mkdir()
    first, again = run(tmp_path, "--explain-all"), run(tmp_path / "again", "--explain-all")
    assert (first / "default/seed-1" / ATTEMPTS).read_bytes() == (again / "default/seed-1" / ATTEMPTS).read_bytes()


def test_explain_prints_the_attempts_of_a_run(tmp_path):
    out = run(tmp_path, "--explain", seeds=[1, 2])
    with (out / "default/seed-2/pods.csv").open() as file:
        pods = list(csv.DictReader(file))
    done = wavetank("explain", out, pods[0]["name"], "--seed", 2, "-o", "json")
    assert (done.status, done.stderr) == (0, "")
    last = json.loads(done.stdout)["pods"][-1]
    assert (last["chosen"], last["time_s"]) == (pods[0]["node"], float(pods[0]["scheduled"]))
    printed = wavetank("explain", out / "default/seed-2", f"default/{pods[0]['name']}").stdout
    assert f"default/{pods[0]['name']}: bound to {pods[0]['node']} (attempt 1 at " in printed


def test_numpy_opens_the_file(tmp_path):
    told = witnessed(tmp_path / ATTEMPTS, "best")
    with np.load(tmp_path / ATTEMPTS) as arrays:
        assert len(arrays["0/pod"]) == sum(map(len, told.values()))
        assert arrays["0/scores"].dtype == np.int16


def test_which_run_is_meant_must_be_clear(tmp_path):
    out = run(tmp_path, "--explain", seeds=[1, 2])
    labels = "default/seed-1, default/seed-2"
    for args, problem in (((), "more than one run"), (("--seed", 3), "no such run")):
        done = wavetank("explain", out, "p", *args)
        expected = f"{out}: {problem}: choose one by --scheduler and --seed: {labels}\n"
        assert (done.status, done.stdout, done.stderr) == (2, "", expected)


def test_a_pod_that_was_never_tried(tmp_path):
    out = run(tmp_path, "--explain")
    done = wavetank("explain", out, "nobody")
    place = out / "default/seed-1" / ATTEMPTS
    assert (done.status, done.stderr) == (2, f"{place}: no attempt at pod 'default/nobody' was recorded\n")


def test_a_run_without_a_recording(tmp_path):
    out = run(tmp_path)
    done = wavetank("explain", out, "poisson-0")
    problem = "no attempts were recorded: run it with --explain"
    assert (done.status, done.stderr) == (2, f"{out / 'default/seed-1'}: {problem}\n")


def spoil_index(path):
    with ZipFile(path, "w") as file:
        file.writestr("index.json", '{"format": "other"}')


def remove_index(path):
    with ZipFile(path, "w") as file:
        file.writestr("0/pod.npy", b"")


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda path: path.write_bytes(b"text"), id="another file"),
        pytest.param(lambda path: path.write_bytes(path.read_bytes()[:-99]), id="cut off"),
        pytest.param(remove_index, id="no index"),
        pytest.param(spoil_index, id="another format"),
    ],
)
def test_a_damaged_recording(tmp_path, spoil):
    out = run(tmp_path, "--explain", pods=3)
    spoil(out / "default/seed-1" / ATTEMPTS)
    with pytest.raises(InputError, match="not a recording of attempts"):
        read_recorded(out, "poisson-0")
