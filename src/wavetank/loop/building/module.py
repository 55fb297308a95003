"""The Go module from which Kubernetes commands are built, through the module proxy."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

from wavetank.cluster.releases import SERVED
from wavetank.loop.building.toolchain import BuildError, Toolchain

KUBERNETES = "k8s.io/kubernetes"
CLIENT = "k8s.io/client-go"  # whose version v0.X.Y is of Kubernetes v1.X.Y


def parse_release(text: str) -> str:
    """Parses a Kubernetes version of three numbers, with or without v; BuildError if it is invalid."""
    match = re.fullmatch(r"v?(1\.\d+\.\d+)", text)
    if not match:
        raise BuildError(f"expected a Kubernetes version such as {SERVED.tag}, got {text!r}")
    return f"v{match[1]}"


def write_module(toolchain: Toolchain, version: str, folder: Path, required: tuple[str, str] | None = None) -> None:
    """Writes a go.mod that requires one version of Kubernetes, with its staging modules replaced by the published ones.

    `required` is another module and its version. An unchanged file is not written, so that go.sum and all compiled
    packages stay valid.
    """
    text = _module_text(_released(toolchain, version), version)
    if required is not None:
        text = text.replace(
            f"require {KUBERNETES} {version}", f"require {KUBERNETES} {version}\n\nrequire {' '.join(required)}"
        )
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "wanted.mod"  # the go command completes go.mod itself
    if not source.exists() or source.read_text(encoding="utf-8") != text:
        (folder / "go.mod").write_text(text, encoding="utf-8")
        source.write_text(text, encoding="utf-8")


def _released(toolchain: Toolchain, version: str) -> str:
    """Downloads the go.mod of a release."""
    wanted = f"{KUBERNETES}@{version}"
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
    return Path(answer["GoMod"]).read_text(encoding="utf-8")


def _module_text(released: str, version: str) -> str:
    staged = re.findall(r"^\s+(\S+) => \./staging/", released, re.MULTILINE)
    go = re.search(r"^go (\S+)$", released, re.MULTILINE)
    if not staged or go is None:
        raise BuildError(f"the go.mod of {KUBERNETES} {version} has an unknown form")
    debug = re.search(r"^godebug .*$", released, re.MULTILINE)  # the main module decides it, and that is this one
    published = f"v0{version[2:]}"
    return "\n\n".join(
        [
            "module wavetank/programs",
            f"go {go[1]}",
            *([debug[0]] if debug else []),
            f"require {KUBERNETES} {version}",
            "replace (\n" + "".join(f"\t{name} => {name} {published}\n" for name in staged) + ")\n",
        ]
    )
