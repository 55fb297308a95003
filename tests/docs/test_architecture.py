"""The table of rooms knows every room, and every folder in one."""

from __future__ import annotations

from pathlib import Path

from tests.support.paths import ROOT

PACKAGE = ROOT / "src/wavetank"


def is_room(path: Path) -> bool:
    return path.is_dir() and (path / "__init__.py").exists()


def test_every_room_has_a_row_that_names_its_folders():
    lines = (ROOT / "docs/architecture.md").read_text(encoding="utf-8").splitlines()
    for room in filter(is_room, PACKAGE.iterdir()):
        rows = [line for line in lines if line.startswith(f"| `{room.name}` |")]
        assert len(rows) == 1, f"docs/architecture.md: expected one row for {room.name}"
        missing = [each.name for each in room.iterdir() if is_room(each) and f"`{each.name}/`" not in rows[0]]
        assert not missing, f"docs/architecture.md: the row of {room.name} does not name {', '.join(missing)}"
