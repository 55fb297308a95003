"""Health checks: a server that answers is healthy."""

from __future__ import annotations

from wavetank.apiserver.request import Request, Response

HEALTH = ("healthz", "livez", "readyz")

_HEADERS = (
    ("cache-control", "no-cache, private"),
    ("content-type", "text/plain; charset=utf-8"),
    ("x-content-type-options", "nosniff"),
)
_CHECKS = ("ping", "log", "etcd")


def health(request: Request, parts: list[str]) -> Response | None:
    """Answers /healthz, /livez and /readyz, or one of their checks; None if there is no such check."""
    endpoint, *check = parts
    if check:
        return _text("ok") if check[0] in _CHECKS and len(check) == 1 else None
    if all(name != "verbose" for name, _ in request.query):
        return _text("ok")
    excluded = {value for name, value in request.query if name == "exclude"}
    lines = [f"[+]{name} excluded: ok" if name in excluded else f"[+]{name} ok" for name in _CHECKS]
    if unknown := sorted(excluded.difference(_CHECKS)):
        words = ", ".join(f'"{name}"' for name in unknown)
        lines.append(f"warn: some health checks cannot be excluded: no matches for {words}")
    return _text("".join(f"{line}\n" for line in [*lines, f"{endpoint} check passed"]))


def _text(body: str) -> Response:
    return Response(200, list(_HEADERS), body.encode())
