from __future__ import annotations

import re

from wavetank.errors import InputError

_LONGEST = 240  # characters, so that the rank of a pod fits behind it


def object_name(text: str, path: str) -> str:
    """Makes a Kubernetes name of what a trace calls a thing: lower case, with dashes for what may not be in it."""
    name = re.sub(r"[^a-z0-9-]+", "-", text.lower()).strip("-")
    if not 0 < len(name) <= _LONGEST:
        raise InputError(f"{text!r:.60} makes no name of a Kubernetes object", path=path)
    return name
