from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workloads.inputs import arrivals_of, generator_of, generators_of
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.workloads.generators.generators import Generator, Generators


def a_generator(kind: str = "burst", **fields: Any) -> Generator:
    return generator_of({"kind": kind, "pods": 4, **fields})


def times_of(generator: Generator | Generators, seed: int = 1) -> list[float]:
    return [arrival.time / SECOND for arrival in arrivals_of(generator, seed)]


@pytest.mark.parametrize(
    ("kind", "fields", "times"),
    [
        pytest.param("burst", {}, [0, 0, 0, 0], id="a burst comes at once"),
        pytest.param("burst", {"at": "1m"}, [60, 60, 60, 60], id="or later"),
        pytest.param("spaced", {"every": 10}, [0, 10, 20, 30], id="evenly spaced"),
        pytest.param("bursty", {"bursts": 2, "every": 30}, [0, 0, 30, 30], id="bursts share the pods"),
        pytest.param("bursty", {"bursts": 3, "every": 30}, [0, 0, 30, 60], id="the first takes what is left over"),
    ],
)
def test_when_pods_come(kind: str, fields: dict[str, Any], times: list[float]) -> None:
    assert times_of(a_generator(kind, **fields)) == times


def test_a_poisson_process_keeps_its_rate() -> None:
    times = times_of(a_generator("poisson", pods=10_000, rate=50))
    assert times[0] > 0
    assert times[-1] == pytest.approx(200, rel=0.05)


def test_a_burst_may_be_spread() -> None:
    times = times_of(a_generator("bursty", pods=100, bursts=1, every=60, spread=10))
    assert times[0] < 1
    assert 9 < times[-1] <= 10


@given(
    kind=st.sampled_from(
        [("poisson", {"rate": 2}), ("bursty", {"bursts": 3, "every": {"exponential": 5}, "spread": 9})]
    ),
    seed=st.integers(0, 2**32),
)
def test_time_never_runs_backwards_and_one_seed_is_one_workload(kind: tuple[str, dict[str, Any]], seed: int) -> None:
    generator = a_generator(kind[0], pods=30, **kind[1])
    times = times_of(generator, seed)
    assert times == sorted(times)
    assert len(times) == 30
    assert times == times_of(generator, seed)


def test_a_diurnal_process_keeps_its_rate_and_follows_the_day() -> None:
    times = times_of(a_generator("diurnal", pods=20_000, rate=0.1, swing=0.9, peak="12h"))
    assert times == sorted(times)
    assert times[-1] == pytest.approx(200_000, rel=0.05)
    noon = sum(6 <= time / 3600 % 24 < 18 for time in times if time < 172_800)
    night = sum(not 6 <= time / 3600 % 24 < 18 for time in times if time < 172_800)
    # the mean of 1 ± 0.9 cos over half a period is 1 ± 1.8 / π
    assert noon / night == pytest.approx((1 + 1.8 / 3.14159) / (1 - 1.8 / 3.14159), rel=0.1)


def test_heavy_tails_end_within_a_century() -> None:
    heavy = a_generator(pods=5000, duration={"pareto": {"least": "1h", "alpha": 1.01}})
    runs = [arrival.pod.behavior.duration for arrival in arrivals_of(heavy) if arrival.pod.behavior]
    assert min(run for run in runs if run is not None) >= 3600 * SECOND
    assert max(run for run in runs if run is not None) <= fields.LONGEST


def test_a_generator_can_be_sent_to_another_process() -> None:
    document = [{"kind": "poisson", "pods": 3, "rate": 1}, {"kind": "lublin", "jobs": 3}]
    generators = generators_of(document)
    again = pickle.loads(pickle.dumps(generators))
    assert again.description == "3 pods and 3 jobs from 2 generators"
    assert times_of(again) == times_of(generators)


def test_what_is_drawn_for_one_thing_does_not_shift_another() -> None:
    mixed = [{"cpu": 1}, {"cpu": 2}]
    few = a_generator("poisson", rate=1, duration=60)
    many = a_generator("poisson", rate=1, duration={"exponential": 60}, requests=mixed)
    assert times_of(few) == times_of(many)
    assert times_of(few, 1) != times_of(few, 2)


def test_pods_are_as_described() -> None:
    generator = a_generator(
        name="web",
        duration="2m",
        requests={"cpu": "500m", "memory": "1Gi", "nvidia.com/gpu": 1},
        labels={"app": "x"},
        priority=-5,
        schedulerName="mine",
        nodeSelector={"disk": "ssd"},
        tolerations=[{"operator": "Exists"}],
    )
    first, second, *_ = (arrival.pod for arrival in arrivals_of(generator))
    assert (first.name, second.name, first.labels) == ("web-0", "web-1", {"app": "x"})
    assert dict(first.spec.requests) == {"cpu": 500, "memory": 1 << 30, "nvidia.com/gpu": 1}
    assert (first.priority, first.scheduler_name) == (-5, "mine")
    assert first.spec.node_affinity.selector.matches({"disk": "ssd"})
    assert len(first.spec.tolerations.items) == 1
    assert first.behavior is not None
    assert first.behavior.duration == 120 * SECOND
    assert first.spec is second.spec
    assert generator.description == "4 pods from a burst generator"


def test_a_pod_without_a_duration_runs_for_ever() -> None:
    run = arrivals_of(a_generator())[0].pod.behavior
    assert run is not None
    assert run.duration is None


def test_choices_come_by_their_weight() -> None:
    requests = [{"weight": 3, "cpu": 1}, {"weight": 0, "cpu": 2}, {"cpu": 3}]
    pods = [arrival.pod for arrival in arrivals_of(a_generator(pods=4000, requests=requests))]
    counts = [sum(pod.spec.requests["cpu"] == cpu for pod in pods) for cpu in (1000, 2000, 3000)]
    assert counts[0] == pytest.approx(3000, abs=150)
    assert counts[1] == 0
    assert len({id(pod.spec) for pod in pods}) == 2


def test_generators_merge_in_time_and_draw_apart() -> None:
    burst = {"kind": "burst", "pods": 1, "at": 15}
    spaced = {"kind": "spaced", "pods": 3, "every": 10}
    merged = generators_of([spaced, burst, {**burst, "name": "late", "at": 20}])
    names = [arrival.pod.name for arrival in arrivals_of(merged)]
    assert names == ["spaced-0", "spaced-1", "burst-0", "spaced-2", "late-0"]
    assert merged.description == "5 pods from 3 generators"


def test_generators_need_names_of_their_own() -> None:
    with pytest.raises(InputError, match=r'generators\[1\].name: "burst" is the name of generators\[0\]'):
        generators_of([{"kind": "burst", "pods": 1}] * 2)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        pytest.param({"kind": "poison"}, "generator.kind: expected one of burst, spaced", id="no such kind"),
        pytest.param({"rate": 3}, "generator: unknown field 'rate'", id="a field of another kind"),
        pytest.param({"pods": 0}, "generator.pods: expected a whole number, 1 to 1000000000", id="no pods"),
        pytest.param({"kind": "poisson"}, "generator.rate: this field is required (number)", id="no rate"),
        pytest.param({"kind": "poisson", "rate": 0}, "generator.rate: expected pods per second", id="rate 0"),
        pytest.param({"kind": "spaced"}, "generator.every: this field is required (distribution)", id="no gap"),
        pytest.param({"kind": "bursty", "bursts": 5, "every": 1}, "generator.bursts", id="more bursts than pods"),
        pytest.param({"duration": {"exponental": 1}}, "generator.duration: expected a duration or one of", id="law"),
        pytest.param({"duration": 1e300}, "generator.duration: expected at most a century", id="an absurd duration"),
        pytest.param({"requests": {"cpus": 1}}, "generator.requests: unknown resource 'cpus'", id="a resource"),
        pytest.param({"requests": [{"cpu": "x"}]}, "generator.requests[0].cpu: 'x' is not", id="a choice"),
        pytest.param({"requests": [{"weight": 0}]}, "generator.requests: expected weights", id="no weight"),
        pytest.param({"kind": "diurnal", "rate": 1, "swing": 2}, "generator.swing: expected a share", id="swing"),
        pytest.param({"kind": "diurnal", "rate": 1, "period": 0}, "generator.period: expected a period", id="period"),
        pytest.param({"duration": {"pareto": {"least": 1, "alpha": 0}}}, "duration.pareto.alpha: expected", id="tail"),
        pytest.param({"duration": {"pareto": {"least": 1, "alpha": 1}}}, "at most a century on average", id="no mean"),
        pytest.param({"name": "A"}, "generator.name: expected lower-case letters", id="a bad name"),
        pytest.param({"priority": "high"}, "generator.priority: expected a whole number", id="a priority in words"),
        pytest.param({"tolerations": [{"operator": "In"}]}, "generator.tolerations[0].operator", id="a toleration"),
        pytest.param({"nodeSelector": {"a": 1}}, "generator.nodeSelector.a", id="a selector"),
    ],
)
def test_a_bad_generator_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        a_generator(**fields)
    assert message in str(caught.value)
