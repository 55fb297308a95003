from __future__ import annotations

import pytest

from wavetank.experiments import runner


@pytest.fixture(autouse=True)
def one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves processes of their own to those tests that ask for them: each takes a second to begin."""
    monkeypatch.setattr(runner, "_cores", lambda: 1)
