"""A self-contained HTML file: a template with its slots filled, style, data and scripts."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from wavetank.files import replacing
from wavetank.style import colours

ASSETS = files("wavetank.report") / "assets"

_SLOT = re.compile(r"<!--slot:([a-z]+)-->")


def fill_page(
    template: str, title: str, styles: Sequence[str], scripts: Sequence[str], data: Any, slots: Mapping[str, str]
) -> str:
    """Returns the page; styles and scripts are names of assets, later scripts use earlier ones, the last starts them.

    The template has what follows `<body>`; `slots` are HTML. The page may run its own scripts and fetch nothing.
    """
    script = join_scripts(scripts)
    filled = {
        "policy": _policy(script),
        "title": escape(title),
        "style": colours() + "".join(asset(name) for name in styles),
        "data": _island(data),
        "script": script,
        **slots,
    }
    # In one pass: what fills a slot is never searched for slots.
    return _SLOT.sub(lambda slot: filled[slot[1]], asset("head.html") + asset(template))


def write_page(target: Path, page: str) -> Path:
    """Writes a page by a rename, so that it is never seen incomplete, and returns its path; InputError if it cannot."""
    with replacing(target) as unfinished:
        unfinished.write_text(page, encoding="utf-8")
    return target


def asset(name: str) -> str:
    """Returns the text of an asset."""
    return (ASSETS / name).read_text(encoding="utf-8")


def join_scripts(names: Sequence[str]) -> str:
    """Returns the scripts of a page as the one that it runs."""
    return f'"use strict";\n(() => {{\n{_text_of(names)}}})();\n'


def join_module(names: Sequence[str], exported: Sequence[str]) -> str:
    """Returns scripts as a module that exports some of their names, for pages that are made of modules."""
    return f"{_text_of(names)}\nexport {{ {', '.join(exported)} }};\n"


def _text_of(names: Sequence[str]) -> str:
    return "\n".join(asset(f"{name}.js") for name in names)


def _policy(script: str) -> str:
    """Returns a content security policy under which only our own script runs and nothing is ever fetched."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'"


def _island(data: Any) -> str:
    """Returns JSON that may stand inside a script element, whatever the names in it."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
