"""Errors of the API that controllers tell apart."""

from __future__ import annotations

from wavetank.cluster.store.errors import ApiError

_TERMINATING = "NamespaceTerminating"


def is_namespace_terminating(error: ApiError) -> bool:
    """Tells whether an object was not created because its namespace is terminating."""
    causes = (error.status.get("details") or {}).get("causes") or ()
    return any(cause.get("reason") == _TERMINATING for cause in causes)
