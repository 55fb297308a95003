"""Other real schedulers: another release of Kubernetes, and one with plugins of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.loop.programs import a_loaded_cluster, an_experiment, placements, run_entry, told
from tests.loop.real.golden import Golden
from tests.loop.real.test_golden import GOLDEN, chosen
from tests.support.paths import EXAMPLES, needs_shared
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import read_experiment
from wavetank.kernel.durations import SECOND
from wavetank.loop.building.build import build_program
from wavetank.loop.building.cache import Cache
from wavetank.loop.building.module import write_module
from wavetank.loop.building.toolchain import find_toolchain
from wavetank.loop.processes.configuration import HEAD
from wavetank.verification import read_recording

pytestmark = pytest.mark.skipif(not os.environ.get("WAVETANK_ALL"), reason="needs other programs: make test-all")

NEXT = {"package": "kube-scheduler", "version": "v1.36.4"}
SEED_WITHOUT_RACES = 2  # no event arrives while a pod is tried, which makes the real one try it again at once
PLUGINS = {"package": "scheduler-plugins", "version": "v1.34.10"}


def needs(program):
    try:
        Cache().find(program["package"], program["version"])
    except InputError as error:
        pytest.skip(str(error))


OLDER = ("v1.19.16", "v1.23.17", "v1.27.8")


def older(version, **spec):
    """Returns an experiment with the built-in scheduler of a release and the real one."""
    program = {"package": "kube-scheduler", "version": version}
    needs(program)
    backoff = {**HEAD, "podInitialBackoffSeconds": 1, "podMaxBackoffSeconds": 1}
    schedulers = [{"name": "default", "config": backoff}, {"name": "real", "process": {**program, "config": backoff}}]
    return an_experiment(kubernetesVersion=version[1:5], schedulers=schedulers, ties="random", **spec)


@pytest.mark.parametrize("version", OLDER)
def test_older_kube_schedulers_try_pods_in_the_order_and_at_the_instants_of_the_built_in_one(version):
    """One node: nothing but the queue decides. A pod that never fits keeps the program's timers in step with ours."""
    small = {"kind": "poisson", "rate": 0.2, "pods": 24, "duration": {"uniform": [5, 35]}}
    sizes = [{"cpu": "700m"}, {"cpu": "1100m"}, {"cpu": "1900m"}, {"cpu": "2300m"}, {"cpu": "3700m"}]
    generators = [
        {"name": "stuck", "kind": "burst", "pods": 1, "requests": {"cpu": 50}},
        {"name": "small", "requests": sizes, **small},
    ]
    experiment = older(
        version,
        cluster={"nodes": [{"cpu": 6, "memory": "16Gi"}]},
        workload={"generators": generators},
        horizon=1500,
    )
    built_in, real = (placements(run_entry(experiment, number, seed=SEED_WITHOUT_RACES)) for number in (0, 1))
    assert built_in == real


@pytest.mark.parametrize("version", OLDER)
def test_every_node_that_an_older_kube_scheduler_takes_has_the_highest_score_here(version, monkeypatch):
    """Among equal scores it draws one at random, and so the built-in one follows it there."""
    sizes = [(6, 16), (7, 23), (9, 31), (11, 13), (13, 47)]
    nodes = [{"name": f"n{i}", "cpu": cpu, "memory": f"{memory}Gi"} for i, (cpu, memory) in enumerate(sizes)]
    requests = [{"cpu": "300m", "memory": "1Gi"}, {"cpu": "700m", "memory": "3Gi"}, {"cpu": "1100m"}, {"memory": "2Gi"}]
    generator = {"kind": "poisson", "rate": 0.5, "pods": 120, "duration": {"uniform": [5, 35]}, "requests": requests}
    experiment = older(version, cluster={"nodes": nodes}, workload={"generator": generator})
    taken = {row.name: row.node for row in run_entry(experiment, 1).rows}
    followed = []

    def follow(cycle, outcome, ties):
        names = [cycle.name_of(slot) for slot in outcome.feasible]
        place = names.index(taken[cycle.pod.name])
        assert outcome.totals[place] == outcome.totals.max(), (cycle.pod.name, names, outcome.totals)
        followed.append(cycle.pod.name)
        return place

    monkeypatch.setattr("wavetank.scheduling.framework.cycle.cycle.Cycle._choose", follow)
    monkeypatch.setattr("wavetank.scheduling.framework.cycle.cycle.fast_path_plugins", lambda cycle: None)
    assert {row.name: row.node for row in run_entry(experiment, 0).rows} == taken
    assert len(followed) > 100


def test_kube_scheduler_1_36_decides_as_the_built_in_one():
    needs(NEXT)
    schedulers = [{"name": "default"}, {"name": "real", "process": NEXT}]
    experiment = an_experiment(kubernetesVersion="1.36", schedulers=schedulers, **a_loaded_cluster())
    built_in, real = (placements(run_entry(experiment, number)) for number in (0, 1))
    assert built_in == real


@needs_shared(GOLDEN)
def test_recorded_scenarios_of_1_36():
    needs(NEXT)
    mismatches = []
    for file in chosen("v1.36", 40):
        golden = Golden(read_recording(file))
        golden.play()
        mismatches.extend(golden.mismatches)
    assert not mismatches


def test_scheduler_plugins_with_a_plugin_of_its_own():
    needs(PLUGINS)
    profile = {
        "plugins": {
            "multiPoint": {"disabled": [{"name": "NodeResourcesFit"}]},
            "score": {"enabled": [{"name": "NodeResourcesAllocatable", "weight": 100}]},
            "filter": {"enabled": [{"name": "NodeResourcesFit"}]},
            "preFilter": {"enabled": [{"name": "NodeResourcesFit"}]},
        },
        "pluginConfig": [
            {
                "name": "NodeResourcesAllocatable",
                "args": {"mode": "Least", "resources": [{"name": "cpu", "weight": 1}]},
            }
        ],
    }
    config = {**HEAD, "profiles": [profile]}
    experiment = an_experiment(
        kubernetesVersion="1.34",
        cluster={"nodes": [{"count": 2, "cpu": 16, "memory": "8Gi"}, {"name": "small", "cpu": 4, "memory": "8Gi"}]},
        schedulers=[{"name": "plugins", "process": {**PLUGINS, "config": config}}],
    )
    recorder = run_entry(experiment)
    assert {row.node for row in recorder.rows} == {"small-0"}
    assert told(run_entry(experiment).rows) == told(recorder.rows)


def test_scheduler_plugins_starts_groups_of_pods_together():
    """The second group waits for the timer of pods that no event wakes: its plugin does not register for ended pods."""
    needs(PLUGINS)
    experiment = read_experiment(EXAMPLES / "gang-scheduling" / "experiment.yaml")
    starts = {}
    for row in run_entry(experiment, 1).rows:
        starts.setdefault(row.name.partition("-")[0], set()).add(round(row.scheduled / SECOND, 3))
    assert starts == {"red": {10}, "blue": {330}}


def test_a_scheduler_of_ones_own_from_a_folder(tmp_path):
    """Its module is ours for kube-scheduler under another name, filled in as a user's would be."""
    if shutil.which("go") is None:
        pytest.skip("needs a Go toolchain")
    toolchain, folder = find_toolchain(), tmp_path / "late"
    shutil.copytree(Path(__file__).with_name("late"), folder)
    write_module(toolchain, "v1.35.8", tmp_path)
    fill = [toolchain.command, "list", "-mod=mod", "-deps", "./late"]
    subprocess.run(fill, cwd=tmp_path, env=toolchain.environment, check=True, capture_output=True)
    program = build_program(toolchain, "late", None, str(folder), Cache(), lambda what, packages: None)
    assert program.version == "v1.35.8"
    config = {**HEAD, "profiles": [{"plugins": {"permit": {"enabled": [{"name": "Late"}]}}}]}
    process = {"package": "late", "version": "v1.35.8", "config": config}
    recorder = run_entry(an_experiment(schedulers=[{"name": "late", "process": process}]))
    assert [round(row.scheduled / SECOND, 3) for row in recorder.rows] == [2, 2, 2]
