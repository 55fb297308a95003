"""Programs from PyPI in environments of their own, for what does not agree with ours."""

from __future__ import annotations

import fcntl
import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from wavetank.loop.building.cache import Cache

_PATIENCE = 600  # seconds for an installation


def environment(name: str, *installs: list[str]) -> Path:
    """Returns the folder of programs of an environment with these packages; made once, then cached.

    Each of `installs` are arguments of a `pip install`. Skips the test if they cannot be installed.
    """
    digest = hashlib.sha256(repr((sys.version_info[:2], installs)).encode()).hexdigest()[:12]
    folder = Cache().folder / "environments" / f"{name}-{digest}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            _make(folder, installs)
    return folder / "bin"


def _make(folder: Path, installs: tuple[list[str], ...]) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True, capture_output=True)
    for arguments in installs:
        command = [folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE)
        if done.returncode:
            pytest.skip(f"cannot install {' '.join(arguments)}: {done.stderr.strip()[-200:]}")
    (folder / "complete").touch()
