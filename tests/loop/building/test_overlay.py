"""The overlay is computed from a toolchain's own sources, and refuses those that it does not know."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from wavetank.loop.building.edits import EDITED
from wavetank.loop.building.overlay import make_overlay, write_overlay
from wavetank.loop.building.toolchain import BuildError, Toolchain, find_toolchain

needs_go = pytest.mark.skipif(shutil.which("go") is None, reason="needs a Go toolchain")


@pytest.fixture
def toolchain() -> Toolchain:
    return find_toolchain()


@needs_go
def test_every_edit_fits_exactly_once(toolchain):
    made = make_overlay(toolchain)
    assert set(EDITED) < set(made)
    assert "virtualPark()" in made["runtime/proc.go"]
    assert "dialVirtual" in made["net/tcpsock_posix.go"]


@needs_go
def test_the_same_toolchain_gives_the_same_files(toolchain, tmp_path):
    """The contents are part of Go's cache key: files that change between builds would compile everything again."""
    first, second = (write_overlay(toolchain, tmp_path) for _ in range(2))
    assert first == second
    replaced = json.loads(first.read_text())["Replace"]
    assert all(Path(file).is_file() for file in replaced.values())
    assert f"{toolchain.root}/src/runtime/proc.go" in replaced


@pytest.mark.parametrize("name", ["go1.23.12", "go1.28.0", "devel"])
def test_an_unknown_release_is_refused_with_those_that_are_known(name, tmp_path):
    with pytest.raises(BuildError, match=r"known for Go 1\.24 to 1\.27 .* give another with --go"):
        make_overlay(Toolchain("go", name, str(tmp_path)))


@needs_go
def test_a_runtime_that_was_changed_is_refused(toolchain, tmp_path):
    for place in EDITED:
        copy = tmp_path / "src" / place
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(toolchain.root, "src", place), copy)
    file = tmp_path / "src" / "runtime" / "sema.go"
    file.write_text(file.read_text().replace("internal_sync_nanotime", "other"))
    with pytest.raises(BuildError, match=r"runtime/sema.go: 'func internal_sync_nanotime.* is there 0 times"):
        make_overlay(Toolchain("go", toolchain.name, str(tmp_path)))


def test_a_command_that_is_not_there():
    with pytest.raises(BuildError, match="there is no Go at '/no/such/go'"):
        find_toolchain("/no/such/go")


@needs_go
def test_the_go_sources_of_ours_are_formatted(tmp_path):
    folder = ROOT / "src" / "wavetank" / "loop" / "building" / "gosources"
    gofmt = Path(find_toolchain().root, "bin", "gofmt")
    assert subprocess.run([gofmt, "-l", folder], capture_output=True, text=True).stdout == ""
