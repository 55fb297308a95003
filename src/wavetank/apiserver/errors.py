"""Errors of the API: each is a Kubernetes Status with the real server's reason, code, message and details."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wavetank.apiserver.fielderrors import FieldError
from wavetank.cel.gotext import quote
from wavetank.cluster.store.errors import ApiError

Details = dict[str, Any]


class StatusError(ApiError):
    """A refused request; `details` and `reason` are left out of the Status if they are None or empty.

    `retry_after_s` becomes the Retry-After header, `metadata` is that of the Status (an expired list has a token).
    """

    def __init__(
        self,
        code: int,
        reason: str,
        message: str,
        details: Details | None = None,
        *,
        retry_after_s: int = 0,
        metadata: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.details = details
        self.retry_after_s = retry_after_s
        self.metadata = metadata or {}

    @property
    def status(self) -> dict[str, Any]:
        """Returns the Status object that an API client gets."""
        status: dict[str, Any] = {"kind": "Status", "apiVersion": "v1", "metadata": self.metadata, "status": "Failure"}
        status["message"] = str(self)
        if self.reason:
            status["reason"] = self.reason
        if self.details is not None:
            status["details"] = self.details
        return {**status, "code": self.code}


def not_found(resource: str, name: str) -> StatusError:
    """Returns the 404 for a missing object; `resource` is its plural with its group: pods, deployments.apps."""
    return StatusError(404, "NotFound", f"{resource} {quote(name)} not found", of_resource(resource, name))


def already_exists(resource: str, name: str) -> StatusError:
    """Returns the 409 for a name that is taken."""
    message = f"{resource} {quote(name)} already exists"
    return StatusError(409, "AlreadyExists", message, of_resource(resource, name))


def conflict(resource: str, name: str, why: str) -> StatusError:
    """Returns the 409 for a write that is based on another state of the object."""
    message = f"Operation cannot be fulfilled on {resource} {quote(name)}: {why}"
    return StatusError(409, "Conflict", message, of_resource(resource, name))


MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"


def forbidden(resource: str, name: str, why: str) -> StatusError:
    """Returns the 403 of admission or authorization."""
    if not resource:
        return StatusError(403, "Forbidden", f"forbidden: {why}", {})
    subject = f"{resource} {quote(name)}" if name else resource
    return StatusError(403, "Forbidden", f"{subject} is forbidden: {why}", of_resource(resource, name))


def invalid(kind: str, name: str, errors: Sequence[FieldError]) -> StatusError:
    """Returns the 422 for an invalid object; `kind` is its kind with its group: Pod, Deployment.apps."""
    message = f"{kind} {quote(name)} is invalid"
    if errors:
        message += f": {_aggregate(errors)}"
    details = of_resource(kind, name)
    if errors:
        details["causes"] = [error.cause for error in errors]
    return StatusError(422, "Invalid", message, details)


def bad_request(message: str) -> StatusError:
    """Returns the 400 for a malformed request."""
    return StatusError(400, "BadRequest", message)


def internal(message: str) -> StatusError:
    """Returns what the real server reports as an internal error (500)."""
    return StatusError(500, "InternalError", f"Internal error occurred: {message}", {"causes": [{"message": message}]})


def plain(message: str) -> StatusError:
    """Returns a 500 without reason and details, as the real server answers some mistakes of clients."""
    return StatusError(500, "", message)


def method_not_allowed() -> StatusError:
    """Returns the 405 for a method that a path does not have."""
    message = "the server does not allow this method on the requested resource"
    return StatusError(405, "MethodNotAllowed", message, {})


def method_not_supported(resource: str, action: str) -> StatusError:
    """Returns the 405 for an action that a kind does not support, such as deleting a collection."""
    message = f'{action} is not supported on resources of kind "{resource}"'
    return StatusError(405, "MethodNotAllowed", message, of_resource(resource, ""))


def no_such_resource() -> StatusError:
    """Returns the 404 for a resource or subresource that a known group does not have."""
    return StatusError(404, "NotFound", "the server could not find the requested resource", {})


def not_acceptable(accepted: Sequence[str]) -> StatusError:
    """Returns the 406 that lists the media types that can be served."""
    message = f"only the following media types are accepted: {', '.join(accepted)}"
    return StatusError(406, "NotAcceptable", message)


def unsupported_media_type(
    accepted: Sequence[str], prefix: str = "the body of the request was in an unknown format - "
) -> StatusError:
    """Returns the 415 that lists the content types that can be read."""
    message = f"{prefix}accepted media types include: {', '.join(accepted)}"
    return StatusError(415, "UnsupportedMediaType", message)


def too_large(limit: int) -> StatusError:
    """Returns the 413 for a body of more than `limit` bytes."""
    message = f"Request entity too large: limit is {limit}"
    return StatusError(413, "RequestEntityTooLarge", message)


def expired(message: str, continuation: str = "") -> StatusError:
    """Returns the 410 for an expired resource version; `continuation` is a token that continues at the current one."""
    return StatusError(410, "Expired", message, metadata={"continue": continuation} if continuation else None)


def too_many_requests(message: str, causes: Sequence[dict[str, str]] = (), retry_after_s: int = 0) -> StatusError:
    """Returns the 429 for a request that may succeed later."""
    details: Details = {}
    if causes:
        details["causes"] = list(causes)
    if retry_after_s:
        details["retryAfterSeconds"] = retry_after_s
    return StatusError(429, "TooManyRequests", message, details, retry_after_s=retry_after_s)


def version_too_large(asked: int, present: int) -> StatusError:
    """Returns the 504 for a resource version that has not been reached yet."""
    message = f"Too large resource version: {asked}, current: {present}"
    cause = {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
    details = {"causes": [cause], "retryAfterSeconds": 1}
    return StatusError(504, "Timeout", f"Timeout: {message}", details, retry_after_s=1)


def unauthorized() -> StatusError:
    """Returns the 401 for a request without valid credentials."""
    return StatusError(401, "Unauthorized", "Unauthorized")


def of_resource(resource: str, name: str) -> Details:
    """Returns the details that name an object, empty parts left out."""
    kind, _, group = resource.partition(".")
    named = {"name": name, "group": group, "kind": kind}
    return {key: value for key, value in named.items() if value}


def _aggregate(errors: Sequence[FieldError]) -> str:
    """Joins several errors, each only once."""
    texts = list(dict.fromkeys(str(error) for error in errors))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
