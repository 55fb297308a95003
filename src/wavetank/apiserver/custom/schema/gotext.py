"""JSON values as Go writes them in messages."""

from __future__ import annotations

from typing import Any

import msgspec

from wavetank.apiserver.fielderrors import Raw
from wavetank.cel.gotext import go_number

_LARGEST_PLAIN = 1e21  # from here on Go writes an exponent
_SMALLEST_PLAIN = 1e-4


def go_json(value: Any) -> str:
    """Writes a JSON value as Go does: sorted, with its numbers, and with some characters escaped."""
    if isinstance(value, dict):
        return f"{{{','.join(f'{go_json(key)}:{go_json(value[key])}' for key in sorted(value))}}}"
    if isinstance(value, list):
        return f"[{','.join(go_json(each) for each in value)}]"
    if isinstance(value, float):
        return _json_number(value)
    text = msgspec.json.encode(value).decode()
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _json_number(value: float) -> str:
    if value and not 1e-6 <= abs(value) < _LARGEST_PLAIN:
        return go_number(value).replace("e-0", "e-")
    return go_number(value) if abs(value) >= _SMALLEST_PLAIN or not value else f"{value:.17f}".rstrip("0")


def shown(value: Any) -> Any:
    """Returns a bad value for an error message: what Go writes otherwise than we do is written already."""
    if isinstance(value, float):
        return Raw(go_number(value))
    return Raw(go_json(value)) if isinstance(value, (dict, list)) else value
