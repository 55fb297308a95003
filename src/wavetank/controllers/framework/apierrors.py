"""What the API says when it refuses a write."""

from __future__ import annotations

from wavetank.cluster.store.errors import ApiError

_TERMINATING = "NamespaceTerminating"


def is_namespace_terminating(error: ApiError) -> bool:
    """Tells whether something was not created because its namespace is coming to its end."""
    causes = (error.status.get("details") or {}).get("causes") or ()
    return any(cause.get("reason") == _TERMINATING for cause in causes)
