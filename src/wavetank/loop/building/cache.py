from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wavetank.errors import InputError
from wavetank.files import wait_for_lock
from wavetank.loop.building.overlay import clock_version

_ABOUT = "program.json"
_MANIFESTS = "manifests.json"
_OWN = "."  # the package of a program that was built from a folder


@dataclass(frozen=True)
class Program:
    """A program that was built for the loop, and its file."""

    name: str
    version: str  # its own, which is that of Kubernetes unless it has a recipe
    go: str
    package: str
    file: str
    release: str = ""  # of Kubernetes, if it is not the version
    clock: str = ""  # the version of virtual time that it was built with

    @property
    def kubernetes(self) -> str:
        """Returns the release of Kubernetes whose libraries it uses."""
        return self.release or self.version

    @property
    def current(self) -> bool:
        """Returns whether it has the virtual time of this version of wavetank."""
        return self.clock == clock_version()

    @property
    def path(self) -> Path:
        """Returns the executable."""
        return Path(self.file)

    @property
    def manifests(self) -> list[dict[str, Any]]:
        """Returns the objects that it needs in its cluster, as its module states them."""
        file = self.path.with_name(_MANIFESTS)
        found: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
        return found


class Cache:
    """The folder of built programs, by default ~/.cache/wavetank ($XDG_CACHE_HOME/wavetank if that is set)."""

    def __init__(self, folder: Path | None = None) -> None:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        self.folder = folder or Path(base) / "wavetank"

    @property
    def programs(self) -> Path:
        """Returns the folder of all programs, with one subfolder for each."""
        return self.folder / "programs"

    def list(self) -> list[Program]:
        """Returns all programs by name and version; of equal ones, the newest first."""
        found = [_read(file) for file in self.programs.glob(f"*/{_ABOUT}")]
        there = [program for program in found if program is not None and program.path.exists()]
        there.sort(key=lambda program: -program.path.stat().st_mtime)
        return sorted(there, key=lambda program: (program.name, _numbers(program.version)))

    def find(self, name: str, version: str, kind: str = "scheduler") -> Program:
        """Returns a program with this version's virtual time; if there is none, InputError says how to build it."""
        found = [program for program in self.list() if (program.name, program.version) == (name, version)]
        for program in found:
            if program.current:
                return program
        problem = "was built by another version of wavetank, build it again" if found else "is not built"
        of_folder = any(program.package == _OWN for program in found)
        how = "--package FOLDER" if of_folder else f"--version {version}"
        raise InputError(f"{name} {version} {problem}: wavetank {kind} build {name} {how}")

    def keep(self, built: Path, program: Program, manifests: Sequence[Mapping[str, Any]] = ()) -> Program:
        """Moves a new executable into the cache; its file has the program's name, since that becomes its user agent.

        `manifests` are the objects that it needs in its cluster.
        """
        home = self.programs / f"{program.name}-{program.version}-{program.go}"
        home.mkdir(parents=True, exist_ok=True)
        file = home / program.name
        os.replace(built, file)
        kept = Program(**{**asdict(program), "file": str(file), "clock": clock_version()})
        (home / _MANIFESTS).write_text(json.dumps(list(manifests)), encoding="utf-8")
        (home / _ABOUT).write_text(json.dumps(asdict(kept), indent=1), encoding="utf-8")
        return kept

    @contextmanager
    def locked(self, artefact: str, waits: Callable[[str], None]) -> Iterator[None]:
        """Allows one build of an artefact at a time; `waits` is called with the process that has to be waited for.

        Builds of other artefacts are not delayed: the go command shares what it compiles by itself.
        """
        locks = self.folder / "locks"
        locks.mkdir(parents=True, exist_ok=True)
        with wait_for_lock(locks / artefact, lambda holder: waits(f"waiting for the build of {artefact} by {holder}")):
            yield


def _read(file: Path) -> Program | None:
    try:
        contents: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return Program(**contents)
    except (ValueError, TypeError, OSError):
        return None  # incomplete, or of another version of wavetank


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdigit() else 0 for part in version.lstrip("v").split("."))
