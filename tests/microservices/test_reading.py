"""Readers of MiSim's files: strict unless lenient, and every message names its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.microservices.builders import a_service, an_architecture, an_operation
from wavetank.errors import InputError
from wavetank.microservices.misim.architecture import parse_architecture
from wavetank.microservices.misim.experiment import ExperimentReader
from wavetank.microservices.misim.fields import quantity
from wavetank.microservices.misim.profile import read_profile
from wavetank.microservices.misim.scenario import ScenarioReader
from wavetank.microservices.model.actions import InjectDelay, KillInstances, StartInstances
from wavetank.microservices.model.rules import CORRECT, MISIM


@pytest.mark.parametrize(
    ("service", "message"),
    [
        pytest.param(
            {"name": "a", "patterns": [{"type": "retry", "config": {"maxTries": 3}}]},
            "microservices[0].patterns[0].config.maxTries: unknown field (did you mean max_tries?)",
            id="camel case",
        ),
        pytest.param(
            a_service("a", [an_operation("x", 1, "b.y")]),
            "microservices[0].operations[0].dependencies[0].operation: no such service: 'b'",
            id="unknown service",
        ),
        pytest.param(
            a_service("a", [an_operation("x", -1)]),
            "microservices[0].operations[0].demand: expected a number, 0 or more, got -1",
            id="negative demand",
        ),
        pytest.param(
            a_service(
                "a", [an_operation("x", 1), {"name": "y", "dependencies": [{"operation": "x", "probability": 2}]}]
            ),
            "microservices[0].operations[1].dependencies[0].probability: expected a probability from 0 to 1, got 2",
            id="probability above 1",
        ),
        pytest.param(
            a_service("a", [an_operation("x", 1, "a.y"), an_operation("y", 1, "a.x")]),
            "microservices: a cycle of calls: a.x -> a.y -> a.x",
            id="cycle",
        ),
        pytest.param(
            a_service("a", [], loadbalancer_strategy="rnd"),
            "microservices[0].loadbalancer_strategy: unknown load balancer 'rnd'",
            id="unknown balancer",
        ),
    ],
)
def test_a_bad_architecture_is_refused(service: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_architecture({"microservices": [service]}, CORRECT)
    assert str(refused.value).startswith(message)


def test_lenient_reading_ignores_unknown_fields_as_misim_does() -> None:
    service = {"name": "a", "patterns": [{"type": "retry", "config": {"maxTries": 3}}], "extra": 1}
    read = parse_architecture({"microservices": [service]}, MISIM, lenient=True)
    assert read.services[0].retry is not None
    assert read.services[0].retry.tries == 5


@pytest.mark.parametrize(
    ("text", "below_first", "mean"),
    [
        (0.5, True, 0.5),
        ("0.5", True, 0.5),
        ("0.5+-0.1", True, 0.5),
        ("1+0.2-0.4", True, 1.0798),
        ("1+0.2-0.4", False, 0.9202),
    ],
)
def test_quantities(text: Any, below_first: bool, mean: float) -> None:
    assert quantity("", text, below_first).mean() == pytest.approx(mean, abs=1e-4)


def test_a_profile_is_rounded_half_up_sorted_and_cleaned(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("3;2.5\n1,0.4\n\n2,1\n-1,5\n")
    assert read_profile(tmp_path / "p.csv") == ((2.0, 1), (3.0, 3))


def test_a_malformed_profile_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("1,1\n1,2,3\n")
    with pytest.raises(InputError, match=r"p\.csv: line 2: expected `time,requests`"):
        read_profile(tmp_path / "p.csv")


def _scenario(tmp_path: Path, stimulus: str, rules: Any) -> Any:
    (tmp_path / "p.csv").write_text("1,1\n")
    architecture = an_architecture(a_service("a", [an_operation()]), a_service("b", [an_operation()]))
    reader = ScenarioReader(ExperimentReader(architecture, rules, (tmp_path,), lenient=False))
    return reader.parse({"name": "s", "duration": 10, "artifact": "a", "component": "a.x", "stimulus": stimulus})


@pytest.mark.parametrize(
    ("stimulus", "action"),
    [
        ("LOAD p.csv AND KILL@5", KillInstances(5, "a", None, goes_last=True)),
        ("LOAD~ p.csv AND KILL b 2@3", KillInstances(3, "b", 2, goes_last=True)),
        ("LOAD p.csv AND KILL b @40", KillInstances(40, "b", None, goes_last=True)),
        ("LOAD p.csv AND START b 1@130", StartInstances(130, "b", 1)),
        ("LOAD p.csv AND START 2@3.5", StartInstances(3.5, "a", 2)),
        ("LOAD p.csv AND DELAY 0.5 ~60@90", InjectDelay(90, "a", quantity("", 0.5, False), 60)),
    ],
)
def test_a_stimulus_is_read(tmp_path: Path, stimulus: str, action: Any) -> None:
    read = _scenario(tmp_path, stimulus, CORRECT)
    assert list(read.actions) == [action]
    assert len(read.generators) == 1


@pytest.mark.parametrize(
    "stimulus", ["LOAD p.csv AND LOAD p.csv", "LOAD p.csv AND DELAY 1~2@3", "LOAD p.csv AND KILL@3.5"]
)
def test_misim_runs_what_it_cannot_read_as_an_empty_experiment(tmp_path: Path, stimulus: str) -> None:
    assert not _scenario(tmp_path, stimulus, MISIM).generators
    assert _scenario(tmp_path, stimulus, CORRECT).generators


def test_an_unreadable_stimulus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="stimulus: expected LOAD, KILL, START or DELAY, got 'BURN'"):
        _scenario(tmp_path, "BURN", CORRECT)
