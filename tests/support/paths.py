"""Where things are: the repository, its examples, and the shared folder of recordings and traces."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
SHARED = Path(os.environ.get("WAVETANK_SHARED", ROOT.parent / "shared"))
DATA = SHARED / "data"


def absent(path: Path) -> str:
    """Returns why a test that needs `path` of the shared folder is skipped."""
    return f"{path} is absent: set WAVETANK_SHARED to the folder that has data/ and tools/"


def shared_data(path: str | Path) -> Path:
    """Returns a file or folder of the shared data, by its path in data/; skips the test if it is absent."""
    file = DATA / path
    if not file.exists():
        pytest.skip(absent(file))
    return file


def needs_shared(path: Path) -> pytest.MarkDecorator:
    """Marks tests that need `path`, a file or folder of the shared folder."""
    return pytest.mark.skipif(not path.exists(), reason=absent(path))
