"""Expressions checked by types before they are used."""

from __future__ import annotations

from collections.abc import Mapping

from wavetank.cel.declarations import Overload, overloads
from wavetank.cel.parser import parse
from wavetank.cel.patterns import PatternError, go_pattern
from wavetank.cel.syntax import Call, Entries, ExpressionError, Has, Ident, Items, Literal, Macro, Node, Select, report
from wavetank.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DYN,
    ERROR,
    INT,
    NULL,
    STRING,
    UINT,
    Type,
    list_of,
    map_of,
    optional_of,
)
from wavetank.cel.values import Uint

_TYPE_NAMES = frozenset(["bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"])
_LONGEST = 100_000  # characters of an expression
_NO_RANGE = "cannot be range of a comprehension (must be list, map, or dynamic)"
_LITERALS = {bool: BOOL, int: INT, Uint: UINT, float: DOUBLE, str: STRING, bytes: BYTES, type(None): NULL}


class Checked:
    """An expression that fits its types: its tree, the type of its value, and the names that it uses.

    `types` are the types of all parts of the tree, by their identity.

    `variables` are the declared names with their types; `bindings` allows cel.bind.
    """

    def __init__(self, source: str, variables: Mapping[str, Type], *, bindings: bool = False) -> None:
        self.source = source
        self.names: set[str] = set()
        self.types: dict[int, Type] = {}
        self._problems: list[tuple[int, str]] = []
        if len(source) > _LONGEST:
            size = f"size: {len(source)}, limit {_LONGEST}"
            raise report("", [(0, f"expression code point size exceeds limit: {size}")])
        try:
            self.tree = parse(source, bindings=bindings)
            self.type = self._type(self.tree, variables)
        except RecursionError:
            raise report("", [(0, "expression recursion limit exceeded: 250")]) from None
        if self._problems:
            raise report(source, self._problems)

    def _problem(self, node: Node, message: str) -> Type:
        self._problems.append((node.at, message))
        return ERROR

    def _type(self, node: Node, variables: Mapping[str, Type]) -> Type:
        found = self.types[id(node)] = self._type_of(node, variables)
        return found

    def _type_of(self, node: Node, variables: Mapping[str, Type]) -> Type:
        match node:
            case Literal():
                return _LITERALS[type(node.value)]
            case Ident():
                return self._ident(node, variables)
            case Select() | Has():
                return self._select(node, variables)
            case Items():
                return self._items(node, variables)
            case Entries():
                return self._entries(node, variables)
            case Macro():
                return self._macro(node, variables)
            case Call():
                return self._call(node, variables)
        raise ExpressionError(f"unknown expression {node!r}")

    def _ident(self, node: Ident, variables: Mapping[str, Type]) -> Type:
        if node.name in variables:
            self.names.add(node.name)
            return variables[node.name]
        if node.name in _TYPE_NAMES:
            return Type("type")
        return self._problem(node, f"undeclared reference to '{node.name}' (in container '')")

    def _select(self, node: Select | Has, variables: Mapping[str, Type]) -> Type:
        operand = self._type(node.operand, variables)
        optional = operand.name == "optional" or (isinstance(node, Select) and node.optional)
        owner = operand.params[0] if operand.name == "optional" else operand
        found = self._field(node, owner)
        if isinstance(node, Has):
            return BOOL
        return optional_of(found) if optional and found.name != "optional" else found

    def _field(self, node: Select | Has, owner: Type) -> Type:
        if owner.name in ("dyn", "!error!"):
            return owner if owner is ERROR else DYN
        if owner.name == "map":
            return owner.params[1]
        if owner.fields is None:
            return self._problem(node, f"type '{owner}' does not support field selection")
        if node.name not in owner.fields:
            return self._problem(node, f"undefined field '{node.name}'")
        return owner.fields[node.name]

    def _items(self, node: Items, variables: Mapping[str, Type]) -> Type:
        common: Type | None = None
        for i, each in enumerate(node.items):
            found = self._type(each, variables)
            if i in node.optional and found.name == "optional":
                found = found.params[0]
            common = self._join(each, common, found)
        return list_of(common or DYN)

    def _entries(self, node: Entries, variables: Mapping[str, Type]) -> Type:
        keys: Type | None = None
        values: Type | None = None
        for key, value, optional in node.entries:
            keys = self._join(key, keys, self._type(key, variables))
            found = self._type(value, variables)
            if optional and found.name == "optional":
                found = found.params[0]
            values = self._join(value, values, found)
        return map_of(keys or DYN, values or DYN)

    def _join(self, node: Node, common: Type | None, found: Type) -> Type:
        if common is None or common is ERROR or found is ERROR:
            return found
        if common == DYN or found == DYN:
            return DYN
        if assign(common, found, {}):
            return common
        if assign(found, common, {}):
            return found
        return self._problem(node, f"expected type '{common}' but found '{found}'")

    # calls

    def _call(self, node: Call, variables: Mapping[str, Type]) -> Type:
        qualified = f"{node.target.name}.{node.name}" if isinstance(node.target, Ident) else ""
        if qualified in overloads() and node.target is not None:
            node.name, node.target = qualified, None
        args = [node.target, *node.args] if node.target is not None else node.args
        types = [self._argument(node, each, variables) for each in args]
        known = overloads().get(node.name)
        if known is None:
            return self._problem(node, f"undeclared reference to '{node.name}' (in container '')")
        if ERROR in types:
            return ERROR
        if node.name in ("_&&_", "_||_"):
            return self._logic(node, types)
        result = self._resolve([each for each in known if each.member == (node.target is not None)], types)
        if result is None:
            shown = f"{types[0]}.({', '.join(map(str, types[1:]))})" if node.target is not None else ""
            shown = shown or f"({', '.join(map(str, types))})"
            return self._problem(node, f"found no matching overload for '{node.name}' applied to '{shown}'")
        self._check_literals(node)
        return result

    def _logic(self, node: Call, types: list[Type]) -> Type:
        for argument, found in zip(node.args, types, strict=True):
            if found not in (BOOL, DYN):
                self._problem(argument, f"expected type 'bool' but found '{found}'")
        return BOOL

    def _argument(self, node: Call, argument: Node, variables: Mapping[str, Type]) -> Type:
        if node.name == "format" and isinstance(argument, Items):  # the only list whose items may differ
            for each in argument.items:
                self._type(each, variables)
            return list_of(DYN)
        return self._type(argument, variables)

    def _resolve(self, candidates: list[Overload], types: list[Type]) -> Type | None:
        results = []
        for each in candidates:
            bound: dict[str, Type] = {}
            pairs = zip(each.args, types, strict=False)
            if len(each.args) == len(types) and all(assign(wanted, found, bound) for wanted, found in pairs):
                results.append(_bind(each.result, bound))
        if not results:
            return None
        return results[0] if all(each == results[0] for each in results) else DYN

    def _check_literals(self, node: Call) -> None:
        """Rejects an invalid pattern."""
        if node.name in ("matches", "find", "findAll"):
            pattern = node.args[0 if node.target is not None else 1]
            if isinstance(pattern, Literal):
                try:
                    go_pattern(pattern.value)
                except PatternError:
                    self._problem(pattern, "invalid matches argument")

    # macros

    def _macro(self, node: Macro, variables: Mapping[str, Type]) -> Type:
        target = self._type(node.target, variables)
        if node.name in ("optMap", "optFlatMap"):
            return self._optional_macro(node, target, variables)
        if node.name == "bind":
            return self._bind(node, target, variables)
        if target is ERROR:
            return ERROR
        if target.name not in ("list", "map", "dyn"):
            return self._problem(node.target, f"expression of type '{target}' {_NO_RANGE}")
        inner = {**variables, **dict(zip(node.names, _variables(target, len(node.names)), strict=True))}
        types = [self._type(each, inner) for each in node.args]
        self.names -= set(node.names) - set(variables)
        predicates = types if node.name in _PREDICATES else types[:-1]
        for each, found in zip(node.args, predicates, strict=False):
            if found not in (BOOL, DYN, ERROR):
                self._problem(each, f"expected type 'bool' but found '{found}'")
        return _macro_result(node, target, types)

    def _bind(self, node: Macro, bound: Type, variables: Mapping[str, Type]) -> Type:
        found = self._type(node.args[0], {**variables, node.names[0]: bound})
        self.names -= set(node.names) - set(variables)
        return found

    def _optional_macro(self, node: Macro, target: Type, variables: Mapping[str, Type]) -> Type:
        inside = target.params[0] if target.name == "optional" else DYN
        found = self._type(node.args[0], {**variables, node.names[0]: inside})
        return optional_of(found) if node.name == "optMap" else found


_PREDICATES = ("all", "exists", "exists_one", "existsOne", "filter")


def _variables(target: Type, count: int) -> tuple[Type, ...]:
    if target.name == "dyn":
        return (DYN, DYN)[:count]
    if target.name == "map":
        return target.params[:count]
    return (target.params[0],) if count == 1 else (INT, target.params[0])


def _macro_result(node: Macro, target: Type, types: list[Type]) -> Type:
    if node.name == "filter":
        return list_of(target.params[0] if target.params else DYN)
    if node.name in ("map", "transformList"):
        return list_of(types[-1])
    if node.name == "transformMap":
        return map_of(target.params[0] if target.name == "map" else INT, types[-1])
    return BOOL


def assign(wanted: Type, found: Type, bound: dict[str, Type]) -> bool:
    """Returns whether a value of one type can stand where another is wanted; variables are bound on the way."""
    if wanted.is_variable:
        if wanted.name not in bound or bound[wanted.name] in (DYN, NULL):
            bound[wanted.name] = found
            return True
        return assign(bound[wanted.name], found, {}) or assign(found, bound[wanted.name], {})
    if found.is_variable or "dyn" in (wanted.name, found.name):
        return True
    if found == NULL:
        return wanted.fields is not None or wanted.name in ("null", "timestamp", "duration", "optional")
    if wanted == NULL:
        return found.fields is not None
    if wanted.name != found.name or len(wanted.params) != len(found.params):
        return False
    return all(assign(*pair, bound) for pair in zip(wanted.params, found.params, strict=True))


def _bind(result: Type, bound: Mapping[str, Type]) -> Type:
    if result.is_variable:
        return bound.get(result.name, DYN)
    return Type(result.name, tuple(_bind(each, bound) for each in result.params), result.fields)
