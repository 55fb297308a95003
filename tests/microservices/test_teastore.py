"""TeaStore with the real kube-scheduler in the loop and behind the adapter: placements of figure 4a."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.loop.realscheduler import find_kube_scheduler
from tests.support.paths import DATA, needs_shared
from wavetank.cli.options import read_scheduler
from wavetank.cluster.releases import NEWEST
from wavetank.microservices.engine.observer import Observer
from wavetank.microservices.misim.architecture import read_architecture
from wavetank.microservices.model.experiment import ServiceExperiment
from wavetank.microservices.model.rules import MISIM_ORCHESTRATION
from wavetank.microservices.orchestration.config import read_config
from wavetank.microservices.orchestration.run import run_orchestration
from wavetank.misimadapter.placer import KubePlacer
from wavetank.studies.teastore.picture import Chart, picture
from wavetank.studies.teastore.runs import POLICIES, place
from wavetank.studies.teastore.study import EU1, FIGURE_4A, RECORDED, SERVICES

INPUTS = DATA / "misim-orchestration"

pytestmark = needs_shared(INPUTS / "GlobalSchedulingDefault")


@pytest.mark.parametrize("policy", ["default", "most-allocated", "europe-only"])
def test_the_real_kube_scheduler_in_the_loop_places_the_same(policy: str, tmp_path: Path) -> None:
    find_kube_scheduler()
    placement = place(INPUTS, policy, tmp_path, real=True)
    assert tuple(placement[f"teastore-{each}"] for each in SERVICES) == FIGURE_4A[policy]


@pytest.mark.parametrize("policy", ["default", "europe-only"])
def test_behind_the_adapter_the_pods_are_placed_as_published(policy: str) -> None:
    """The published configuration says `scheduler: kube`: the pods go through the adapter, as with the Java program."""
    folder = INPUTS / POLICIES[policy][0]
    config = read_config(folder / "paper_orchestration_config.yaml")
    architecture = read_architecture(folder / "paper_architecture_model.json", MISIM_ORCHESTRATION, lenient=True)
    [scheduler] = folder.glob("paper-scheduler-config-*.yaml")
    placer = KubePlacer(config.manifests, read_scheduler(str(scheduler), NEWEST), NEWEST)
    experiment = ServiceExperiment(duration=2)
    last = run_orchestration(architecture, experiment, config, Observer(), 1, placer=placer)[-1]
    nodes = {name: node for node, pods in last.on_nodes.items() for name, number in pods.items() if number}
    assert tuple(nodes[f"teastore-{each}"] for each in SERVICES) == FIGURE_4A[policy]


def test_the_picture_has_all_services_and_operations() -> None:
    placement = {f"teastore-{service}": EU1 for service in SERVICES}
    means = {policy: {"index": 0.1, "loginAction_login": 0.02} for policy in FIGURE_4A}
    text = picture(Chart(dict.fromkeys(FIGURE_4A, placement), means, RECORDED, {"paper": 9.2, "ours": 1.0})).svg
    assert all(f">{word}<" in text for word in (*SERVICES, *FIGURE_4A, "index", "login", "9.2 s"))
