"""What generators of data read: Go modules of Kubernetes, and recordings of real components."""

from __future__ import annotations

import json
import os
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
RELEASE = "1.35.8"  # of Kubernetes: the one that the API server is like, and the recordings of it are of


@cache
def go_module(name: str) -> Path:
    """Returns the folder of k8s.io/NAME at RELEASE, downloaded from the Go module proxy if it is not there."""
    version = f"v{RELEASE}" if name == "kubernetes" else f"v0.{RELEASE.partition('.')[2]}"
    asked = ["go", "mod", "download", "-json", f"k8s.io/{name}@{version}"]
    answer = subprocess.run(asked, cwd="/", capture_output=True, text=True, check=False)
    found = json.loads(answer.stdout or "{}")
    if "Dir" not in found:
        raise SystemExit(f"{' '.join(asked)}: {found.get('Error') or answer.stderr}")
    return Path(found["Dir"])


def recordings(path: str) -> Path:
    """Returns a file or folder of the recordings, which are no part of this repository."""
    folder = Path(os.environ.get("WAVETANK_SHARED", ROOT.parent / "shared")) / "data" / path
    if not folder.exists():
        raise SystemExit(f"{folder} is absent: set WAVETANK_SHARED to the folder that has data/")
    return folder
