"""The page of the interface, to watch testbeds and to build queues by hand; it loads nothing from elsewhere."""

from __future__ import annotations

from functools import cache
from importlib import resources

from wavetank.apiserver.requests.request import Response

_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = [
    ("content-security-policy", _POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-cache"),
]


def find_asset(path: str) -> Response | None:
    """Returns a file of the page; None if the path is none of it. It has no data, so that it needs no token."""
    name = "index.html" if path == "/" else path.removeprefix("/assets/") if path.startswith("/assets/") else ""
    content = _assets().get(name)
    if content is None:
        return None
    return Response(200, [("content-type", _TYPES[name.rpartition(".")[2]]), *_HEADERS], content)


@cache
def _assets() -> dict[str, bytes]:
    folder = resources.files(__package__) / "assets"
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}
