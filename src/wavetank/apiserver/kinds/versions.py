"""Names of versions."""

from __future__ import annotations

import re


def version_rank(name: str) -> tuple[int, int, int, tuple[int, ...]]:
    """Orders versions as Kubernetes does: v2, v1, v1beta2, v1alpha1, then others by the alphabet, the first highest."""
    found = re.fullmatch(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?", name)
    if found is None:
        return 0, 0, 0, tuple(-ord(char) for char in name)
    stage = {"alpha": 1, "beta": 2, None: 3}[found.group(2)]
    return stage, int(found.group(1)), int(found.group(3) or 0), ()
