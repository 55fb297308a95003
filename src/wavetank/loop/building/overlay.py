"""The overlay for `go build` that puts a Go program on virtual time, computed from the toolchain's sources."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.resources import files
from pathlib import Path

from wavetank.files import replacing
from wavetank.loop.building.edits import EDITED, edits_of
from wavetank.loop.building.toolchain import BuildError, Toolchain

# Files that are added to Go's own packages, by their path below src.
_ADDED = {
    "runtime/zz_virtualtime.go": "runtime_virtualtime.go",
    "net/zz_virtualtime.go": "net_virtualtime.go",
}
OLDEST, NEWEST = (1, 24), (1, 27)
_SEEN = "1.24.13, 1.25.14, 1.26.8 and 1.27.3 were tried"


@cache
def clock_version() -> str:
    """Returns a digest of what the overlay puts into a program: a program with another one may behave differently."""
    parts = [*map(_added, _ADDED.values()), (files("wavetank.loop.building") / "edits.py").read_text(encoding="utf-8")]
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:12]


def make_overlay(toolchain: Toolchain) -> dict[str, str]:
    """Returns the files that differ from the toolchain's, by their path below GOROOT/src.

    BuildError if the runtime of this release is not supported; nothing is guessed.
    """
    if not OLDEST <= toolchain.release <= NEWEST:
        raise BuildError(f"{toolchain.name}: virtual time is known for Go {_supported()}; give another with --go")
    made = {place: _added(file) for place, file in _ADDED.items()}
    for place in EDITED:
        made[place] = _edited(place, toolchain)
    return made


def write_overlay(toolchain: Toolchain, folder: Path) -> Path:
    """Writes the overlay below a folder and returns its JSON; the path depends on the contents only."""
    made = make_overlay(toolchain)
    key = hashlib.sha256(json.dumps([toolchain.root, made], sort_keys=True).encode()).hexdigest()[:12]
    home = folder / f"{toolchain.name}-{key}"
    home.mkdir(parents=True, exist_ok=True)
    replace: dict[str, str] = {}
    for place, text in made.items():
        file = home / place.replace("/", "_")
        if not file.exists():
            _write(file, text)
        replace[f"{toolchain.root}/src/{place}"] = str(file)
    listed = home / "overlay.json"
    _write(listed, json.dumps({"Replace": replace}, indent=1))
    return listed


def _write(file: Path, text: str) -> None:
    """Writes a file that other builds may be reading."""
    with replacing(file) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


def _supported() -> str:
    return f"{OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]} ({_SEEN})"


def _added(file: str) -> str:
    return (files("wavetank.loop.building") / "gosources" / file).read_text(encoding="utf-8")


def _edited(place: str, toolchain: Toolchain) -> str:
    try:
        text = Path(toolchain.root, "src", place).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise _unknown(toolchain, place, "is not there") from None
    for edit in edits_of(place, text):
        if text.count(edit.old) != 1:
            raise _unknown(toolchain, place, f"{edit.old.strip()[:60]!r} is there {text.count(edit.old)} times")
        text = text.replace(edit.old, edit.new)
    return text


def _unknown(toolchain: Toolchain, place: str, problem: str) -> BuildError:
    return BuildError(
        f"{toolchain.name}: its runtime is not one that virtual time is known for ({place}: {problem}); "
        f"known is Go {_supported()}; give another with --go"
    )
