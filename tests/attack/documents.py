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
