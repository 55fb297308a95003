"""The table of packages names every package and every folder in it."""

from __future__ import annotations

from pathlib import Path

from tests.support.paths import ROOT

PACKAGE = ROOT / "src/wavetank"


def is_package(path: Path) -> bool:
    return path.is_dir() and (path / "__init__.py").exists()


def test_every_package_has_a_row_that_names_its_folders():
    lines = (ROOT / "docs/architecture.md").read_text(encoding="utf-8").splitlines()
    for package in filter(is_package, PACKAGE.iterdir()):
        rows = [line for line in lines if line.startswith(f"| `{package.name}` |")]
        assert len(rows) == 1, f"docs/architecture.md: expected one row for {package.name}"
        missing = [each.name for each in package.iterdir() if is_package(each) and f"`{each.name}/`" not in rows[0]]
        assert not missing, f"docs/architecture.md: the row of {package.name} does not name {', '.join(missing)}"
