"""`wavetank misim --fast` gives what the loop in Python gives, where it can."""

import json

import pytest
from click.testing import CliRunner

from wavetank.cli.commands.misim import command
from wavetank.errors import InputError


def architecture(**patterns):
    def service(name, calls):
        operations = [{"name": "do", "demand": 10, "dependencies": calls}]
        return {"name": name, "instances": 2, "capacity": 1000, "operations": operations, **patterns.get(name, {})}

    calls = [{"service": "back", "operation": "do", "probability": 0.3}]
    return {"microservices": [service("front", calls), service("back", [])]}


EXPERIMENT = {
    "simulation_metadata": {"experiment_name": "e", "model_name": "m", "duration": 200, "seed": 1},
    "request_generators": [
        {"type": "interval", "config": {"microservice": "front", "operation": "do", "interval": 1, "load": 50}}
    ],
}


@pytest.fixture
def run(tmp_path):
    def run(*options, patterns=None):
        (tmp_path / "a.json").write_text(json.dumps(architecture(**(patterns or {}))))
        (tmp_path / "e.json").write_text(json.dumps(EXPERIMENT))
        words = [str(tmp_path / "a.json"), str(tmp_path / "e.json"), "--lenient", "--json", *options]
        return CliRunner().invoke(command, words, catch_exceptions=False, standalone_mode=False)

    return run


def test_both_loops_agree(run):
    (slow,), (fast,) = json.loads(run().output), json.loads(run("--fast").output)
    assert fast["succeeded"] == pytest.approx(slow["succeeded"], abs=2)
    assert fast["failed"] == 0
    for figure in ("mean", "p50", "p95"):
        assert fast[figure] == pytest.approx(slow[figure], rel=0.02), figure


def test_what_the_compiled_loop_cannot_run_is_refused_by_name(run):
    retry = {"front": {"patterns": [{"type": "retry", "config": {}}]}}
    with pytest.raises(InputError, match="--fast: the compiled loop cannot run patterns of service 'front'"):
        run("--fast", patterns=retry)
    with pytest.raises(InputError, match="--fast: the compiled loop has the preset correct alone"):
        run("--fast", "--preset", "misim")
