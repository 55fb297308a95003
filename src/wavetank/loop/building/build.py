"""Building Go programs on virtual time, with the user's toolchain from the module proxy."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wavetank.cluster.manifests import load_documents
from wavetank.cluster.releases import SERVED
from wavetank.loop.building.cache import Cache, Program
from wavetank.loop.building.module import CLIENT, KUBERNETES, parse_release, parse_version, write_module, write_recipe
from wavetank.loop.building.overlay import write_overlay
from wavetank.loop.building.toolchain import BuildError, Toolchain
from wavetank.loop.recipes import Recipe, recipe_of

Progress = Callable[[str, int], None]  # current step, and number of packages compiled so far

_LAST_LINES = 15


@dataclass(frozen=True)
class Source:
    """What is built: a package as the go command names it, in the folder of a module."""

    package: str
    folder: Path
    version: str  # of the program, that of Kubernetes unless it has a recipe
    mode: str
    release: str = ""  # of Kubernetes, if it is not the version
    linked: Mapping[str, str] = field(default_factory=dict)  # variables that the linker sets
    manifests: tuple[Mapping[str, Any], ...] = ()  # objects that the program needs in its cluster


def build_program(
    toolchain: Toolchain, name: str, version: str | None, package: str | None, cache: Cache, report: Progress
) -> Program:
    """Builds a program and stores it in the cache; BuildError with the end of the compiler's output if that fails.

    `package` is a folder of the user's (./cmd/my-scheduler), an import path with a version
    (sigs.k8s.io/scheduler-plugins/cmd/scheduler@v0.34.7), or None for the known program or command of Kubernetes called
    `name`. `version` is that of the known program, else of Kubernetes; a folder's module states it itself.
    """
    with cache.locked(artefact_of(name, version, package), lambda whom: report(whom, 0)):
        report("reading the modules", 0)
        source = _source(toolchain, name, version, package, cache)
        overlay = write_overlay(toolchain, cache.folder / "overlays")
        built = cache.folder / f"{name}.{os.getpid()}.new"
        _compile(toolchain, source, overlay, built, report)
        program = Program(name, source.version, toolchain.name, source.package, str(built), source.release)
        return cache.keep(built, program, source.manifests)


def artefact_of(name: str, version: str | None, package: str | None) -> str:
    """Returns the name of what is built, for its lock; builds in folders of users differ by the folder."""
    if package is not None and "@" not in package:
        return f"{name}-of-{hashlib.sha256(str(Path(package).resolve()).encode()).hexdigest()[:8]}"
    version = version or recipe_of(name).version
    return "-".join([name, f"v{version.removeprefix('v')}", *re.findall(r"@(.+)", package or "")])


def _source(toolchain: Toolchain, name: str, version: str | None, package: str | None, cache: Cache) -> Source:
    if package is not None and "@" not in package:
        return _own(toolchain, Path(package), version)
    recipe = recipe_of(name)
    if package is None and recipe.module:
        return _known(toolchain, name, recipe, version, cache)
    if version is None:
        raise BuildError(f"which Kubernetes? give --version {SERVED.tag}")
    version = parse_release(version)
    folder = cache.folder / "modules" / f"{name}-{version}"
    if package is None:
        write_module(toolchain, version, folder)
        return Source(f"{KUBERNETES}/cmd/{name}", folder, version, "mod")
    path, _, wanted = package.partition("@")
    write_module(toolchain, version, folder, (_module_of(toolchain, path, wanted), wanted))
    return Source(path, folder, version, "mod")


def _known(toolchain: Toolchain, name: str, recipe: Recipe, version: str | None, cache: Cache) -> Source:
    """Returns a known program, by default of the version that was tried."""
    version = parse_version(version or recipe.version, recipe.version)
    folder = cache.folder / "modules" / f"{name}-{version}"
    module = write_recipe(toolchain, recipe, version, folder)
    client = _required(toolchain, folder, CLIENT, "-mod=mod")
    if client is None:
        raise BuildError(f"{recipe.module} {version} does not use {CLIENT}")
    package = recipe.package or f"./{recipe.sources}"
    linked = {recipe.linked: version} if recipe.linked else {}
    manifests = tuple(_manifests(module, recipe))
    return Source(package, folder, version, "mod", f"v1{client.removeprefix('v0')}", linked, manifests)


def _manifests(module: Path, recipe: Recipe) -> Iterator[Mapping[str, Any]]:
    """Reads the objects that a program needs in its cluster from the files of its module."""
    for pattern in recipe.manifests:
        for file in sorted(module.glob(pattern)):
            yield from (each for each in load_documents(file.read_text(encoding="utf-8"), str(file)) if each)


def _own(toolchain: Toolchain, folder: Path, version: str | None) -> Source:
    """Finds the release of Kubernetes that the module in a user's folder requires, itself or by its client library."""
    if not folder.is_dir():
        raise BuildError(f"{folder}: expected a folder, or an import path with a version (path@v1.2.3)")
    required = _required(toolchain, folder, KUBERNETES)
    client = None if required else _required(toolchain, folder, CLIENT)
    if required is None and client is None:
        raise BuildError(f"{folder}: its module does not use {KUBERNETES} or {CLIENT}")
    found = parse_release(required or f"v1{str(client).removeprefix('v0')}")
    if version is not None and parse_release(version) != found:
        raise BuildError(f"{folder}: its module uses Kubernetes {found}, not {parse_release(version)}")
    return Source(".", folder.resolve(), found, "readonly")


def _required(toolchain: Toolchain, folder: Path, module: str, *flags: str) -> str | None:
    """Returns the version of a module that the one in a folder requires, after replacement; None if it does not."""
    asked = _go(toolchain, folder, "list", *flags, "-m", "-json", module)
    if asked.returncode:
        return None
    found = json.loads(asked.stdout)
    return str(found.get("Replace", found).get("Version") or found["Version"])


def _module_of(toolchain: Toolchain, path: str, version: str) -> str:
    """Finds the module of a package: the longest prefix of its path that the proxy knows at that version."""
    while "/" in path:
        if not _go(toolchain, Path("/"), "mod", "download", f"{path}@{version}").returncode:
            return path
        path = path.rpartition("/")[0]
    raise BuildError(f"no module of that path has the version {version}")


def _go(toolchain: Toolchain, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [toolchain.command, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=toolchain.environment)


def _compile(toolchain: Toolchain, source: Source, overlay: Path, built: Path, report: Progress) -> None:
    flags = version_flags(source.release or source.version, source.linked)
    command = ["build", f"-mod={source.mode}", "-trimpath", "-v", f"-overlay={overlay}", f"-ldflags={flags}"]
    run_go(toolchain, [*command, "-o", str(built), source.package], source.folder, report)


def run_go(toolchain: Toolchain, arguments: Sequence[str], folder: Path, report: Progress) -> None:
    """Compiles with the go command; BuildError with the end of its output if that fails."""
    report("compiling", 0)
    command, environment = [toolchain.command, *arguments], toolchain.environment
    with subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            last = _follow(process, report)
        except BaseException:
            process.terminate()
            raise
    if process.returncode:
        raise BuildError(f"go {arguments[0]} failed: {' | '.join(last)}")


def _follow(process: subprocess.Popen[str], report: Progress) -> list[str]:
    assert process.stderr is not None
    last: deque[str] = deque(maxlen=_LAST_LINES)
    packages = 0
    for line in process.stderr:
        if line.startswith("go: downloading"):
            report(f"downloading {line.split()[2]}", packages)
        elif re.fullmatch(r"[\w.~/-]+", line.strip()):
            packages += 1
            report("compiling", packages)
        else:
            last.append(line.strip())
    return list(last)


def version_flags(release: str, linked: Mapping[str, str] | None = None) -> str:
    """Returns linker flags that set the version of Kubernetes, as the release's own build does."""
    base, client = "k8s.io/component-base/version", "k8s.io/client-go/pkg/version"
    _, minor, _ = release.split(".")
    values = {f"{base}.gitVersion": release, f"{base}.gitMajor": "1", f"{base}.gitMinor": minor}
    values |= {f"{client}.gitVersion": release, **(linked or {})}
    return " ".join(["-s", "-w", *(f"-X {key}={value}" for key, value in values.items())])
