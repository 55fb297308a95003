"""The real apiextensions code, asked over a pipe; scripts/oracles/customresources says what it answers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.support.paths import ROOT

SOURCE = ROOT / "scripts" / "oracles" / "customresources"
Answer = dict[str, Any]


def build(folder: Path) -> Path | None:
    """Returns the program, built if need be; None without Go. WAVETANK_CRD_ORACLE names one that is built already."""
    if ready := os.environ.get("WAVETANK_CRD_ORACLE"):
        return Path(ready)
    go = shutil.which("go")
    if go is None:
        return None
    program = folder / "oracle"
    environment = {**os.environ, "GOFLAGS": "-mod=mod"}
    subprocess.run([go, "build", "-o", str(program), "."], cwd=SOURCE, check=True, env=environment, timeout=900)
    return program


def ask(program: Path, requests: Iterable[Answer]) -> list[Answer]:
    """Returns the answers to all requests, in their order."""
    text = "".join(json.dumps(each) + "\n" for each in requests)
    done = subprocess.run([str(program)], input=text, capture_output=True, text=True, check=True, timeout=900)
    return [json.loads(line) for line in done.stdout.splitlines()]
