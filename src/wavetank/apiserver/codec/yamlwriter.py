"""YAML as the API server writes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml

_STRING = "tag:yaml.org,2002:str"
# Tags that PyYAML gives to "=" and to a single "*", "&" or "!", but the server's library does not.
_STRINGS = frozenset({_STRING, "tag:yaml.org,2002:yaml", "tag:yaml.org,2002:value"})
_OLD_BOOLEANS = frozenset("yYnN")


class _Dumper(yaml.CSafeDumper):
    """Writes keys in order and quotes what a reader would take for anything but a string."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def dump(document: Any) -> bytes:
    """Writes a document: sorted keys, lists not indented, lines of 80 characters."""
    text = yaml.dump(document, Dumper=_Dumper, default_flow_style=False, allow_unicode=True)
    return text.encode()


def _string(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = None
    if "\n" in text:
        style = "|"
    elif text in _OLD_BOOLEANS or _resolve(dumper, text) not in _STRINGS:
        style = '"'
    return dumper.represent_scalar(_STRING, text, style=style)


def _resolve(dumper: _Dumper, text: str) -> str:
    resolve: Callable[..., str] = dumper.resolve
    return resolve(yaml.ScalarNode, text, (True, False))


_Dumper.add_representer(str, _string)
