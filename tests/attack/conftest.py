"""What the tests of this folder share: the command line in a folder of its own."""

from __future__ import annotations

from tests.cli.conftest import here, wavetank

__all__ = ["here", "wavetank"]
