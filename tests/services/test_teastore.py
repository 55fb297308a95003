"""The TeaStore study: placements of figure 4a, and the order of response times."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.loop.realscheduler import find_kube_scheduler
from wavetank.cli.options import read_scheduler
from wavetank.cluster.releases import NEWEST
from wavetank.misimadapter.placer import KubePlacer
from wavetank.services.engine.observer import Observer
from wavetank.services.misim.architecture import read_architecture
from wavetank.services.model.experiment import ServiceExperiment
from wavetank.services.model.rules import MISIM_ORCHESTRATION
from wavetank.services.orchestration.config import read_config
from wavetank.services.orchestration.run import run_orchestration

INPUTS = Path(os.environ.get("WAVETANK_SHARED", "")) / "data" / "misim-orchestration"
SCRIPT = Path(__file__).parents[2] / "examples" / "teastore-study" / "study.py"

pytestmark = pytest.mark.skipif(
    not (INPUTS / "GlobalSchedulingDefault").is_dir(), reason="WAVETANK_SHARED does not point to the study's inputs"
)

EU1, EU2, US = "worker-1-eu-west", "worker-2-eu-west", "worker-us-central1"
ASIA, BRAZIL = "worker-asia-southeast1", "worker-southamerica-east1"
SERVICES = ("db", "registry", "persistence", "auth", "image", "recommender", "webui")
FIGURE_4A = {
    "default": (EU1, ASIA, BRAZIL, EU2, US, EU1, EU2),
    "most-allocated": (US, US, US, US, EU2, EU2, EU2),
    "europe-only": (EU1, EU2, EU1, EU2, EU1, EU2, EU1),
}


@pytest.fixture(scope="module")
def study() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SCRIPT.parent))
        yield _load()
        sys.modules.pop("picture", None)  # other studies have a module of that name


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("teastore_study", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_study_places_and_responds_as_published(study: ModuleType) -> None:
    means = {}
    for policy, (name, strategy) in study.POLICIES.items():
        placement = study.place(INPUTS / name, strategy)
        assert tuple(placement[f"teastore-{each}"] for each in SERVICES) == FIGURE_4A[policy]
        means[policy] = study.respond(INPUTS / name, placement)
    overall = {policy: sum(each.values()) for policy, each in means.items()}
    assert overall["default"] > overall["most-allocated"] > overall["europe-only"]
    assert means["most-allocated"]["loginAction_logout"] > means["default"]["loginAction_logout"]


@pytest.mark.parametrize("policy", ["default", "most-allocated", "europe-only"])
def test_the_real_kube_scheduler_in_the_loop_places_the_same(study: ModuleType, policy: str) -> None:
    find_kube_scheduler()
    name, strategy = study.POLICIES[policy]
    placement = study.place(INPUTS / name, strategy, real=True)
    assert tuple(placement[f"teastore-{each}"] for each in SERVICES) == FIGURE_4A[policy]


@pytest.mark.parametrize("policy", ["default", "europe-only"])
def test_behind_the_adapter_the_pods_are_placed_as_published(study: ModuleType, policy: str) -> None:
    """The published configuration says `scheduler: kube`: the pods go through the adapter, as with the Java program."""
    folder = INPUTS / study.POLICIES[policy][0]
    config = read_config(folder / "paper_orchestration_config.yaml")
    architecture = read_architecture(folder / "paper_architecture_model.json", MISIM_ORCHESTRATION, lenient=True)
    [scheduler] = folder.glob("paper-scheduler-config-*.yaml")
    placer = KubePlacer(config.manifests, read_scheduler(str(scheduler), NEWEST), NEWEST)
    experiment = ServiceExperiment(duration=2)
    last = run_orchestration(architecture, experiment, config, Observer(), 1, placer=placer)[-1]
    nodes = {name: node for node, pods in last.on_nodes.items() for name, number in pods.items() if number}
    assert tuple(nodes[f"teastore-{each}"] for each in SERVICES) == FIGURE_4A[policy]


def test_the_picture_has_all_services_and_operations(study: ModuleType, tmp_path: Path) -> None:
    placement = {f"teastore-{service}": EU1 for service in SERVICES}
    means = {policy: {"index": 0.1, "loginAction_login": 0.02} for policy in FIGURE_4A}
    chart = study.Chart(dict.fromkeys(FIGURE_4A, placement), means, study.RECORDED, {"paper": 9.2, "ours": 1.0})
    study.write_picture(tmp_path / "picture.svg", chart)
    text = (tmp_path / "picture.svg").read_text()
    assert all(f">{word}<" in text for word in (*SERVICES, *FIGURE_4A, "index", "login", "9.2 s"))
