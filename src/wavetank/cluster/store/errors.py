"""What the store answers when it cannot do what was asked, as Kubernetes says it."""

from __future__ import annotations

from typing import Any

from wavetank.errors import WavetankError


class ApiError(WavetankError):
    """A rejected request; it carries a Kubernetes Status with the real reason and code."""

    code = 500
    reason = "InternalError"

    @property
    def status(self) -> dict[str, Any]:
        """Returns the Status object that an API client gets."""
        head = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
        return {**head, "message": str(self), "reason": self.reason, "code": self.code}


class NotFoundError(ApiError):
    """There is no such object."""

    code = 404
    reason = "NotFound"


class AlreadyExistsError(ApiError):
    """There is such an object already."""

    code = 409
    reason = "AlreadyExists"


class ConflictError(ApiError):
    """The object is no longer in the version or state that the writer thought."""

    code = 409
    reason = "Conflict"


class InvalidError(ApiError):
    """The object may not be changed like that."""

    code = 422
    reason = "Invalid"


class ExpiredError(ApiError):
    """The resource version is older than the history of the store: list again."""

    code = 410
    reason = "Expired"


class NoKindMatchError(NotFoundError):
    """No version of a group has such a kind, so that nothing was asked for."""

    def __init__(self, group: str, kind: str) -> None:
        super().__init__(f'no matches for kind "{kind}" in group "{group}"')
