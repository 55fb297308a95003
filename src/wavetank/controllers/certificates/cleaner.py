from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime

from cryptography import x509

from wavetank.cluster.objects.groupkinds import CERTIFICATE_SIGNING_REQUEST
from wavetank.cluster.objects.resource import Resource, parse_time, render_time
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.certificates.requests import APPROVED, DENIED, FAILED, conditions_of, has_condition, status_of
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key
from wavetank.kernel.durations import SECOND, Nanoseconds

_PERIOD: Nanoseconds = 3600 * SECOND
_DECIDED: Nanoseconds = 3600 * SECOND  # how long issued, denied and failed requests are kept
_PENDING: Nanoseconds = 24 * 3600 * SECOND  # and those without a decision or a certificate
_ALL: Key = ("", "")


class CertificateCleaner:
    """The certificatesigningrequest-cleaner-controller: deletes old requests, every hour."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._queue = context.queue(self._clean)
        context.store.subscribe(CERTIFICATE_SIGNING_REQUEST, added=lambda new: self._look_later())
        self._look_later()

    def _look_later(self) -> None:
        self._queue.add_after(_ALL, _PERIOD - self._context.clock.now % _PERIOD, background=True)

    def _clean(self, key: Key) -> None:
        for request in list(self._context.store.list(CERTIFICATE_SIGNING_REQUEST)):
            if self._is_over(request):
                with suppress(ApiError):
                    self._context.client.delete(request)
        if self._context.store.has(CERTIFICATE_SIGNING_REQUEST):
            self._look_later()

    def _is_over(self, request: Resource) -> bool:
        now = self._context.clock.now
        return any(now - since > limit for since, limit in _ages(request)) or self._has_expired(request)

    def _has_expired(self, request: Resource) -> bool:
        certificate = status_of(request).get("certificate")
        if not certificate or not has_condition(request, APPROVED):
            return False
        now = datetime.fromisoformat(render_time(self._context.clock.now))
        return now > x509.load_pem_x509_certificate(base64.b64decode(certificate)).not_valid_after_utc


def _ages(request: Resource) -> Iterator[tuple[Nanoseconds, Nanoseconds]]:
    """Yields since when a request is in a state, and how long it may be."""
    conditions = conditions_of(request)
    if not conditions:
        yield request.created, _PENDING
    is_issued = bool(status_of(request).get("certificate"))
    limits = {APPROVED: _DECIDED if is_issued else _PENDING, DENIED: _DECIDED, FAILED: _DECIDED}
    for condition in conditions:
        since = parse_time(condition.get("lastUpdateTime"), "lastUpdateTime")
        limit = limits.get(str(condition.get("type")))
        if since is not None and limit is not None:
            yield since, limit
