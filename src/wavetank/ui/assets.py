from __future__ import annotations

from functools import cache
from importlib import resources

from wavetank.apiserver.http.asgi import SITE
from wavetank.apiserver.http.staticfiles import StaticFiles
from wavetank.apiserver.requests.request import Response
from wavetank.report.page.pagefile import join_module

# What the report saves charts and tables with; the page's scripts import it as a module.
_SAVING_SCRIPTS = ("js/page/dom", "js/page/downloads", "js/page/svgcontext")
_SAVING_NAMES = ("chartDownloads", "pictureOf", "tableDownload", "tableRows")


def find_asset(path: str) -> Response | None:
    """Returns a file of the page, None if the path is none of it; /ui itself leads to /ui/."""
    if path == SITE:
        return Response(307, [("location", f"{SITE}/")])
    if not path.startswith(f"{SITE}/"):
        return None
    return _files().find(path.removeprefix(f"{SITE}/") or "index.html")


@cache
def _files() -> StaticFiles:
    return StaticFiles(resources.files(__package__) / "assets", {"js/saving.js": saving_module()})


def saving_module() -> str:
    """Returns the module with which the page saves charts as SVG, and charts and tables as CSV."""
    return join_module(_SAVING_SCRIPTS, _SAVING_NAMES)
