"""A valid document of every kind that has rules of its own, rich enough to be spoiled in many ways."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

DOCUMENTS: list[dict[str, Any]] = list(yaml.safe_load_all(Path(__file__).with_suffix(".yaml").read_text()))
