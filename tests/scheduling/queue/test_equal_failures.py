"""Equal pods that wait stand in line; a scheduler that is watched tries each of them. Both must come to the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from wavetank.experiments.document.experiment import parse_experiment
from wavetank.experiments.document.structures.spec import API_VERSION
from wavetank.experiments.recording import make_recorder
from wavetank.simulation.simulation import Simulation

KINDS = st.lists(
    st.fixed_dictionaries(
        {
            "kind": st.just("poisson"),
            "pods": st.integers(5, 60),
            "rate": st.sampled_from([0.5, 2, 20]),
            "duration": st.sampled_from([7, {"exponential": 20}, {"uniform": [1, 60]}]),
            "requests": st.sampled_from([{"cpu": 1}, {"cpu": 2, "memory": "1Gi"}, {"cpu": "500m"}]),
            "priority": st.sampled_from([0, 0, 0, 10]),
        }
    ),
    min_size=1,
    max_size=3,
)
FAULTS = st.lists(st.sampled_from(["drain", "cordon", "fail"]), max_size=2)


def document(kinds: list[dict[str, Any]], faults: list[str], version: str) -> dict[str, Any]:
    generators = [{**kind, "name": f"g{i}"} for i, kind in enumerate(kinds)]
    return {
        "apiVersion": API_VERSION,
        "kind": "Experiment",
        "spec": {
            "cluster": {"nodes": [{"count": 2, "cpu": 2, "memory": "4Gi"}]},
            "workload": {"generators": generators},
            "faults": [{"at": 20 + 30 * i, fault: "node-0", "for": 15} for i, fault in enumerate(faults)],
            "kubernetesVersion": version,
            "horizon": 4000,
        },
    }


def outcome_of(spec: dict[str, Any], watched: bool) -> tuple[int, list[tuple[Any, ...]]]:
    experiment = parse_experiment(spec, Path.cwd())
    setting = experiment.setting(experiment.schedulers[0])
    recorder = make_recorder(setting)
    simulation = Simulation(setting, 1, (recorder,), (lambda *attempt: None) if watched else None)
    simulation.run()
    told = [(row.name, row.scheduled, row.node, row.finished, row.message) for row in recorder.rows]
    return simulation.attempts, told


@settings(max_examples=40, deadline=None)
@given(KINDS, FAULTS, st.sampled_from(["1.29", "1.36"]))
def test_joining_equal_failures_changes_nothing(kinds: list[dict[str, Any]], faults: list[str], version: str) -> None:
    spec = document(kinds, faults, version)
    assert outcome_of(spec, watched=False) == outcome_of(spec, watched=True)
