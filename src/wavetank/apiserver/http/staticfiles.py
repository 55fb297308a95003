"""The files of a web page. They load nothing from elsewhere and hold no data, so that they need no token."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources.abc import Traversable

from wavetank.apiserver.requests.request import Response
from wavetank.style import COLOURS, colours

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


class StaticFiles:
    """The files of a folder and of the folders in it, read once, and the colours that all pages share.

    `more` are files that are made from others: their texts by their paths.
    """

    def __init__(self, folder: Traversable, more: Mapping[str, str] | None = None) -> None:
        made = {COLOURS: colours(), **(more or {})}
        self._files = {name: text.encode() for name, text in made.items()} | _files_below(folder, "")

    def find(self, name: str) -> Response | None:
        """Returns a file by its path inside the folder; None if there is none."""
        content = self._files.get(name)
        if content is None:
            return None
        return Response(200, [("content-type", _TYPES[name.rpartition(".")[2]]), *_HEADERS], content)


def _files_below(folder: Traversable, prefix: str) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for each in folder.iterdir():
        if each.is_dir():
            files |= _files_below(each, f"{prefix}{each.name}/")
        else:
            files[prefix + each.name] = each.read_bytes()
    return files
