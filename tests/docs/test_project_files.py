"""Files for people who find the project: how to cite it, how to report problems, how to run it in a container."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import subprocess
import sys
import tomllib

import click
import pytest
import yaml

from tests.support.paths import ROOT
from wavetank.cli.main import cli
from wavetank.version import __version__

TEMPLATES = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))


def test_the_citation_is_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == __version__
    assert {"cff-version", "message", "title", "authors", "license"} <= citation.keys()


@pytest.mark.parametrize("path", TEMPLATES, ids=[path.name for path in TEMPLATES])
def test_issue_templates_are_forms_with_labels_and_names(path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    if path.name == "config.yml":
        assert form == {"blank_issues_enabled": True}
        return
    assert {"name", "description", "body"} <= form.keys()
    assert all(each["attributes"]["label"] for each in form["body"])


def test_the_container_copies_files_that_exist_and_starts_a_command_that_exists():
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    copied = [name for line in re.findall(r"^COPY (.*)$", text, re.M) for name in line.split()[:-1]]
    assert copied
    assert all((ROOT / name).exists() for name in copied)
    entry = yaml.safe_load(re.search(r"^ENTRYPOINT (.*)$", text, re.M)[1])
    serve = cli.get_command(click.Context(cli), entry[1])
    serve.make_context("serve", entry[2:])
    examples = re.findall(r"podman run .* wavetank (--.*)$", text, re.M)
    for example in examples:
        serve.make_context("serve", [*entry[2:], *shlex.split(example)])


def test_every_dependency_has_a_lower_and_an_upper_bound():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [each for name, extra in project["optional-dependencies"].items() if name != "all" for each in extra]
    assert [
        each for each in (*project["dependencies"], *extras) if not re.match(r"[\w.-]+>=[\d.]+,<[\d.]+", each)
    ] == []


def test_the_bill_of_materials_lists_each_package_once_with_what_it_needs(tmp_path):
    wheel, out = tmp_path / "w.whl", tmp_path / "w.cdx.json"
    wheel.write_bytes(b"wheel")
    command = [sys.executable, str(ROOT / "scripts/write_sbom.py"), str(wheel), str(out)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    bill = json.loads(out.read_text(encoding="utf-8"))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    own = bill["metadata"]["component"]
    assert own["hashes"] == [{"alg": "SHA-256", "content": hashlib.sha256(b"wheel").hexdigest()}]
    assert {"click", "numpy", "numba", "llvmlite"} <= {each["name"] for each in bill["components"]}
    refs = [each["bom-ref"] for each in (own, *bill["components"])]
    assert sorted(refs) == sorted(set(refs)) == sorted(each["ref"] for each in bill["dependencies"])
    assert {ref for each in bill["dependencies"] for ref in each["dependsOn"]} <= set(refs)
