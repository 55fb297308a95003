from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass

from wavetank.errors import WavetankError

_FLAGS = {"CGO_ENABLED": "0", "GOFLAGS": "-buildvcs=false", "GOTOOLCHAIN": "local", "GOWORK": "off"}


class BuildError(WavetankError):
    """A program cannot be built; the message says how to fix it."""


@dataclass(frozen=True)
class Toolchain:
    """A Go toolchain: its command, its version (go1.26.8) and the path of its sources."""

    command: str
    name: str
    root: str

    @property
    def release(self) -> tuple[int, int]:
        """Returns the release without the patch."""
        match = re.match(r"go(\d+)\.(\d+)", self.name)
        return (int(match[1]), int(match[2])) if match else (0, 0)

    @property
    def environment(self) -> dict[str, str]:
        """Returns the environment of all go commands: the same flags everywhere, so that nothing is compiled twice."""
        return {**os.environ, **_FLAGS}


def find_toolchain(command: str | None = None) -> Toolchain:
    """Queries a go command (by default that of the PATH); BuildError if it cannot be used."""
    found = shutil.which(command or "go")
    if found is None:
        raise BuildError(
            f"there is no Go at {command!r}" if command else "there is no go command: see https://go.dev/dl"
        )
    asked = subprocess.run(
        [found, "env", "-json", "GOVERSION", "GOROOT", "GOMODCACHE", "GOOS", "GOARCH"],
        capture_output=True,
        text=True,
        env={**os.environ, **_FLAGS},
    )
    if asked.returncode:
        raise BuildError(f"{found} env failed: {asked.stderr.strip()}")
    settings = json.loads(asked.stdout)
    if (settings["GOOS"], settings["GOARCH"]) != ("linux", "amd64"):
        raise BuildError(f"virtual time is known for linux/amd64, not for {settings['GOOS']}/{settings['GOARCH']}")
    if settings["GOROOT"].startswith(settings["GOMODCACHE"] + os.sep):
        hint = "copy it elsewhere (cp -r, chmod -R u+w) and give its bin/go with --go"
        raise BuildError(f"{settings['GOROOT']} lies in Go's module cache, where nothing may be replaced: {hint}")
    return Toolchain(found, settings["GOVERSION"], settings["GOROOT"])
