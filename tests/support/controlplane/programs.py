"""The unmodified programs of a control plane, built from the Go module proxy and cached outside of the repository.

`python tests/support/controlplane/programs.py` builds them (five minutes the first time). Tests do not build
them: they skip where the programs are missing.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from wavetank.cluster.releases import SERVED
from wavetank.loop.building.cache import Cache
from wavetank.loop.building.module import KUBERNETES, write_module
from wavetank.loop.building.toolchain import BuildError, find_toolchain

NAMES = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")
ETCD = "go.etcd.io/etcd/server/v3@v3.6.7"
_ETCD_MAIN = """package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
"""
BUILD = "python tests/support/controlplane/programs.py"


def folder() -> Path:
    """Returns the folder of the programs, which may not exist."""
    return Cache().folder / f"controlplane-{SERVED.tag}"


def find_programs() -> dict[str, Path]:
    """Returns the programs and etcd by name; skips the test if one is missing."""
    built = folder() / "etcd"
    etcd = str(built) if built.exists() else shutil.which("etcd")
    if etcd is None:
        pytest.skip(f"there is no etcd on this machine: {BUILD}, or apt-get install etcd-server")
    found = {name: folder() / name for name in NAMES}
    missing = [name for name, file in found.items() if not file.exists()]
    if missing:
        pytest.skip(f"{', '.join(missing)} {SERVED.tag} not built: {BUILD}")
    return {**found, "etcd": Path(etcd)}


def build() -> None:
    """Builds all programs, as a release does: without virtual time."""
    toolchain = find_toolchain()
    home = folder()
    home.mkdir(parents=True, exist_ok=True)
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        write_module(toolchain, SERVED.tag, home / "module")
        for name in NAMES:
            _build(toolchain.command, toolchain.environment, home, name)
        _build_etcd(toolchain.command, toolchain.environment, home)


def _build_etcd(command: str, environment: dict[str, str], home: Path) -> None:
    """Builds etcd: with that of Debian 12 kube-apiserver refuses watches that begin with the present objects."""
    module = home / "etcd-module"
    module.mkdir(exist_ok=True)
    (module / "go.mod").write_text("module etcd\n\ngo 1.24\n", encoding="utf-8")
    (module / "main.go").write_text(_ETCD_MAIN, encoding="utf-8")
    for arguments in (["get", ETCD], ["mod", "tidy"], ["build", "-trimpath", "-o", str(home / "etcd.new"), "."]):
        done = subprocess.run([command, *arguments], cwd=module, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise BuildError(f"etcd was not built: {done.stderr[-2000:]}")
    os.replace(home / "etcd.new", home / "etcd")


def _build(command: str, environment: dict[str, str], home: Path, name: str) -> None:
    base, client = "k8s.io/component-base/version", "k8s.io/client-go/pkg/version"
    _, minor, _ = SERVED.tag.split(".")
    values = {f"{base}.gitVersion": SERVED.tag, f"{base}.gitMajor": "1", f"{base}.gitMinor": minor}
    values[f"{client}.gitVersion"] = SERVED.tag
    flags = " ".join(["-s", "-w", *(f"-X {key}={value}" for key, value in values.items())])
    new = home / f"{name}.new"
    arguments = ["build", "-mod=mod", "-trimpath", f"-ldflags={flags}", "-o", str(new), f"{KUBERNETES}/cmd/{name}"]
    done = subprocess.run([command, *arguments], cwd=home / "module", env=environment, capture_output=True, text=True)
    if done.returncode:
        raise BuildError(f"{name} was not built: {done.stderr[-2000:]}")
    os.replace(new, home / name)


if __name__ == "__main__":
    build()
