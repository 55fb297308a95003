"""Writes docs/images/terminal-*.svg: pictures of commands and their output, for README and docs.

The commands run in a temporary folder with the examples, with colours and 100 columns. Only commands whose output is
the same every time are recorded, so that the files change only if the output does.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs/images"
_COLUMNS = 100

_THEME = TerminalTheme(
    (24, 27, 33),
    (222, 226, 233),
    [
        *[(60, 64, 72), (229, 104, 104), (120, 190, 120), (222, 178, 96)],
        *[(110, 160, 230), (198, 130, 210), (90, 190, 200), (222, 226, 233)],
    ],
)
# That of rich, without the fonts that it loads from elsewhere.
_FORMAT = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px;
  line-height: {line_height}px;
}}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


@dataclass(frozen=True)
class Recording:
    """Commands to record one after the other."""

    name: str
    commands: tuple[str, ...]


RECORDINGS = (
    Recording("run", ("wavetank run examples/01-first-experiment/experiment.yaml",)),
    Recording("whatif", ("wavetank whatif examples/snapshot/shop.yaml --drain b-0",)),
    Recording("explain", ("wavetank explain --cluster nodes.yaml --pods pods.yaml",)),
)
_FILES = {
    "nodes.yaml": """
{apiVersion: v1, kind: Node, metadata: {name: large-0}, status: {allocatable: {cpu: "16", memory: 64Gi, pods: "110"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: large-1}, status: {allocatable: {cpu: "16", memory: 32Gi, pods: "110"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: small-0}, status: {allocatable: {cpu: "2", memory: 8Gi, pods: "110"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: gpu-0}, spec: {taints: [{key: gpu, effect: NoSchedule}]},
 status: {allocatable: {cpu: "32", memory: 64Gi, pods: "110"}}}
""",
    "pods.yaml": """
{apiVersion: v1, kind: Pod, metadata: {name: train},
 spec: {containers: [{name: c, image: train, resources: {requests: {cpu: "4", memory: 16Gi}}}]}}
""",
}


def record(recording: Recording, folder: Path) -> str:
    """Runs the commands in a folder and returns the picture."""
    console = Console(record=True, width=_COLUMNS, file=StringIO(), force_terminal=True, emoji=False)
    for command in recording.commands:
        console.print(Text.assemble(("$ ", "bold green"), (command, "bold")))
        console.print(Text.from_ansi(_output(command, folder).rstrip()))
    return console.export_svg(title="", theme=_THEME, code_format=_FORMAT, unique_id=f"terminal-{recording.name}")


def _output(command: str, folder: Path) -> str:
    words = [sys.executable, "-m", *shlex.split(command), "--quiet"]
    environment = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(_COLUMNS), "TERM": "xterm-256color"}
    environment["PYTHONPATH"] = str(ROOT / "src")
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{command}: {done.stderr}")
    return done.stdout


def pictures() -> dict[str, str]:
    """Returns all pictures by the names of their files."""
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "examples").symlink_to(ROOT / "examples")
        for name, text in _FILES.items():
            (folder / name).write_text(text, encoding="utf-8")
        return {f"terminal-{each.name}.svg": record(each, folder) for each in RECORDINGS}


if __name__ == "__main__":
    for name, picture in pictures().items():
        (IMAGES / name).write_text(picture, encoding="utf-8")
