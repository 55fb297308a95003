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
BUILD = "python tests/support/controlplane/programs.py"


def folder() -> Path:
    """Returns the folder of the programs, which may not exist."""
    return Cache().folder / f"controlplane-{SERVED.tag}"


def find_programs() -> dict[str, Path]:
    """Returns the programs and etcd by name; skips the test if one is missing."""
    etcd = shutil.which("etcd")
    if etcd is None:
        pytest.skip("there is no etcd on this machine (Debian: apt-get install etcd-server)")
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
