"""Real controllers in the loop, beside built-in or real schedulers: a small autoscaler that was written for this."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.loop.programs import REAL, a_puppet, an_experiment, run_entry, told
from tests.loop.realscheduler import find_kube_scheduler
from wavetank.errors import InputError
from wavetank.experiments.document.controllers import Controllers
from wavetank.experiments.document.experiment import Experiment
from wavetank.loop.building.build import build_program
from wavetank.loop.building.cache import Cache
from wavetank.loop.building.toolchain import BuildError, find_toolchain
from wavetank.loop.errors import ProcessError
from wavetank.loop.processes.definition import ControllerDefinition
from wavetank.simulation.observer import Observer
from wavetank.simulation.simulation import Simulation

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs run in the loop on Linux")

SCALER = Path(__file__).with_name("scaler")
GROUP = {"name": "pool", "max": 10, "initial": 1, "cpu": 4, "memory": "8Gi", "boot": "60s"}
PODS = {"kind": "poisson", "pods": 20, "rate": 0.2, "duration": 300, "requests": [{"cpu": 1, "memory": "1Gi"}]}


@pytest.fixture(scope="module")
def scaler() -> None:
    """Finds the autoscaler in the cache or builds it, which takes minutes the first time; else skips."""
    try:
        Cache().find("scaler", "v1.35.8")
        return
    except InputError:
        if shutil.which("go") is None:
            pytest.skip("the autoscaler of this test is not built, and there is no go command")
    try:
        build_program(find_toolchain(), "scaler", None, str(SCALER), Cache(), lambda what, packages: None)
    except BuildError as error:
        if "cannot download" not in str(error) and "dial tcp" not in str(error):
            raise
        pytest.skip(f"the autoscaler of this test is not built, and Go's module proxy cannot be reached: {error}")


class Sizes(Observer):
    """Notes the number of nodes of the group at each change, with its second."""

    def __init__(self) -> None:
        self.sizes: list[tuple[int, int]] = []

    def join(self, context: Any) -> None:
        """Watches nodes."""

        def note(_: object) -> None:
            names = [node.name for node in context.store.list("Node") if node.name.startswith("pool")]
            self.sizes.append((round(context.clock.now / 10**9), len(names)))

        context.store.subscribe("Node", added=note, deleted=note)


def scaled(controllers: list[object] | None = None, **spec: Any) -> Experiment:
    program = {"name": "scaler", "process": {"version": "v1.35.8", "args": ["--deployment=pool", "--max=8"]}}
    usual = {
        "cluster": {"nodes": [{"name": "control", "cpu": "100m", "memory": "1Gi"}]},
        "workload": {"generator": PODS},
        "nodeGroups": [GROUP],
        "controllers": controllers or [program],
        "schedulers": [{"name": "default"}],
        "horizon": "20m",
    }
    return an_experiment(**{**usual, **spec})


@pytest.mark.usefixtures("scaler")
def test_it_sizes_a_group_of_machines_through_the_scale_subresource() -> None:
    experiment, sizes = scaled(), Sizes()
    Simulation(experiment.setting(experiment.schedulers[0]), 1, [sizes]).run()
    assert max(size for _, size in sizes.sizes) == 5
    assert sizes.sizes[-1][1] == 0
    assert all(time % 10 == 0 for time, size in sizes.sizes)  # its scan interval, and the boot time


@pytest.mark.usefixtures("scaler")
def test_a_repeated_run_is_the_same_beside_a_built_in_and_a_real_scheduler() -> None:
    find_kube_scheduler()
    for scheduler in ({"name": "default"}, {"name": "real", "process": REAL}):
        runs = [told(run_entry(scaled(schedulers=[scheduler])).rows) for _ in range(2)]
        assert runs[0] == runs[1]
        assert all(row[3] is not None for row in runs[0])


def test_a_controller_that_ends_is_named(tmp_path: Path) -> None:
    puppet = a_puppet(tmp_path, "exits")
    broken = ControllerDefinition("broken", "puppet", "v1.35.8", puppet.file)
    experiment = an_experiment(schedulers=[{"name": "default"}])
    setting = experiment.setting(experiment.schedulers[0])
    changed = type(setting)(**{**vars(setting), "programs": (broken,)})
    with pytest.raises(ProcessError, match="controller broken has exited with status") as caught:
        Simulation(changed, 1).run()
    assert caught.value.exit_status == 3


@pytest.mark.parametrize(
    ("controllers", "message"),
    [
        pytest.param(
            [{"name": "nowhere", "process": {"version": "v1.35.8"}}],
            r"spec.controllers\[0\].process: nowhere v1.35.8 is not built: wavetank controller build nowhere",
            id="not built",
        ),
        pytest.param(
            [{"name": "x", "process": {"version": "new"}}],
            r"spec.controllers\[0\].process.version: expected a Kubernetes version",
            id="no release",
        ),
        pytest.param([{"name": "x"}], r"spec.controllers\[0\].process: this field is required", id="no program"),
        pytest.param(["*", "jobs"], "unknown controller", id="an unknown built-in controller"),
    ],
)
def test_a_controller_that_cannot_be_started_is_refused(controllers: list[object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        scaled(controllers)


def test_built_in_controllers_are_selected_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cache, "find", lambda *_: ControllerDefinition("x", "x", "v1.35.8", "/x"))
    program = {"name": "x", "process": {"version": "v1.35.8", "kubeconfig": "environment"}}
    made: Controllers = scaled(["*", "-job-controller", program]).controllers
    assert "job-controller" not in made.names
    assert "deployment-controller" in made.names
    assert [each.has_flag for each in made.programs] == [False]
    assert made.description == "x v1.35.8, the real program in virtual time"
