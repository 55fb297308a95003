"""The one table of Kubernetes releases."""

from __future__ import annotations

import ast

import pytest

from tests.support.paths import ROOT
from wavetank.cluster.releases import NEWEST, OLDEST, RELEASES, SERVED, Release, read_version
from wavetank.scheduling.config import default_configuration


def test_the_table_has_every_release_from_the_oldest_to_the_newest():
    assert [release.minor for release in RELEASES] == list(range(OLDEST[1], NEWEST[1] + 1))


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_every_release_has_a_default_configuration(release):
    assert default_configuration(release.version).profiles


def test_a_release_says_what_it_is_called():
    release = Release(40, patch=3)
    assert (release.version, release.name) == ((1, 40), "1.40")
    assert (release.number, release.tag, release.modules) == ("1.40.3", "v1.40.3", "v0.40.3")


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("1.35", (1, 35)),
        ("v1.35.8", (1, 35)),
        ("v1.36.0-rc.1", (1, 36)),
        ("v1.36.4+k3s1", (1, 36)),
        ("1.35.x", None),
        ("v1", None),
        ("", None),
    ],
)
def test_a_version_is_read(text, version):
    assert read_version(text) == version


def test_no_other_module_names_the_release_that_is_served():
    table = ROOT / "src/wavetank/cluster/releases.py"
    files = [file for file in (ROOT / "src/wavetank").rglob("*.py") if file != table]
    assert [str(file) for file in files if SERVED.number in " ".join(_texts(file.read_text()))] == []


def _texts(source: str) -> list[str]:
    """Returns the string constants of a module, without its docstrings."""
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return [node.value for node in constants if id(node) not in docstrings]
