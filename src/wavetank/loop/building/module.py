"""The Go module from which Kubernetes commands are built, through the module proxy."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

from wavetank.cluster.releases import SERVED
from wavetank.loop.building.toolchain import BuildError, Toolchain
from wavetank.loop.recipes.recipe import Completed, Recipe

KUBERNETES = "k8s.io/kubernetes"
CLIENT = "k8s.io/client-go"  # whose version v0.X.Y is of Kubernetes v1.X.Y

# Modules of 1.19 and 1.20 that no longer work: one has moved, the others do not go with the Go of today.
_MENDED = {
    "vbom.ml/util": "github.com/fvbommel/util v0.0.0-20160121211510-db5cfe13f5cc",
    "github.com/modern-go/reflect2": "github.com/modern-go/reflect2 v1.0.2",
    "golang.org/x/sys": "golang.org/x/sys v0.13.0",
}


def parse_release(text: str) -> str:
    """Parses a Kubernetes version of three numbers, with or without v; BuildError if it is invalid."""
    match = re.fullmatch(r"v?(1\.\d+\.\d+)", text)
    if not match:
        raise BuildError(f"expected a Kubernetes version such as {SERVED.tag}, got {text!r}")
    return f"v{match[1]}"


def parse_version(text: str, example: str) -> str:
    """Parses the version of a program of its own, of three numbers, with or without v; BuildError if it is invalid."""
    match = re.fullmatch(r"v?(\d+\.\d+\.\d+(?:-[\w.]+)?)", text)
    if not match:
        raise BuildError(f"expected a version such as {example}, got {text!r}")
    return f"v{match[1]}"


def write_module(toolchain: Toolchain, version: str, folder: Path, required: tuple[str, str] | None = None) -> None:
    """Writes a go.mod that requires one version of Kubernetes, with its staging modules replaced by the published ones.

    `required` is another module and its version.
    """
    text = _module_text(_released(toolchain, version), version)
    if required is not None:
        text = text.replace(
            f"require {KUBERNETES} {version}", f"require {KUBERNETES} {version}\n\nrequire {' '.join(required)}"
        )
    _write_module(text, folder)


def write_recipe(toolchain: Toolchain, recipe: Recipe, version: str, folder: Path) -> Path:
    """Writes a module that requires a known program's, and wavetank's sources for it; returns the program's files."""
    downloaded = download(toolchain, recipe.module, version)
    released = Path(downloaded["GoMod"]).read_text(encoding="utf-8")
    replaced = [
        *re.findall(r"^(?:replace)?\s+(\S+(?: v\S+)? => [^.\s]\S* v\S+)", released, re.MULTILINE),
        *recipe.replaced,
        *([f"{recipe.completed.module} => ./{recipe.completed.place}"] if recipe.completed else []),
    ]
    text = "\n\n".join(
        [
            "module loop/programs",  # sorted before controller-runtime: see gosources/kueue/quiet
            *re.findall(r"^(?:go|godebug) .*$", released, re.MULTILINE),
            f"require {recipe.module} {version}",
            "replace (\n" + "".join(f"\t{line}\n" for line in replaced) + ")\n",
        ]
    )
    _write_module(text, folder)
    if recipe.sources:
        _copy_sources(recipe.sources, folder / recipe.sources)
    if recipe.completed:
        _copy_module(toolchain, recipe.completed, folder / recipe.completed.place)
    return Path(downloaded["Dir"])


def _copy_module(toolchain: Toolchain, completed: Completed, folder: Path) -> None:
    """Copies a module, whose files in Go's cache may not be changed, and completes it."""
    if not folder.exists():
        original = Path(download(toolchain, completed.module, completed.version)["Dir"])
        shutil.copytree(original, folder, copy_function=shutil.copyfile)
        for each in folder.rglob("*"):
            if each.is_dir():
                each.chmod(0o755)
        folder.chmod(0o755)
    _copy_sources(completed.sources, folder / completed.folder)


def _copy_sources(name: str, folder: Path) -> None:
    """Copies Go files of wavetank's; unchanged ones are left alone, so that nothing is compiled again."""
    folder.mkdir(exist_ok=True)
    for source in (files("wavetank.loop.building") / "gosources" / name).iterdir():
        if source.is_dir():
            _copy_sources(f"{name}/{source.name}", folder / source.name)
            continue
        file, text = folder / source.name, source.read_text(encoding="utf-8")
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def _write_module(text: str, folder: Path) -> None:
    """Writes a go.mod; an unchanged one is left alone, so that go.sum and all compiled packages stay valid."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "wanted.mod"  # the go command completes go.mod itself
    if not source.exists() or source.read_text(encoding="utf-8") != text:
        (folder / "go.mod").write_text(text, encoding="utf-8")
        source.write_text(text, encoding="utf-8")


def download(toolchain: Toolchain, module: str, version: str) -> dict[str, Any]:
    """Downloads a module; returns what the go command says about it: its files are in Dir, its go.mod is GoMod."""
    wanted = f"{module}@{version}"
    asked = subprocess.run(
        [toolchain.command, "mod", "download", "-json", wanted],
        cwd="/",
        capture_output=True,
        text=True,
        env=toolchain.environment,
    )
    answer = json.loads(asked.stdout) if asked.stdout.startswith("{") else {}
    if asked.returncode or "GoMod" not in answer:
        problem = answer.get("Error") or asked.stderr.strip()
        raise BuildError(f"cannot download {wanted}: {problem}")
    return dict(answer)


def _released(toolchain: Toolchain, version: str) -> str:
    """Downloads the go.mod of a release."""
    return Path(download(toolchain, KUBERNETES, version)["GoMod"]).read_text(encoding="utf-8")


def _module_text(released: str, version: str) -> str:
    staged = re.findall(r"^\s+(\S+) => \./staging/", released, re.MULTILINE)
    go = re.search(r"^go (\S+)$", released, re.MULTILINE)
    if not staged or go is None:
        raise BuildError(f"the go.mod of {KUBERNETES} {version} has an unknown form")
    debug = re.search(r"^godebug .*$", released, re.MULTILINE)  # the main module decides it, and that is this one
    published = f"v0{version[2:]}"
    pinned = _pinned(released) if tuple(map(int, go[1].split(".")[:2])) < (1, 16) else {}
    replaced = {name: f"{name} {published}" for name in staged} | pinned
    return "\n\n".join(
        [
            "module wavetank/programs",
            f"go {go[1]}",
            *([debug[0]] if debug else []),
            f"require {KUBERNETES} {version}",
            "replace (\n" + "".join(f"\t{name} => {other}\n" for name, other in replaced.items()) + ")\n",
        ]
    )


def _pinned(released: str) -> dict[str, str]:
    """Returns the modules that the go.mod of an old release pins by replacement."""
    pinned = dict(re.findall(r"^\s+(\S+) => (\S+ v\S+)$", released, re.MULTILINE))
    return pinned | {name: other for name, other in _MENDED.items() if name in pinned}
