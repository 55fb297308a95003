from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

Column = dict[str, Any]


@cache
def column_definitions() -> Mapping[str, list[Column]]:
    """Returns the columns of every kind by its GroupKind; those of a kind without columns of its own are under ""."""
    data = json.loads((files(__package__) / "columns.json").read_text())
    texts = data["descriptions"]
    return {
        group_kind: [_column(name, type_, form, texts[text], priority) for name, type_, form, priority, text in columns]
        for group_kind, columns in data["columns"].items()
    }


def _column(name: str, type_: str, form: str, description: str, priority: int) -> Column:
    return {"name": name, "type": type_, "format": form, "description": description, "priority": priority}
