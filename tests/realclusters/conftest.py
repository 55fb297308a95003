from __future__ import annotations

from tests.cli.conftest import here, wavetank

__all__ = ["here", "wavetank"]
