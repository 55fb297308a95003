from __future__ import annotations

import gzip
import itertools
import math
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import pytest

from tests.support.paths import shared_data
from tests.workloads.inputs import arrivals_of, generator_of
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.workloads.generators.generators import Generator
from wavetank.workloads.generators.lublin import TYPES, Lublin, ModelJob


def jobs_of(model: Lublin, number: int, seed: int = 1) -> list[ModelJob]:
    return list(itertools.islice(model.jobs(Random(seed)), number))


@pytest.mark.parametrize("kind", TYPES)
def test_sizes_are_as_published(kind: str) -> None:
    parameters = TYPES[kind]
    sizes = [job.processors for job in jobs_of(Lublin(parameters), 20_000)]
    serial = sum(size == 1 for size in sizes) / len(sizes)
    assert serial == pytest.approx(parameters.serial_prob, abs=0.05)  # 2^0.8 and such may round to 1 as well
    assert max(sizes) <= round(2**parameters.uhi)
    powers = sum(size & (size - 1) == 0 for size in sizes) / len(sizes)
    assert powers >= parameters.serial_prob + parameters.pow2_prob - 0.02


def test_run_times_are_the_mixture_of_two_gammas() -> None:
    p = TYPES["all"]
    logs = [math.log(job.runs) for job in jobs_of(Lublin(p, 1), 40_000)]
    first = p.pa + p.pb
    expected = first * p.a1 * p.b1 + (1 - first) * p.a2 * p.b2
    assert fmean(logs) == pytest.approx(expected, rel=0.02)  # few are beyond exp(12) and drawn again
    assert max(logs) <= 12


def test_arrivals_follow_the_day() -> None:
    jobs = jobs_of(Lublin(TYPES["all"]), 50_000)
    assert all(before.submitted <= after.submitted for before, after in itertools.pairwise(jobs))
    hours = [int(job.submitted // 3600 % 24) for job in jobs]
    counts = [hours.count(hour) for hour in range(24)]
    assert 10 <= counts.index(max(counts)) <= 17  # the working day
    assert 2 <= counts.index(min(counts)) <= 7
    assert max(counts) > 4 * min(counts)


def test_a_machine_has_its_own_largest_job() -> None:
    sizes = [job.processors for job in jobs_of(Lublin(TYPES["all"], 1000), 20_000)]
    assert 512 <= max(sizes) <= 1000


def a_generator(**fields: Any) -> Generator:
    return generator_of({"kind": "lublin", "jobs": 50, **fields})


def test_jobs_become_pods_that_run_together() -> None:
    arrivals = arrivals_of(a_generator(processors=16, requests={"cpu": 2}, name="hpc"))
    jobs = {id(arrival.pod.behavior.job): arrival.pod.behavior.job for arrival in arrivals if arrival.pod.behavior}
    assert len(jobs) == 50
    assert sum(job.size for job in jobs.values() if job) == len(arrivals)
    assert dict(arrivals[0].pod.requests) == {"cpu": 2000}
    assert len({arrival.pod.name for arrival in arrivals}) == len(arrivals)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        pytest.param({"jobs": 0}, "generator.jobs: expected a whole number, 1 to 1000000000", id="no jobs"),
        pytest.param({"pods": 3}, "generator: unknown field 'pods'", id="pods"),
        pytest.param({"type": "web"}, "generator.type: expected one of all, batch, interactive", id="type"),
        pytest.param({"parameters": {"a3": 1}}, "generator.parameters: unknown field 'a3'", id="no such parameter"),
        pytest.param({"parameters": {"a1": 0}}, "generator.parameters.a1: expected a number above 0", id="zero"),
        pytest.param({"parameters": {"a1": 100}}, "the mean logarithm of run times (a1 · b1) is 94", id="forever"),
        pytest.param({"parameters": {"ulow": 9}}, "generator.parameters: expected ulow ≤ umed", id="sizes"),
    ],
)
def test_a_bad_model_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        a_generator(**fields)
    assert message in str(caught.value)


def fitted(folder: Path, **fields: Any) -> Generator:
    return generator_of({"kind": "fitted", "jobs": 200, "file": "pods.csv", **fields}, folder)


def test_a_fitted_generator_draws_from_the_trace(tmp_path: Path) -> None:
    (tmp_path / "pods.csv").write_text("name,arrival_s,duration_s,cpu_milli\na,0,10,100\nb,5,20,200\nc,12,10,100\n")
    arrivals = arrivals_of(fitted(tmp_path))
    times = [arrival.time // SECOND for arrival in arrivals]
    bodies = {
        (arrival.pod.behavior.duration // SECOND, arrival.pod.requests["cpu"])
        for arrival in arrivals
        if arrival.pod.behavior and arrival.pod.behavior.duration
    }
    assert len(arrivals) == 200
    assert {after - before for before, after in itertools.pairwise(times)} == {5, 7}
    assert bodies == {(10, 100), (20, 200)}


def test_a_fitted_generator_keeps_the_means_of_a_real_trace() -> None:
    file = shared_data("swf/NASA-iPSC-1993-3.1-cln.swf.gz")
    trace = [line.split() for line in _lines(file)]
    drawn = arrivals_of(generator_of({"kind": "fitted", "jobs": 20_000, "file": str(file)}))
    sizes = {
        arrival.pod.behavior.job.id: arrival.pod.behavior.job.size for arrival in drawn if arrival.pod.behavior.job
    }  # type: ignore[union-attr]
    assert fmean(sizes.values()) == pytest.approx(fmean(int(fields[4]) for fields in trace), rel=0.05)


def _lines(path: Path) -> list[str]:
    return [line for line in gzip.decompress(path.read_bytes()).decode().splitlines() if not line.startswith(";")]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        pytest.param({"file": "gone.csv"}, "generator.file: ", id="no such file"),
        pytest.param({"file": 3}, "generator.file: expected a text", id="no name"),
        pytest.param({"file": "one.csv"}, "fewer than two jobs", id="too short a trace"),
    ],
)
def test_a_bad_trace_is_refused(tmp_path: Path, fields: dict[str, Any], message: str) -> None:
    (tmp_path / "one.csv").write_text("name,arrival_s\na,0\n")
    with pytest.raises(InputError) as caught:
        fitted(tmp_path, **fields)
    assert message in str(caught.value)
