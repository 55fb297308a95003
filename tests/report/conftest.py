from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.report.synthetic import Recipe, write_results


@pytest.fixture
def results(tmp_path: Path) -> Callable[[Recipe], Path]:
    """Writes made-up results and returns their folder."""
    return lambda recipe: write_results(tmp_path / "results", recipe)
