"""Latency models fitted to real runs, and the error of simulations."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from statistics import fmean

import pytest

from tests.cli.commands import Wavetank, an_experiment
from wavetank.cli.options import read_latency
from wavetank.documents import reading
from wavetank.errors import InputError
from wavetank.realclusters.fitting.distributions import by_quantiles
from wavetank.realclusters.fitting.steps import Occupation, freed_gaps, read_steps
from wavetank.results.compare.accuracy import PodTimes

NAN = float("nan")


@pytest.mark.parametrize("seed", range(3))
def test_a_fitted_distribution_has_the_mean_and_the_tail_of_its_samples(seed: int) -> None:
    random = Random(seed)
    samples = [random.expovariate(10) for _ in range(400)]
    fitted = reading.distribution(by_quantiles(samples), "d")
    drawn = [fitted.sample(Random(i)) for i in range(4000)]
    assert fmean(drawn) == pytest.approx(fmean(samples), rel=0.1)
    assert max(drawn) <= max(samples) + 1e-6


@pytest.mark.parametrize(("samples", "fitted"), [([], 0), ([0.5] * 3, 0.5), ([0.2] * 50, 0.2), ([-0.1, 0.1], 0.05)])
def test_few_or_equal_samples_are_a_constant(samples: list[float], fitted: float) -> None:
    assert by_quantiles(samples) == fitted


def test_steps_are_in_real_seconds_whatever_the_speed() -> None:
    pods = {f"p{i}": PodTimes(f"p{i}", "n", 10.0 * i, 10 * i + 0.4, 10 * i + 1.0, 10 * i + 6.0) for i in range(12)}
    steps = read_steps(pods, dict.fromkeys(pods, 4.0), speed=10)
    assert steps.attempt == ()
    assert steps.bind == pytest.approx([0.04] * 12)
    assert steps.start == pytest.approx([0.06] * 12)
    assert steps.finish == pytest.approx([0.1] * 12)


def test_an_attempt_is_the_time_between_bindings_of_a_burst() -> None:
    pods = {f"p{i}": PodTimes("j", "n", 0.0, 0.002 * (i + 1) + 0.01, NAN, NAN) for i in range(20)}
    steps = read_steps(pods, {}, 1)
    assert steps.attempt == pytest.approx([0.002] * 19)
    assert min(steps.bind) == pytest.approx(0.01)


def test_a_freed_node_is_taken_by_a_pod_that_was_pending() -> None:
    jobs = [
        Occupation("n", 0.0, 0.0, 0.1, 10.0),
        Occupation("n", 5.0, 10.04, 10.1, 20.0),  # waited for the first
        Occupation("n", 19.5, 20.05, 20.1, 30.0),  # was not pending for long
        Occupation("n", 21.0, 32.0, 32.1, 40.0),  # waited for something else too
    ]
    assert list(freed_gaps(jobs, 0.1)) == pytest.approx([0.04])


def as_replay(out: Path, scheduler: str) -> None:
    """Makes results look like those of a replay, whose scheduler is called real."""
    facts = json.loads((out / "experiment.json").read_text())
    replay = {"server": "https://cluster", "context": "c", "namespace": "n", "speed": 1.0}
    (out / "experiment.json").write_text(json.dumps({**facts, "replay": replay}))
    (out / scheduler).rename(out / "real")
    summary = (out / "summary.csv").read_text().replace(f"\n{scheduler},", "\nreal,")
    (out / "summary.csv").write_text(summary)


@pytest.fixture
def real(wavetank: Wavetank, here: Path) -> str:
    """Returns the results of a simulation with latencies, which pass for those of a real cluster."""
    latency = {"bind": 0.02, "start": {"uniform": [0.4, 0.6]}, "finish": 0.1}
    pods = {"kind": "poisson", "pods": 60, "rate": 1, "duration": 20, "requests": {"cpu": 1}}
    experiment = an_experiment(here, workload={"generator": pods}, latency=latency)
    for out in ("real-1", "real-2"):
        assert wavetank("run", experiment, "--explain", "-o", out).status == 0
        as_replay(here / out, "default")
    return experiment


def test_the_error_of_a_simulation_is_stated(wavetank: Wavetank, here: Path, real: str) -> None:
    assert wavetank("run", real, "--latency", "ideal", "-o", "ideal").status == 0
    ended = wavetank("compare", "real-1", "ideal", "--json", "--html", "error.html")
    found = json.loads(ended.out)
    starts = found["measures"]["mean time from binding to start"]
    assert starts["real"] == pytest.approx(0.5, abs=0.05)
    assert starts["error"] == -1
    assert found["pods"] == {"matched": 60, "only_real": 0, "only_simulated": 0}
    assert found["jobs"][0]["off"] < 0
    assert "Pods finished over time" in (here / "error.html").read_text()
    shown = wavetank("compare", "real-1", "ideal", "--most", "2").out
    assert "How far the simulation is off" in shown


def test_a_model_that_is_fitted_to_runs_repeats_them(wavetank: Wavetank, here: Path, real: str) -> None:
    ended = wavetank("fit", "real-1", "real-2", "-o", "mine.yaml", "--json")
    assert ended.status == 0, ended.err
    for each in json.loads(ended.out)["validation"]:
        assert abs(each["makespan_error"]) < 0.03
        assert abs(each["mean_wait_error"]) < 0.05
    assert (here / "mine.yaml").read_text().startswith("attempt:")


def test_a_fitted_model_is_a_latency_of_commands(here: Path) -> None:
    (here / "mine.yaml").write_text("attempt: 0\nstart: {uniform: [0.4, 0.6]}\n")
    model = read_latency("mine.yaml")
    assert (model.name, model.nodes.start.mean()) == ("mine", 0.5)
    (here / "mine.yaml").write_text("begin: 1\n")
    with pytest.raises(InputError, match=r"mine\.yaml: unknown field"):
        read_latency("mine.yaml")
    with pytest.raises(InputError, match=r"unknown latency preset 'k4s'.* or a file"):
        read_latency("k4s")


def test_what_is_no_replay_cannot_be_fitted(wavetank: Wavetank, here: Path) -> None:
    assert wavetank("run", an_experiment(here), "-o", "out").status == 0
    ended = wavetank("fit", "out")
    assert (ended.status, ended.err.strip()) == (2, "out: these results are not of `wavetank replay`")
    ended = wavetank("compare", "out", "out", "--html", "page.html")
    assert ended.status == 2
