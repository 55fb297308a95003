"""The references are what the code says now, and their defaults are those of the readers."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
import yaml

from tests.support.paths import ROOT
from wavetank.experiments.document import fields as documentfields
from wavetank.experiments.document.experiment import API_VERSION, parse_experiment
from wavetank.workloads import documentfields as workloadfields
from wavetank.workloads.generators.draws import KINDS

GENERATED = runpy.run_path(str(ROOT / "scripts/generate_reference.py"))


@pytest.mark.parametrize("name", ["experiment.md", "command-line.md", "results.md"])
def test_a_committed_page_is_current(name):
    committed = (ROOT / "docs/reference" / name).read_text(encoding="utf-8")
    assert GENERATED["pages"]()[name] == committed, "run scripts/generate_reference.py"


def read(**changes):
    spec = {
        "cluster": {"nodes": [{"cpu": 1, "memory": "1Gi"}]},
        "workload": {"generator": {"kind": "burst", "pods": 1}},
    }
    return parse_experiment({"apiVersion": API_VERSION, "kind": "Experiment", "spec": {**spec, **changes}}, Path())


def written(table, **given):
    """Returns the fields whose defaults are values, with these."""
    values = {field.name: field.default for field in table.fields if field.name not in given}
    plain = {name: text for name, text in values.items() if text not in ("required", "none") and " " not in text[:2]}
    return {
        **given,
        **{name: yaml.safe_load(text) for name, text in plain.items() if " " not in text or text[0] in "[{"},
    }


def test_defaults_of_the_spec_change_nothing():
    bare = read()
    stated = written(documentfields.SPEC, cluster={"nodes": [{"cpu": 1, "memory": "1Gi"}]}, workload={})
    for name, value in stated.items():
        if name not in ("cluster", "workload"):
            assert str(getattr(read(**{name: value}), name, None)) == str(getattr(bare, name, None)), name


def test_defaults_of_a_group_of_nodes_change_nothing():
    group = written(workloadfields.NODE_GROUP, cpu=1, memory="1Gi")
    assert {"count", "name", "pods", "resources", "labels", "load"} <= group.keys()
    group.pop("taints")  # an empty list of them is refused as any empty list is
    assert read(cluster={"nodes": [group]}).cluster == read().cluster


def test_every_kind_of_generator_is_described():
    assert workloadfields.GENERATOR_KINDS.keys() == KINDS.keys()
