from __future__ import annotations

from functools import cache
from importlib import resources

from wavetank.apiserver.http.asgi import SITE
from wavetank.apiserver.http.staticfiles import StaticFiles
from wavetank.apiserver.requests.request import Response


def find_asset(path: str) -> Response | None:
    """Returns a file of the page, None if the path is none of it; /ui itself leads to /ui/."""
    if path == SITE:
        return Response(307, [("location", f"{SITE}/")])
    if not path.startswith(f"{SITE}/"):
        return None
    return _files().find(path.removeprefix(f"{SITE}/") or "index.html")


@cache
def _files() -> StaticFiles:
    return StaticFiles(resources.files(__package__) / "assets")
