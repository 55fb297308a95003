"""Clients in other languages, built from their public registries; what is built is cached outside of the repository."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
CACHE = Path.home() / ".cache" / "wavetank" / "clients"

# A first build takes minutes and needs the network.
needs_builds = pytest.mark.skipif(not os.environ.get("WAVETANK_ALL"), reason="builds a client: make test-all")


def go_install(module: str, version: str, package: str = ".") -> Path:
    """Returns a program of a public Go module, built as its makers do: with the versions that the module states."""
    name = (module if package == "." else package).rpartition("/")[2]

    def build(folder: Path) -> None:
        source = json.loads(_run(["go", "mod", "download", "-json", f"{module}@{version}"], folder))["Dir"]
        command = ["go", "build", "-mod=readonly", "-ldflags", "-s -w", "-o", str(folder / name), package]
        _run(command, Path(source), CGO_ENABLED="0")

    return _cached(f"{name}-{version}", "go", build) / name


def go_build(source: str, name: str) -> Path:
    """Returns a program whose source is in a folder of this one."""
    files = sorted((FOLDER / source).rglob("*.*"))

    def build(folder: Path) -> None:
        _run(["go", "build", "-trimpath", "-o", str(folder / name), f"./{name}"], FOLDER / source, CGO_ENABLED="0")

    return _cached(f"{name}-{_digest(files)}", "go", build) / name


def npm_modules(source: str) -> Path:
    """Returns a folder with the files of `source` and the packages that they need."""
    files = sorted(each for each in (FOLDER / source).iterdir() if each.is_file())

    def build(folder: Path) -> None:
        for file in files:
            shutil.copy(file, folder)
        _run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], folder)

    return _cached(f"javascript-{_digest(files)}", "npm", build)


def maven_jars(source: str) -> Path:
    """Returns a folder with the jars of a pom.xml."""
    pom = FOLDER / source / "pom.xml"

    def build(folder: Path) -> None:
        copy = ["dependency:copy-dependencies", f"-DoutputDirectory={folder}"]
        _run(["mvn", "-q", "-B", "-f", str(pom), *copy], folder)

    return _cached(f"java-{_digest([pom])}", "mvn", build)


def cargo_build(source: str, name: str) -> Path:
    """Returns a program whose Rust crate is in a folder of this one."""
    files = sorted(each for each in (FOLDER / source).rglob("*.*") if each.is_file())

    def build(folder: Path) -> None:
        command = ["cargo", "build", "--locked", "--manifest-path", str(FOLDER / source / "Cargo.toml")]
        _run([*command, "--target-dir", str(CACHE / "cargo-target")], folder)
        shutil.copy(CACHE / "cargo-target" / "debug" / name, folder / name)

    return _cached(f"{name}-{_digest(files)}", "cargo", build) / name


def _cached(name: str, tool: str, build: Callable[[Path], None]) -> Path:
    """Returns the folder of what is built, once; skips where the tool is missing."""
    if shutil.which(tool) is None:
        pytest.skip(f"there is no {tool} on this machine")
    CACHE.mkdir(parents=True, exist_ok=True)
    folder = CACHE / name
    with (CACHE / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / ".built").exists():
            folder.mkdir(exist_ok=True)
            build(folder)
            (folder / ".built").touch()
    return folder


def _run(command: list[str], cwd: Path, **environment: str) -> str:
    given = {**os.environ, "GOFLAGS": "-buildvcs=false", **environment}
    done = subprocess.run(command, cwd=cwd, env=given, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}: {(done.stdout + done.stderr)[-3000:]}"
    return done.stdout


def _digest(files: list[Path]) -> str:
    return hashlib.sha256(b"".join(each.read_bytes() for each in files)).hexdigest()[:12]
