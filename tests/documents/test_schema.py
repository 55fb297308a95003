"""The JSON Schemas that `wavetank schema` prints accept what loads, and refuse what is refused.

Every document that any test reads is compared as well: see tests/support/schemas.py.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from jsonschema import Draft7Validator

from tests.cli.commands import a_document
from tests.support.paths import ROOT
from tests.support.schemas import problems, validator
from wavetank.cli.main import cli
from wavetank.experiments.document.structures.spec import API_VERSION, ExperimentDocument
from wavetank.sweeps.spec import SweepDocument

STRUCTURES = {"experiment": ExperimentDocument, "sweep": SweepDocument}
EXAMPLES = sorted(ROOT.glob("examples/*/experiment.yaml"))
PAGES = [*sorted(ROOT.glob("docs/**/*.md")), ROOT / "README.md"]


def documents_of(page: Path) -> list[Any]:
    blocks = re.findall(r"^```yaml\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    read = [yaml.safe_load(block) for block in blocks if f"apiVersion: {API_VERSION}" in block and "…" not in block]
    return [each for each in read if {"cluster", "workload"} <= each["spec"].keys()]


@pytest.mark.parametrize("name", STRUCTURES)
def test_a_schema_is_valid_and_printed(name: str) -> None:
    printed = CliRunner().invoke(cli, ["schema", name])
    schema = json.loads(printed.stdout)
    Draft7Validator.check_schema(schema)
    assert schema["definitions"] == validator(STRUCTURES[name]).schema["definitions"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_examples_are_accepted(path: Path) -> None:
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert problems(SweepDocument, document) == []
    if "sweep" not in document["spec"]:
        assert problems(ExperimentDocument, document) == []


def test_documents_of_the_docs_are_accepted() -> None:
    found = {page.name: documents_of(page) for page in PAGES}
    assert sum(map(len, found.values())) > 5
    for page, documents in found.items():
        for document in documents:
            assert problems(SweepDocument, document) == [], page


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"clutser": {}}, "$.spec"),
        ({"cluster": {"options": {}}}, "$.spec.cluster"),
        ({"cluster": {"nodes": [{"cpu": 1}]}}, "$.spec.cluster.nodes[0]"),
        ({"cluster": {"nodes": [{"cpu": "x", "memory": 1}]}}, "$.spec.cluster.nodes[0].cpu"),
        ({"workload": {"file": "a", "files": ["b"]}}, "$.spec.workload"),
        ({"workload": {"generator": {"kind": "burst", "pods": 0}}}, "$.spec.workload.generator.pods"),
        ({"workload": {"generator": {"kind": "burst", "pods": 1, "rate": 1}}}, "$.spec.workload.generator"),
        ({"schedulers": [{"name": "x", "config": {}, "policy": "y"}]}, "$.spec.schedulers[0]"),
        ({"schedulers": [{"name": "x", "args": {}}]}, "$.spec.schedulers[0]"),
        ({"latency": {"strat": 1}}, "$.spec.latency"),
        ({"latency": "k4s"}, "$.spec.latency"),
        ({"faults": [{"fail": "n"}]}, "$.spec.faults[0]"),
        ({"faults": [{"at": 1}]}, "$.spec.faults[0]"),
        ({"kubernetesVersion": "1.2"}, "$.spec.kubernetesVersion"),
        ({"seeds": [1, 1]}, "$.spec.seeds"),
        ({"sweep": {}}, "$.spec"),
    ],
    ids=str,
)
def test_the_place_of_a_mistake_is_told(spec: dict[str, Any], path: str) -> None:
    assert any(problem.startswith(f"{path}: ") for problem in problems(ExperimentDocument, a_document(**spec)))
