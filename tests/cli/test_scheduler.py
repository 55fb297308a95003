"""`wavetank scheduler`, and `process:` of an experiment as a user meets it."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.cli.commands import Wavetank, an_experiment, names_in
from tests.loop.programs import PUPPET
from wavetank.loop.building.cache import Cache, Program

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs run in the loop on Linux")


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Cache:
    """A cache with a program of each behaviour in it, under that name."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    cache = Cache()
    for behaviour in ("well", "exits"):
        file = folder / "new"
        file.write_text(f'#!/bin/sh\nexec {sys.executable} {PUPPET} {behaviour} "$@"\n')
        file.chmod(0o755)
        cache.keep(file, Program(behaviour, "v1.35.8", "go1.26.8", "example.com/puppet", str(file)))
    return cache


def test_the_list(wavetank: Wavetank, here: Path, cache: Cache) -> None:
    ended = wavetank("scheduler", "list")
    assert ended.status == 0
    lines = [line.split()[:3] for line in ended.out.splitlines() if "v1.35.8" in line]
    assert lines == [["exits", "v1.35.8", "go1.26.8"], ["well", "v1.35.8", "go1.26.8"]]


def test_the_list_says_which_programs_are_to_be_built_again(
    wavetank: Wavetank, here: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wavetank.loop.building.cache.clock_version", lambda: "another")
    assert wavetank("scheduler", "list").out.count("(build again)") == 2


def test_an_empty_list(wavetank: Wavetank, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(here / "none"))
    assert "none yet: wavetank scheduler build kube-scheduler" in wavetank("scheduler", "list").out


def test_a_go_that_is_not_there(wavetank: Wavetank, here: Path) -> None:
    ended = wavetank("scheduler", "build", "kube-scheduler", "--version", "v1.35.8", "--go", "/no/go")
    assert ended.status == 2
    assert ended.err.strip() == "there is no Go at '/no/go'"


def entry(name: str, **process: object) -> dict[str, object]:
    return {"name": name, "process": {"package": name, "version": "v1.35.8", **process}}


def test_a_program_in_an_experiment(wavetank: Wavetank, here: Path, cache: Cache) -> None:
    experiment = an_experiment(here, schedulers=[{"name": "default"}, entry("well")], kubernetesVersion="1.36")
    ended = wavetank("run", experiment, "-o", "out")
    assert ended.status == 0, ended.err
    assert "warning: well: well is v1.35.8, but kubernetesVersion is 1.36" in ended.err
    facts = json.loads((here / "out" / "experiment.json").read_text())
    assert "parallelism 16 → 1" in facts["schedulers"][1]["description"]
    assert (here / "out" / "well" / "seed-1" / "pods.csv").is_file()


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_program_that_fails(wavetank: Wavetank, here: Path, cache: Cache, jobs: str) -> None:
    experiment = an_experiment(here, schedulers=[{"name": "default"}, entry("exits")])
    ended = wavetank("run", experiment, "-o", "out", "--jobs", jobs, "--seeds", "1-2")
    assert ended.status == 3
    last = ended.err.splitlines()[-1]
    assert last.startswith(
        "exits/seed-1, exits/seed-2: scheduler exits has exited with status 4; its log ends: I do not like it here"
    )
    assert "Traceback" not in ended.err
    assert set(names_in(here / "out")) == {"default", "experiment.json", "report.html", "summary.csv", "wall.json"}


@pytest.mark.parametrize(
    ("process", "message"),
    [
        pytest.param(
            {"package": "x", "version": "v1.35.8"}, "process: x v1.35.8 is not built: wavetank sched", id="new"
        ),
        pytest.param(
            {"version": "v1.35.8"}, "process: expected one of package, binary, command, listen", id="no package"
        ),
        pytest.param({"package": "well"}, "process.package: expected its `version` as well", id="no version"),
        pytest.param(
            {"package": "well", "version": "1.35"}, "process.version: expected a Kubernetes version", id="short"
        ),
        pytest.param(
            {"package": "well", "version": "v1.35.8", "speed": 2}, "unknown field 'speed'", id="unknown field"
        ),
        pytest.param(
            {"package": "well", "version": "v1.35.8", "config": {"kind": "Pod"}},
            "process.config.apiVersion: expected kubescheduler.config.k8s.io/v1, got None",
            id="another kind",
        ),
        pytest.param(
            {"package": "well", "version": "v1.35.8", "config": "none.yaml"}, "none.yaml: no such file", id="no file"
        ),
    ],
)
def test_a_process_that_cannot_be(wavetank: Wavetank, here: Path, cache: Cache, process: object, message: str) -> None:
    experiment = an_experiment(here, schedulers=[{"name": "real", "process": process}])
    ended = wavetank("run", experiment, "-o", "out")
    assert ended.status == 2
    assert message in ended.err
    assert "spec.schedulers[0].process" in ended.err


def test_controllers_are_built_and_listed_in_the_same_way(wavetank: Wavetank, here: Path, cache: Cache) -> None:
    assert "well" in wavetank("controller", "list").out
    assert "wavetank controller build cluster-autoscaler --package" in wavetank("controller", "--help").out
    ended = wavetank("controller", "build", "mine", "--package", str(here / "nowhere"))
    assert ended.status == 2
    assert "expected a folder" in ended.err


@pytest.mark.skipif(shutil.which("go") is None, reason="needs a Go toolchain")
def test_a_folder_without_kubernetes_is_refused(wavetank: Wavetank, here: Path, cache: Cache) -> None:
    (here / "go.mod").write_text("module example.com/plain\n\ngo 1.25.0\n")
    ended = wavetank("controller", "build", "plain", "--package", str(here))
    assert ended.status == 2
    assert "its module does not use k8s.io/kubernetes or k8s.io/client-go" in ended.err
