"""kubectl as its makers build it, from the Go module proxy; the build is cached outside of the repository."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "kubectl"
VERSION = "v1.35.8"

_FLAGS = {
    "k8s.io/component-base/version.gitVersion": VERSION,
    "k8s.io/component-base/version.gitMajor": "1",
    "k8s.io/component-base/version.gitMinor": "35",
    "k8s.io/client-go/pkg/version.gitVersion": VERSION,
}


def kubectl_binary() -> Path:
    """Returns kubectl, built if it is not there yet (a minute and a half of one core); skips where there is no Go."""
    if shutil.which("go") is None:
        pytest.skip("there is no Go on this machine to build kubectl with")
    version = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True).stdout.strip()
    if not re.match(r"go1\.(2[1-9]|[3-9]\d)", version):
        pytest.skip(f"{version or 'the Go of this machine'} is too old to build kubectl with: 1.21 fetches a newer one")
    digest = hashlib.sha256(b"".join((SOURCE / name).read_bytes() for name in ("go.mod", "main.go"))).hexdigest()[:12]
    folder = Path.home() / ".cache" / "wavetank" / f"kubectl-{VERSION}-{digest}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several processes of the tests may want it at once
        if not (folder / "kubectl").exists():
            _build(folder)
    return folder / "kubectl"


def _build(folder: Path) -> None:
    values = " ".join(f"-X {name}={value}" for name, value in _FLAGS.items())
    command = ["go", "build", "-trimpath", "-ldflags", f"-s -w {values}", "-o", str(folder / "new"), "."]
    environment = {**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-buildvcs=false -mod=readonly"}
    done = subprocess.run(command, cwd=SOURCE, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"kubectl was not built: {done.stderr[-2000:]}"
    (folder / "new").rename(folder / "kubectl")
