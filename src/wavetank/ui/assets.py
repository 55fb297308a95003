"""The files of the page. They load nothing from elsewhere and hold no data of a cluster, so they need no token."""

from __future__ import annotations

from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from wavetank.apiserver.http.asgi import SITE
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
    """Returns a file of the page, None if the path is none of it; /ui itself leads to /ui/."""
    if path == SITE:
        return Response(307, [("location", f"{SITE}/"), *_HEADERS])
    name = path.removeprefix(f"{SITE}/") or "index.html"
    content = _assets().get(name) if path.startswith(f"{SITE}/") else None
    if content is None:
        return None
    return Response(200, [("content-type", _TYPES[name.rpartition(".")[2]]), *_HEADERS], content)


@cache
def _assets() -> dict[str, bytes]:
    return _files_below(resources.files(__package__) / "assets", "")


def _files_below(folder: Traversable, prefix: str) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for each in folder.iterdir():
        if each.is_dir():
            files |= _files_below(each, f"{prefix}{each.name}/")
        else:
            files[prefix + each.name] = each.read_bytes()
    return files
