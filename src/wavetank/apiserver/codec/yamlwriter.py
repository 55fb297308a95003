"""YAML as the API server writes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml

from wavetank.apiserver.waiting import runs_beside

_STRING = "tag:yaml.org,2002:str"
# Tags that PyYAML gives to "=" and to a single "*", "&" or "!", but the server's library does not.
_STRINGS = frozenset({_STRING, "tag:yaml.org,2002:yaml", "tag:yaml.org,2002:value"})
_PLAIN, _QUOTED = (True, False), (False, True)
_OLD_BOOLEANS = frozenset("yYnN")


class _Dumper(yaml.CSafeDumper):
    """Writes keys in order and quotes what a reader would take for anything but a string."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


class _PatientDumper(_Dumper):
    """Writes value by value: while the C library writes a document in one piece, no other thread runs."""

    def serialize(self, node: yaml.Node) -> None:
        self.emit(yaml.DocumentStartEvent(explicit=False))
        self._emit_all(node)
        self.emit(yaml.DocumentEndEvent(explicit=False))

    def _emit_all(self, node: yaml.Node) -> None:
        if isinstance(node, yaml.ScalarNode):
            plain, quoted = (node.tag == _resolve(self, node.value, each) for each in (_PLAIN, _QUOTED))
            self.emit(yaml.ScalarEvent(None, node.tag, (plain, quoted), node.value, style=node.style))
        elif isinstance(node, yaml.SequenceNode):
            self.emit(yaml.SequenceStartEvent(None, node.tag, True, flow_style=node.flow_style))
            for each in node.value:
                self._emit_all(each)
            self.emit(yaml.SequenceEndEvent())
        elif isinstance(node, yaml.MappingNode):
            self.emit(yaml.MappingStartEvent(None, node.tag, True, flow_style=node.flow_style))
            for key, value in node.value:
                self._emit_all(key)
                self._emit_all(value)
            self.emit(yaml.MappingEndEvent())


def dump(document: Any) -> bytes:
    """Writes a document, beside the loop in pieces: sorted keys, lists not indented, lines of 80 characters."""
    dumper = _PatientDumper if runs_beside() else _Dumper
    text = yaml.dump(document, Dumper=dumper, default_flow_style=False, allow_unicode=True)
    return text.encode()


def _string(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = None
    if "\n" in text:
        style = "|"
    elif text in _OLD_BOOLEANS or _resolve(dumper, text) not in _STRINGS:
        style = '"'
    return dumper.represent_scalar(_STRING, text, style=style)


def _resolve(dumper: _Dumper, text: str, implicit: tuple[bool, bool] = _PLAIN) -> str:
    resolve: Callable[..., str] = dumper.resolve
    return resolve(yaml.ScalarNode, text, implicit)


_Dumper.add_representer(str, _string)
