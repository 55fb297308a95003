"""The end-to-end tests of Kubernetes and its kubectl, built from the Go module proxy and kept in wavetank's cache."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wavetank.cluster.releases import SERVED
from wavetank.loop.building.build import run_go, version_flags
from wavetank.loop.building.cache import Cache
from wavetank.loop.building.module import KUBERNETES, write_module
from wavetank.loop.building.toolchain import Toolchain, find_toolchain

_GO = {
    "e2e.test": (["test", "-c", "-vet=off"], f"{KUBERNETES}/test/e2e"),
    "kubectl": (["build"], f"{KUBERNETES}/cmd/kubectl"),
}


@dataclass(frozen=True)
class Programs:
    """The programs that the tests need, of the release that is served."""

    tests: Path
    kubectl: Path


def find_programs() -> Programs | None:
    """Returns the programs if they are built."""
    for folder in sorted(_home(Cache()).glob(f"{SERVED.tag}-*")):
        if all((folder / name).exists() for name in _GO):
            return _programs(folder)
    return None


def build_programs(report: Callable[[str, int], None]) -> Programs:
    """Builds what is not there yet (20 minutes of one core in an empty cache of Go's); BuildError if it fails."""
    toolchain, cache = find_toolchain(), Cache()
    folder = _home(cache) / f"{SERVED.tag}-{toolchain.name}"
    folder.mkdir(parents=True, exist_ok=True)
    with cache.locked(f"conformance-{SERVED.tag}", lambda whom: report(whom, 0)):
        for name, (command, package) in _GO.items():
            if not (folder / name).exists():
                _build(toolchain, cache, [*command, "-o", str(folder / "new"), package], report)
                os.replace(folder / "new", folder / name)
    return _programs(folder)


def _build(toolchain: Toolchain, cache: Cache, command: Sequence[str], report: Callable[[str, int], None]) -> None:
    verb, *rest = command
    module = cache.folder / "modules" / f"conformance-{SERVED.tag}"
    write_module(toolchain, SERVED.tag, module)
    flags = ["-mod=mod", "-trimpath", "-v", f"-ldflags={version_flags(SERVED.tag)}"]
    run_go(toolchain, [verb, *flags, *rest], module, report)


def _home(cache: Cache) -> Path:
    return cache.folder / "conformance"


def _programs(folder: Path) -> Programs:
    return Programs(folder / "e2e.test", folder / "kubectl")
