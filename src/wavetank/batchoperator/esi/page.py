"""The page of the interface, to watch testbeds and to build queues by hand."""

from __future__ import annotations

from functools import cache
from importlib import resources

from wavetank.apiserver.http.staticfiles import StaticFiles
from wavetank.apiserver.requests.request import Response


def find_asset(path: str) -> Response | None:
    """Returns a file of the page; None if the path is none of it."""
    name = "index.html" if path == "/" else path.removeprefix("/assets/") if path.startswith("/assets/") else ""
    return _files().find(name)


@cache
def _files() -> StaticFiles:
    return StaticFiles(resources.files(__package__) / "assets")
