from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.controllers.hashing.gotext import go_text

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"  # without vowels, so that no words can result


def template_hash(template: Mapping[str, Any], collisions: int | None = None) -> str:
    """Returns the pod-template-hash of a template in the form that the API stores.

    `collisions` is the collisionCount of the owner's status, None before the first collision.
    """
    data = go_text(template).encode()
    if collisions is not None:
        data += collisions.to_bytes(4, "little") + bytes(4)
    return safe_encode(str(fnv32a(data)))


def fnv32a(data: bytes) -> int:
    """Returns the 32-bit FNV-1a hash."""
    value = 0x811C9DC5
    for byte in data:
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def safe_encode(text: str) -> str:
    """Encodes a text in letters and digits that cannot form words, as in names of revisions."""
    return "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in text.encode())


def data_hash(data: bytes, collisions: int) -> str:
    """Returns the hash of the data of a StatefulSet's revision."""
    value = 0x811C9DC5
    for byte in data + str(collisions).encode():
        value = ((value * 0x01000193) & 0xFFFFFFFF) ^ byte
    return safe_encode(str(value))
