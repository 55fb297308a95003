"""Labels and the selectors over them, compiled once and compared by meaning."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeVar

from wavetank.cluster.fields.labels import VERY_MANY, Labels, has_all, hashes_of
from wavetank.cluster.fields.termindex import MANY_TERMS, NodeTermIndex
from wavetank.errors import InputError

if TYPE_CHECKING:
    from wavetank.cluster.fields.labels import Hashes

T = TypeVar("T")

_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_SUBDOMAIN = re.compile(r"(?=.{1,253}\Z)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_INTEGER = re.compile(r"[+-]?[0-9]{1,63}")
_NODE_NAME = "metadata.name"


def read_mapping(raw: object) -> Mapping[str, object]:
    """Reads a JSON object; null reads as an empty one."""
    if raw is not None and not isinstance(raw, Mapping):
        raise InputError(f"{raw!r} is not an object")
    return raw or {}


def read_text(raw: object) -> str:
    """Reads a string; null reads as the empty one, as Kubernetes does."""
    if raw is not None and not isinstance(raw, str):
        raise InputError(f"{raw!r} is not a string")
    return raw or ""


def read_choice(*choices: str) -> Callable[[object], str]:
    """Returns a reader of one of the given words."""

    def read(raw: object) -> str:
        if raw not in choices:
            raise InputError(f"{raw!r} is unknown, expected one of {', '.join(choices)}")
        return str(raw)

    return read


def read_list(read_item: Callable[[object], T]) -> Callable[[object], tuple[T, ...]]:
    """Returns a reader of a list of such items; null reads as an empty list."""

    def read(raw: object) -> tuple[T, ...]:
        if raw is not None and not isinstance(raw, list | tuple):
            raise InputError(f"{raw!r} is not a list")
        return tuple(read_at(f"[{index}]", item, read_item) for index, item in enumerate(raw or ()))

    return read


def read_field(owner: Mapping[str, object], name: str, read: Callable[[object], T]) -> T:
    """Reads one field of a JSON object (null if it is missing)."""
    return read_at(name, owner.get(name), read)


def read_at(path: str, raw: object, read: Callable[[object], T]) -> T:
    """Reads what stands at `path`, which its errors then name."""
    try:
        return read(raw)
    except InputError as error:
        raise error.inside(path=path) from None


def read_label_key(raw: object) -> str:
    """Reads a label or taint key: a name of at most 63 characters, perhaps after a DNS prefix and a slash."""
    key = read_text(raw)
    prefix, slash, name = key.rpartition("/")
    if not _NAME.fullmatch(name) or (slash and not _SUBDOMAIN.fullmatch(prefix)):
        raise InputError(f"{key!r} is not a label key, expected a form such as app or example.com/app")
    return key


def read_label_value(raw: object) -> str:
    """Reads a label or taint value: empty, or at most 63 letters, digits and inner `-`, `_`, `.`."""
    value = read_text(raw)
    if value and not _NAME.fullmatch(value):
        raise InputError(f"{value!r} is not a label value, expected at most 63 letters, digits, '-', '_' or '.'")
    return value


def read_node_name(raw: object) -> str:
    """Reads a node's name: a DNS subdomain."""
    name = read_text(raw)
    if not _SUBDOMAIN.fullmatch(name):
        raise InputError(f"{name!r} is not a node name, expected a DNS name in lower case")
    return name


@dataclass(frozen=True, slots=True)
class Requirement:
    """What one label must be: In, NotIn, Exists, DoesNotExist, or Gt and Lt with a single value."""

    key: str
    operator: str
    values: frozenset[str] = frozenset()

    def matches(self, labels: Labels) -> bool:
        """Returns whether the labels meet the requirement."""
        return self.accepts(labels.get(self.key))

    def accepts(self, value: str | None) -> bool:
        """Returns whether the key may have this value; None stands for a missing key."""
        match self.operator:
            case "In":
                return value in self.values
            case "NotIn":
                return value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
        return value is not None and self._compares(value)

    def _compares(self, value: str) -> bool:
        (limit,) = self.values
        number, bound = _integer(value), _integer(limit)
        if number is None or bound is None:
            return False
        return number > bound if self.operator == "Gt" else number < bound


def _integer(text: str) -> int | None:
    number = int(text) if _INTEGER.fullmatch(text) else None
    return number if number is not None and -(2**63) <= number < 2**63 else None


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """Very many requirements: hashes of the labels that some of them ask for with a single value, and the others."""

    exact: Hashes
    others: frozenset[Requirement]

    @classmethod
    def of(cls, requirements: Iterable[Requirement]) -> _Parts:
        exact: list[tuple[str, str]] = []
        others: list[Requirement] = []
        for each in requirements:
            if each.operator == "In" and len(each.values) == 1:
                (value,) = each.values
                exact.append((each.key, value))
            else:
                others.append(each)
        return cls(hashes_of(exact), frozenset(others))

    def matches(self, labels: Labels) -> bool:
        return has_all(labels, self.exact) and all(requirement.matches(labels) for requirement in self.others)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Parts):
            return NotImplemented
        same = len(self.exact) == len(other.exact) and bool((self.exact == other.exact).all())
        return same and self.others == other.others


@dataclass(frozen=True, slots=True, eq=False)
class LabelSelector:
    """Requirements that must all hold: an empty set selects everything, None in its place nothing."""

    requirements: frozenset[Requirement] | None
    _parts: _Parts | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        requirements = self.requirements or ()
        object.__setattr__(self, "_parts", _Parts.of(requirements) if len(requirements) > VERY_MANY else None)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelSelector):
            return NotImplemented
        if self._parts is None or other._parts is None:
            return self.requirements == other.requirements
        return self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self.requirements)

    def __reduce__(self) -> tuple[type[LabelSelector], tuple[frozenset[Requirement] | None]]:
        return LabelSelector, (self.requirements,)  # other processes have other hashes

    @classmethod
    def parse(cls, raw: object, *, path: str = "") -> LabelSelector:
        """Compiles the JSON form at `path`: null is NOTHING, `{}` is EVERYTHING."""
        return NOTHING if raw is None else read_at(path, raw, cls._read)

    @classmethod
    def _read(cls, raw: object) -> LabelSelector:
        selector = read_mapping(raw)
        labels = read_field(selector, "matchLabels", _read_match_labels)
        expressions = read_field(selector, "matchExpressions", read_list(_read_label_expression))
        return cls(labels.union(expressions))

    def matches(self, labels: Labels) -> bool:
        """Returns whether the labels meet every requirement."""
        if self.requirements is None:
            return False
        if self._parts is not None:
            return self._parts.matches(labels)
        return all(requirement.matches(labels) for requirement in self.requirements)

    @property
    def is_empty(self) -> bool:
        """Returns whether there is no requirement, so that everything is selected."""
        return self.requirements is not None and not self.requirements

    def joined(self, others: Iterable[LabelSelector]) -> LabelSelector:
        """Returns the selector that selects what this one and all the others select."""
        joined = self.requirements
        for other in others:
            joined = None if joined is None or other.requirements is None else joined | other.requirements
        return LabelSelector(joined)


EVERYTHING: Final = LabelSelector(frozenset())
NOTHING: Final = LabelSelector(None)


def _read_match_labels(raw: object) -> frozenset[Requirement]:
    pairs = read_mapping(raw).items()
    return frozenset(
        Requirement(read_label_key(key), "In", frozenset([read_label_value(value)])) for key, value in pairs
    )


def _read_label_expression(raw: object) -> Requirement:
    return _read_expression(raw, read_choice("In", "NotIn", "Exists", "DoesNotExist"))


def _read_node_expression(raw: object) -> Requirement:
    return _read_expression(raw, read_choice("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"))


def _read_expression(raw: object, read_operator: Callable[[object], str]) -> Requirement:
    expression = read_mapping(raw)
    key = read_field(expression, "key", read_label_key)
    operator = read_field(expression, "operator", read_operator)
    values = read_field(expression, "values", read_list(read_label_value))
    _check_count(operator, values)
    return Requirement(key, operator, frozenset(values))


def _check_count(operator: str, values: tuple[str, ...]) -> None:
    if operator in ("In", "NotIn"):
        fits, expected = bool(values), "at least one value"
    elif operator in ("Gt", "Lt"):
        fits, expected = len(values) == 1, "exactly one value"
    else:
        fits, expected = not values, "no values"
    if not fits:
        raise InputError(f"{list(values)!r} does not fit operator {operator}, expected {expected}", path="values")


# Possessive, so that a term is read in linear time and `ain (b)` is not taken for `a in (b)`.
_BLANKS, _WORD = r"[ \t\r\n]*+", r"[^ \t\r\n=!(),<>]++"
_TERM = re.compile(
    rf"""{_BLANKS}
    (?: !{_BLANKS} (?P<absent>{_WORD})
      | (?P<key>{_WORD}) {_BLANKS}
        (?: (?P<operator>==|!=|[=<>]) {_BLANKS} (?P<value>{_WORD})?
          | (?P<set>in|notin) {_BLANKS} \( (?P<values>[^()=!<>]*+) \)
        )?
    )
    {_BLANKS} (?P<end>,|\Z)""",
    re.VERBOSE,
)
_OPERATORS = {"=": "In", "==": "In", "!=": "NotIn", "in": "In", "notin": "NotIn", ">": "Gt", "<": "Lt"}


def parse_selector_text(text: str) -> LabelSelector:
    """Compiles the form of API queries, `a=b,c!=d,e in (x,y),f notin (z),g,!h,i>1`; blank is EVERYTHING."""
    if not text.strip(" \t\r\n"):
        return EVERYTHING
    requirements, position, more = set[Requirement](), 0, True
    while more:
        term = _TERM.match(text, position)
        if term is None:
            raise InputError(f"cannot read {text[position:]!r} in label selector {text!r}, expected key=value terms")
        requirements.add(_text_requirement(term))
        position, more = term.end(), term["end"] == ","
    return LabelSelector(frozenset(requirements))


def _text_requirement(term: re.Match[str]) -> Requirement:
    key = read_label_key(term["absent"] or term["key"])
    symbol = term["operator"] or term["set"]
    if symbol is None:
        return Requirement(key, "DoesNotExist" if term["absent"] else "Exists")
    values = term["values"].split(",") if term["set"] else [term["value"] or ""]
    operator = _OPERATORS[symbol]
    if operator in ("Gt", "Lt") and _integer(values[0]) is None:
        raise InputError(f"{values[0]!r} cannot be compared in {key}{symbol}, expected an integer")
    return Requirement(key, operator, frozenset(read_label_value(value.strip(" \t\r\n")) for value in values))


@dataclass(frozen=True, slots=True)
class NodeSelectorTerm:
    """Requirements on a node's labels and name that must all hold; a term without any matches no node."""

    expressions: frozenset[Requirement] = frozenset()
    fields: frozenset[Requirement] = frozenset()

    @classmethod
    def parse(cls, raw: object, *, path: str = "") -> NodeSelectorTerm:
        """Compiles the JSON form at `path`: matchExpressions over labels, matchFields over metadata.name."""
        return read_at(path, raw, cls._read)

    @classmethod
    def _read(cls, raw: object) -> NodeSelectorTerm:
        term = read_mapping(raw)
        expressions = read_field(term, "matchExpressions", read_list(_read_node_expression))
        fields = read_field(term, "matchFields", read_list(_read_node_field))
        return cls(frozenset(expressions), frozenset(fields))

    def matches(self, labels: Labels, name: str) -> bool:
        """Returns whether a node with these labels and this name meets every requirement."""
        if not self.expressions and not self.fields:
            return False
        for requirement in self.fields:  # loops are quicker than all(…), and every kubelet and filter asks
            if not requirement.accepts(name):
                return False
        for requirement in self.expressions:  # noqa: SIM110
            if not requirement.accepts(labels.get(requirement.key)):
                return False
        return True

    def names(self) -> frozenset[str] | None:
        """Returns the node names that the term pins, None if it pins none."""
        pinned = [requirement.values for requirement in self.fields if requirement.operator == "In"]
        return frozenset.intersection(*pinned) if pinned else None


@dataclass(frozen=True, slots=True)
class NodeSelector:
    """Terms of which one must hold, as in a pod's required node affinity.

    `names` are those to which all terms pin (none if they contradict), None if some term pins none.
    """

    terms: frozenset[NodeSelectorTerm]
    names: frozenset[str] | None = field(init=False, compare=False, repr=False)
    _index: NodeTermIndex | None = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        index = NodeTermIndex(list(self.terms)) if len(self.terms) >= MANY_TERMS else None
        object.__setattr__(self, "_index", index)
        pinned = [names for term in self.terms if (names := term.names()) is not None]
        names = frozenset[str]().union(*pinned) if len(pinned) == len(self.terms) else None
        object.__setattr__(self, "names", names)

    @classmethod
    def parse(cls, raw: object, *, path: str = "") -> NodeSelector:
        """Compiles the JSON form at `path`, which needs at least one term."""
        return read_at(path, raw, cls._read)

    @classmethod
    def _read(cls, raw: object) -> NodeSelector:
        terms = read_field(read_mapping(raw), "nodeSelectorTerms", read_list(NodeSelectorTerm.parse))
        if not terms:
            raise InputError("[] is not a node selector, expected at least one term", path="nodeSelectorTerms")
        return cls(frozenset(terms))

    def matches(self, labels: Labels, name: str) -> bool:
        """Returns whether a node with these labels and this name meets any term."""
        if self._index is not None:
            return any(True for _ in self._index.matching(labels, name))
        return any(term.matches(labels, name) for term in self.terms)


def _read_node_field(raw: object) -> Requirement:
    expression = read_mapping(raw)
    key = read_field(expression, "key", read_choice(_NODE_NAME))
    operator = read_field(expression, "operator", read_choice("In", "NotIn"))
    values = read_field(expression, "values", read_list(read_node_name))
    if len(values) != 1:
        raise InputError(f"{list(values)!r} does not fit a field, expected exactly one value", path="values")
    return Requirement(key, operator, frozenset(values))
