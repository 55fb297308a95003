"""The go.mod of ours replaces Kubernetes' staging modules by their published versions."""

from __future__ import annotations

import pytest

from wavetank.loop.building import module
from wavetank.loop.building.toolchain import BuildError, Toolchain

RELEASED = """module k8s.io/kubernetes

go 1.25.0

godebug default=go1.25

replace (
\tk8s.io/api => ./staging/src/k8s.io/api
\tk8s.io/client-go => ./staging/src/k8s.io/client-go
)
"""
WANTED = """module wavetank/programs

go 1.25.0

godebug default=go1.25

require k8s.io/kubernetes v1.35.8

replace (
\tk8s.io/api => k8s.io/api v0.35.8
\tk8s.io/client-go => k8s.io/client-go v0.35.8
)
"""
GO = Toolchain("go", "go1.26.8", "/go")


def test_a_module_for_a_release(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "_released", lambda toolchain, version: RELEASED)
    module.write_module(GO, "v1.35.8", tmp_path)
    assert (tmp_path / "go.mod").read_text() == WANTED


def test_what_an_old_release_pins_is_pinned_and_mended(monkeypatch, tmp_path):
    pinned = "\tgolang.org/x/net => golang.org/x/net v0.1.0\n\tvbom.ml/util => vbom.ml/util v0.2.0\n)\n"
    old = RELEASED.replace("go 1.25.0\n\ngodebug default=go1.25", "go 1.15").replace(")\n", pinned)
    monkeypatch.setattr(module, "_released", lambda toolchain, version: old)
    module.write_module(GO, "v1.19.16", tmp_path)
    written = (tmp_path / "go.mod").read_text()
    assert "\tk8s.io/api => k8s.io/api v0.19.16\n" in written
    assert "\tgolang.org/x/net => golang.org/x/net v0.1.0\n" in written
    assert "\tvbom.ml/util => github.com/fvbommel/util " in written


def test_a_file_that_the_go_command_has_filled_is_left_alone(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "_released", lambda toolchain, version: RELEASED)
    module.write_module(GO, "v1.35.8", tmp_path)
    (tmp_path / "go.mod").write_text("filled")
    module.write_module(GO, "v1.35.8", tmp_path)
    assert (tmp_path / "go.mod").read_text() == "filled"


def test_another_module_is_required_too(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "_released", lambda toolchain, version: RELEASED)
    module.write_module(GO, "v1.35.8", tmp_path, ("sigs.k8s.io/scheduler-plugins", "v0.34.7"))
    assert "\nrequire sigs.k8s.io/scheduler-plugins v0.34.7\n" in (tmp_path / "go.mod").read_text()


def test_a_release_of_another_form(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "_released", lambda toolchain, version: "module x\n")
    with pytest.raises(BuildError, match="has an unknown form"):
        module.write_module(GO, "v1.35.8", tmp_path)
