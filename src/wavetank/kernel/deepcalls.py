from __future__ import annotations

import sys

_MOST = 4000  # a document may have 500 levels, and some checks make several calls for each


def allow_deep_calls() -> None:
    """Lets this process make enough calls inside each other for any document; each of its workers needs this too."""
    sys.setrecursionlimit(_MOST)
