"""Documents that are nested deeper than any program needs, which once ended the process."""

from __future__ import annotations

DEEP = {
    "flow lists": "[" * 40_000,
    "flow mappings": '{"a":' * 100_000,
    "explicit keys": "? " * 30_000,
    "lists in lists": "- " * 50_000,
    "flow in a block": "a: " + "{a: " * 50_000,
    "indented": "\n".join(" " * i + "a:" for i in range(2000)),
    "comments between": "[ #]\n" * 40_000,
}


def a_box(levels: int, opening: str = '{"a":', closing: str = "}", value: str = '"b"') -> bytes:
    """Returns a custom object of so many levels."""
    inside = opening * (levels - 1) + value + closing * (levels - 1)
    return f'{{"apiVersion":"a.io/v1","kind":"Box","metadata":{{"name":"x"}},"spec":{inside}}}'.encode()
