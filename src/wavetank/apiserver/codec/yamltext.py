"""YAML texts, read as the real server's YAML 1.1 reader does: the first document only, as JSON."""

from __future__ import annotations

import base64
import re
from typing import Any

import yaml

from wavetank.apiserver.codec.mismatch import UnreadableError
from wavetank.cel.gotext import quote
from wavetank.cluster.yamldepth import BaseLoader, TooDeepError, is_too_deep, release

_MOST_VALUES = 1_000_000  # that the aliases of a body may stand for
_INTEGER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|0|[1-9][0-9]*)", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_TRUE = frozenset(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"])
_FALSE = frozenset(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"])
_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_NOT_A_NUMBER = frozenset(
    (".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF", ".nan", ".NaN", ".NAN")
)
_STRICT = "yaml: unmarshal errors:\n"
_PREFIX = "tag:yaml.org,2002:"
_PLAIN = "plain"


def parse_yaml(body: bytes) -> tuple[Any, list[str]]:
    """Returns the first document and the strict errors about its duplicate keys; of those the last one counts."""
    try:
        root = _first_node(body)
        try:
            reader = _Reader(root)
            return reader.document(), reader.strict
        finally:
            _release_all(root)
    except yaml.composer.ComposerError as error:
        raise UnreadableError(f"yaml: unknown anchor {_anchor(body, error)} referenced") from None
    except yaml.MarkedYAMLError as error:
        raise UnreadableError(f"yaml: {_where(error)}{error.problem}") from None
    except (TooDeepError, RecursionError):
        raise UnreadableError("yaml: exceeded max depth of 10000") from None
    except (yaml.YAMLError, ValueError) as error:
        raise UnreadableError(f"yaml: {' '.join(str(error).split())}") from None


def warning_lines(text: str) -> list[str]:
    """Returns a strict error as it is sent in warnings: what a YAML reader has to say, line by line."""
    body = text.removeprefix(_STRICT)
    return [text] if body == text else [line.strip() for line in body.splitlines()]


class _Loader(BaseLoader):
    """Loads nodes in which plain scalars, whose text decides their type, differ from quoted and tagged ones."""

    def resolve(self, kind: type[yaml.Node], value: Any, implicit: Any) -> str:
        """Returns the tag of a node without one."""
        return _PLAIN if kind is yaml.ScalarNode and implicit[0] else "str"


def _first_node(body: bytes) -> Any:
    loader = _Loader(body)
    try:
        return loader.get_node() if loader.check_node() else None
    finally:
        loader.dispose()


def _where(error: yaml.MarkedYAMLError) -> str:
    mark = error.problem_mark
    if mark is None or mark.line == 0:
        return ""
    return f"line {mark.line + isinstance(error, yaml.scanner.ScannerError)}: "


def _anchor(body: bytes, error: yaml.MarkedYAMLError) -> str:
    mark = error.problem_mark
    line = body.decode("utf-8", "replace").splitlines()[mark.line] if mark else ""
    name = re.match(r"\*([\w-]+)", line[mark.column :]) if mark else None
    return f"'{name[1] if name else ''}'"


class _Reader:
    """Makes JSON of nodes; an alias is made once, but counted each time."""

    def __init__(self, node: Any) -> None:
        self.strict: list[str] = []
        self._root = node
        self._known: dict[int, Any] = {}
        self._sizes: dict[int, int] = {}  # of lists and mappings, with all that aliases in them stand for
        self._scalars = 0  # in all of them, each once

    def document(self) -> Any:
        if self._root is None:
            return None
        repeated = self._size(self._root) - len(self._sizes) - self._scalars  # values that aliases stand for
        if repeated > _MOST_VALUES:
            raise UnreadableError("yaml: document contains excessive aliasing")
        value = self._value(self._root)
        if repeated and is_too_deep(value):  # an alias may be as deep as the document before it
            raise TooDeepError
        if self.strict:
            self.strict = [_STRICT + "\n".join(self.strict)]
        return value

    def _size(self, node: Any) -> int:
        if isinstance(node, yaml.ScalarNode):
            return 1
        if id(node) not in self._sizes:
            self._sizes[id(node)] = 2 * _MOST_VALUES  # an alias to its own container would never end
            parts = node.value if isinstance(node, yaml.SequenceNode) else [each for _, each in node.value]
            scalars = sum(isinstance(part, yaml.ScalarNode) for part in parts)
            self._scalars += scalars
            inner = (self._size(part) for part in parts if not isinstance(part, yaml.ScalarNode))
            self._sizes[id(node)] = 1 + scalars + sum(inner)
        return self._sizes[id(node)]

    def _value(self, node: Any) -> Any:
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        if id(node) not in self._known:
            made = self._list(node) if isinstance(node, yaml.SequenceNode) else self._mapping(node)
            self._known[id(node)] = made
        return self._known[id(node)]

    def _list(self, node: Any) -> list[Any]:
        made = [self._value(each) for each in node.value]
        release(node.value)
        return made

    def _mapping(self, node: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if key_node.value == "<<" and key_node.tag == _PLAIN:
                merged = {**self._merge(value_node), **merged}
                continue
            key = _key(key_node)
            if key in found:
                self.strict.append(f"  line {key_node.start_mark.line + 1}: key {quote(key)} already set in map")
            found[key] = self._value(value_node)
        release(node.value)
        return {**merged, **found}

    def _merge(self, node: Any) -> dict[str, Any]:
        parts = node.value if isinstance(node, yaml.SequenceNode) else [node]
        merged: dict[str, Any] = {}
        for part in parts:
            if not isinstance(part, yaml.MappingNode):
                raise UnreadableError("yaml: map merge requires map or sequence of maps as the value")
            merged = {**self._value(part), **merged}
        return merged


def _release_all(root: Any) -> None:
    """Lets go of all nodes that have not been read, one after the other."""
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, yaml.SequenceNode):
            pending += node.value
        elif isinstance(node, yaml.MappingNode):
            pending += (part for pair in node.value for part in pair)
        else:
            continue
        node.value = []


def _key(node: Any) -> str:
    value = _scalar(node) if isinstance(node, yaml.ScalarNode) else None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return f"{value:g}" if isinstance(value, float) else str(value)
    raise UnreadableError("unsupported map key: only texts, numbers and booleans can be names of fields")


def _scalar(node: yaml.ScalarNode) -> Any:
    text = str(node.value)
    tag = str(node.tag).removeprefix(_PREFIX)
    if tag == "binary":
        return base64.b64decode(text).decode("utf-8", "replace")
    if tag == "str":
        return text
    if text in _NULL:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if text in _NOT_A_NUMBER:
        raise UnreadableError(f"json: unsupported value: {text.strip('.')}")
    number = _number(text.replace("_", "")) if text[0] in "+-.0123456789" else None
    return text if number is None else number


def _number(text: str) -> int | float | None:
    if _INTEGER.fullmatch(text):
        sign, digits = (-1, text[1:]) if text[0] == "-" else (1, text.lstrip("+"))
        base = 8 if re.fullmatch(r"0[0-7]+", digits) else 0
        value = sign * int(digits, base)
        if -(2**63) <= value < 2**64:
            return value
    return float(text) if _FLOAT.fullmatch(text) else None
