"""Which tests there are, and which of them a simulated cluster can pass at all."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from conformance.building import Programs
from wavetank.errors import WavetankError

_INELIGIBLE = Path(__file__).parent / "ineligible.yaml"
_CONFORMANCE = "[Conformance]"


def list_tests(programs: Programs, focus: str | None, conformance: bool) -> list[str]:
    """Returns the names of all tests that match a regular expression, sorted; by default of conformance tests only."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = [str(programs.tests), "--ginkgo.dry-run", f"--ginkgo.focus={focus or re.escape(_CONFORMANCE)}"]
        done = subprocess.run(
            [*command, f"--ginkgo.json-report={report}"], cwd=folder, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise WavetankError(f"{programs.tests} failed: {(done.stdout + done.stderr).strip()[-500:]}")
        found = [name_of(spec) for spec in specs_of(report)]
    return sorted(name for name in found if not conformance or _CONFORMANCE in name)


def ineligible() -> dict[str, str]:
    """Returns the reason by the name of each conformance test that needs more than a simulated cluster has."""
    reasons: Mapping[str, Iterable[str]] = yaml.safe_load(_INELIGIBLE.read_text(encoding="utf-8"))
    return {name: reason for reason, names in reasons.items() for name in names}


def specs_of(report: Path) -> list[dict[str, Any]]:
    """Returns the tests in a report of Ginkgo's that were chosen; one that has skipped itself says why."""
    suites = json.loads(report.read_text(encoding="utf-8"))
    specs = [spec for suite in suites for spec in suite["SpecReports"] or () if spec["LeafNodeType"] == "It"]
    return [spec for spec in specs if spec["State"] not in ("skipped", "pending") or spec.get("Failure")]


def name_of(spec: Mapping[str, Any]) -> str:
    """Returns a test's name as Kubernetes lists it."""
    return " ".join([*(spec["ContainerHierarchyTexts"] or ()), spec["LeafNodeText"]])
