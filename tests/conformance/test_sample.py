"""A few quick conformance tests of Kubernetes; `make conformance` runs all of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.building import find_programs

SCRIPT = Path(__file__).parents[2] / "scripts" / "run_conformance.py"
SAMPLE = (
    "should have at least two untainted nodes",
    "should find the server version",
    "Events should manage the lifecycle of an event",
    "should run through a ConfigMap lifecycle",
    "should support RuntimeClasses API operations",
    "should support CSR API operations",
)


def test_a_served_cluster_passes_a_sample_of_the_conformance_tests(tmp_path):
    if find_programs() is None:
        pytest.skip("the tests of Kubernetes are not built: make conformance builds them")
    command = [sys.executable, SCRIPT, "--focus", "|".join(SAMPLE), "--lanes", "1", "-o", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(SAMPLE)}/{len(SAMPLE)}, {len(SAMPLE)} passed" in done.stdout
