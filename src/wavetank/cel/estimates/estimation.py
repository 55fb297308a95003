from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from wavetank.cel.checker import Checked
from wavetank.cel.estimates.calls import Argument, estimate_call
from wavetank.cel.estimates.sizes import UNKNOWN, Entry, Size, add, exactly, multiply
from wavetank.cel.syntax import Call, Entries, Has, Ident, Items, Literal, Macro, Node, Select
from wavetank.cel.types import DYN, Type

Path = tuple[str, ...]
SizeOf = Callable[[Path], int | None]  # the greatest size of a value below the variable, None if it is unknown

_LIST, _MAP = 10, 30  # what it costs to make one
_SCALARS = ("bool", "double", "duration", "int", "timestamp", "uint")


class _Local(NamedTuple):
    """A variable of a macro."""

    path: Path
    size: Size | None
    entry: Entry | None


def estimate_cost(checked: Checked, size_of: SizeOf) -> int:
    """Returns what an expression costs at most, in the units of the real estimator; its quirks are kept.

    `size_of` knows values by their paths: names of fields, @items, @keys and @values.
    """
    return _Estimator(checked, size_of).cost(checked.tree)


class _Estimator:
    def __init__(self, checked: Checked, size_of: SizeOf) -> None:
        self._types = checked.types
        self._size_of = size_of
        self._paths: dict[int, Path] = {}
        self._sizes: dict[int, Size] = {}
        self._entries: dict[int, Entry] = {}
        self._locals: dict[str, list[_Local]] = {}

    def cost(self, node: Node) -> int:
        """Returns the greatest cost of a part; sizes and paths are noted on the way."""
        match node:
            case Ident():
                local = self._local(node)
                self._paths[id(node)] = local.path if local is not None else (node.name,)
                return 1
            case Select():
                return self._select(node)
            case Has():
                return self.cost(node.operand)
            case Items():
                return self._items(node)
            case Entries():
                return self._map(node)
            case Call():
                return self._call(node)
            case Macro():
                return self._macro(node)
        return 0

    def _select(self, node: Select) -> int:
        operand = self.cost(node.operand)
        if node.optional:  # a call in the real tree
            return add(operand, 1)
        self._paths[id(node)] = (*self._path(node.operand), node.name)
        owner = self._type(node.operand)
        return add(operand, 1) if owner.name == "map" or owner.fields is not None or owner.is_variable else operand

    def _items(self, node: Items) -> int:
        costs = [self.cost(each) for each in node.items]
        value = self._union(node.items)
        self._entries[id(node)] = Entry(True, exactly(1), value)
        return add(_LIST, *costs)

    def _map(self, node: Entries) -> int:
        costs = [self.cost(each) for key, value, _ in node.entries for each in (key, value)]
        keys, values = [key for key, _, _ in node.entries], [value for _, value, _ in node.entries]
        self._entries[id(node)] = Entry(False, self._union(keys), self._union(values))
        return add(_MAP, *costs)

    def _union(self, nodes: list[Node]) -> Size:
        sizes = [self._size(each) or UNKNOWN for each in nodes]
        return Size(min(each.least for each in sizes), max(each.most for each in sizes)) if sizes else exactly(0)

    # calls

    def _call(self, node: Call) -> int:
        costs = [self.cost(each) for each in node.args]
        if node.name == "dyn":
            self._copy(node, node.args[0])
            return add(1, *costs)
        if node.name in ("_&&_", "_||_"):
            self._note_size(node, None)
            return add(*costs)
        if node.name == "_?_:_":
            return self._conditional(node, costs)
        target = None if node.target is None else self.cost(node.target)
        owner = None if node.target is None else self._argument(node.target)
        found = estimate_call(node.name, owner, [self._argument(each) for each in node.args])
        size = found.size
        if node.name == "_+_" and size is not None:
            self._join_entries(node, node.args)
        if node.name == "_[_]":
            size = self._index(node) or size
        self._note_size(node, size)
        return add(target or 0, found.cost, *costs)

    def _conditional(self, node: Call, costs: list[int]) -> int:
        _, first, second = node.args
        self._join_entries(node, [first, second])
        self._note_size(node, (self._size(first) or UNKNOWN).union(self._size(second) or UNKNOWN))
        return add(costs[0], max(costs[1:]))

    def _index(self, node: Call) -> Size | None:
        """Notes the path of an item or a value, and returns its size if it is known."""
        container = node.args[0]
        kind = self._type(container).name
        if kind not in ("list", "map", "dyn"):
            return None
        self._paths[id(node)] = (*self._path(container), "@items" if kind == "list" else "@values")
        entry = self._entry(container)
        return entry.value if entry is not None else None

    def _argument(self, node: Node) -> Argument:
        path = self._path(node)
        item = self._size_of((*path, "@items")[1:]) if path else None
        size = self._size(node) or UNKNOWN
        return Argument(node, self._type(node), size, UNKNOWN if item is None else Size(0, item))

    def _join_entries(self, node: Node, parts: list[Node]) -> None:
        first, second = (self._entry(each) for each in parts)
        if first is not None and second is not None:
            self._entries[id(node)] = first.union(second)

    def _note_size(self, node: Node, size: Size | None) -> None:
        size = size or self._size(node)
        if size is not None:
            self._sizes[id(node)] = size

    def _copy(self, node: Node, source: Node) -> None:
        size, entry = self._size(source), self._entry(source)
        if size is not None:
            self._sizes[id(node)] = size
        if entry is not None:
            self._entries[id(node)] = entry

    # macros, as the loops that they stand for

    def _macro(self, node: Macro) -> int:
        target = self.cost(node.target)
        if node.name in ("optMap", "optFlatMap", "bind"):
            return self._binding(node, target)
        with self._iterating(node):
            costs = [self.cost(each) for each in node.args]
            entry = self._result_entry(node)
        count = self._size(node.target) or UNKNOWN
        begin, step = _loop(node, costs)
        if node.name in ("filter", "map", "transformList", "transformMap"):
            self._sizes[id(node)] = count
            if entry is not None:
                self._entries[id(node)] = entry
        else:
            self._sizes[id(node)] = exactly(1)
        return add(target, begin, multiply(count.most, step))

    def _result_entry(self, node: Macro) -> Entry | None:
        if node.name == "transformMap":
            return None
        made = node.args[-1] if node.name != "filter" else None
        size = self._size(made) if made is not None else self._local_size(node.names[-1], node)
        return Entry(True, exactly(1), exactly(0).union(size or UNKNOWN))

    def _local_size(self, name: str, node: Macro) -> Size | None:
        local = self._locals[name][-1]
        found = self._size_of(local.path[1:]) if local.path else None
        if found is not None:
            return Size(0, found)
        target = self._type(node.target)
        kind = target.params[0].name if target.params else "dyn"
        return exactly(1) if kind in _SCALARS else local.size

    @contextmanager
    def _iterating(self, node: Macro) -> Iterator[None]:
        """Declares the variables of a loop."""
        entry = self._entry(node.target)
        is_list = entry.is_list if entry is not None else self._type(node.target).name == "list"
        path = self._path(node.target)
        key = _Local((*path, "@indices" if is_list else "@keys"), entry.key if entry else None, None)
        value = _Local((*path, "@items" if is_list else "@values"), entry.value if entry else None, None)
        found = [key, value] if len(node.names) == 2 else [value if is_list else key]
        with self._declared(node.names, found):
            yield

    @contextmanager
    def _declared(self, names: list[str], found: list[_Local]) -> Iterator[None]:
        for name, local in zip(names, found, strict=True):
            self._locals.setdefault(name, []).append(local)
        try:
            yield
        finally:
            for name in names:
                self._locals[name].pop()

    def _binding(self, node: Macro, target: int) -> int:
        """Estimates a variable for one value; an empty list stands for the loop in the real tree."""
        if node.name == "bind":
            local = _Local(self._path(node.target), self._size(node.target), self._entry(node.target))
        else:
            inside = self._type(node.target).params[0] if self._type(node.target).params else DYN
            local = _Local((), exactly(1) if inside.name in _SCALARS else None, None)
        with self._declared(node.names, [local]):
            result = self.cost(node.args[0])
            self._copy(node, node.args[0])
        if node.name == "bind":
            return add(_LIST, target, result)
        made = 1 if node.name == "optMap" else 0
        return add(target, 1, made, _LIST, target, 1, result)

    # what is known of a part

    def _type(self, node: Node) -> Type:
        return self._types.get(id(node), DYN)

    def _local(self, node: Node) -> _Local | None:
        found = self._locals.get(node.name) if isinstance(node, Ident) else None
        return found[-1] if found else None

    def _path(self, node: Node) -> Path:
        local = self._local(node)
        return local.path if local is not None else self._paths.get(id(node), ())

    def _size(self, node: Node) -> Size | None:
        if id(node) in self._sizes:
            return self._sizes[id(node)]
        match node:
            case Literal():
                return exactly(len(node.value) if isinstance(node.value, str | bytes) else 1)
            case Items():
                return exactly(len(node.items))
            case Entries():
                return exactly(len(node.entries))
        path = self._path(node)
        most = self._size_of(path[1:]) if path else None
        if most is not None:
            self._sizes[id(node)] = Size(0, most)
            return self._sizes[id(node)]
        if _is_scalar(self._type(node)):
            return exactly(1)
        local = self._local(node)
        return local.size if local is not None else None

    def _entry(self, node: Node) -> Entry | None:
        found = self._entries.get(id(node))
        local = self._local(node)
        return found if found is not None else local.entry if local is not None else None


def _is_scalar(kind: Type) -> bool:
    return _is_scalar(kind.params[0]) if kind.name == "optional" else kind.name in _SCALARS


def _loop(node: Macro, costs: list[int]) -> tuple[int, int]:
    """Returns the cost of a loop around its steps, and of each step."""
    body = costs[-1]
    match node.name:
        case "all":
            return 1, add(3, body)
        case "exists":
            return 1, add(4, body)
        case "exists_one" | "existsOne":
            return 2, add(2, body)
        case "filter":
            return _LIST + 1, add(body, 3, _LIST)
        case "transformMap":
            begin, step = _MAP + 1, add(body, 3)
        case _:
            begin, step = _LIST + 1, add(body, 2, _LIST)
    return begin, add(step, *costs[:-1])
