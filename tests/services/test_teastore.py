"""The TeaStore study: placements of figure 4a, and the order of response times."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType

import pytest

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
def study() -> ModuleType:
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
