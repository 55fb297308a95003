"""What generators of data read: Go modules of Kubernetes, and recordings of real components."""

from __future__ import annotations

import json
import os
import subprocess
from functools import cache
from pathlib import Path

from wavetank.cluster.releases import SERVED

ROOT = Path(__file__).parents[1]


@cache
def go_module(name: str) -> Path:
    """Returns the folder of k8s.io/NAME of the release that is served, downloaded if need be."""
    version = SERVED.tag if name == "kubernetes" else SERVED.modules
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
