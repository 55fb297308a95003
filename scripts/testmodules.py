"""Importing this lets a script import modules of `tests`, even if a dependency (ciw) has installed a `tests`."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parent.parent

if not any(path == str(ROOT) for path in sys.path):
    sys.path[:0] = [str(ROOT / "src"), str(ROOT)]
    package = ModuleType("tests")
    package.__path__ = [str(ROOT / "tests")]
    sys.modules["tests"] = package
