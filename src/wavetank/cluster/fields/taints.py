"""Taints keep pods off nodes, tolerations let them on."""

from __future__ import annotations

from dataclasses import dataclass, field

from wavetank.cluster.fields.selectors import (
    read_at,
    read_choice,
    read_field,
    read_label_key,
    read_label_value,
    read_list,
    read_mapping,
    read_text,
)
from wavetank.errors import InputError

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


@dataclass(frozen=True, slots=True)
class Taint:
    """A mark on a node; `effect` is one of EFFECTS."""

    key: str
    value: str
    effect: str

    @classmethod
    def parse(cls, raw: object, *, path: str = "") -> Taint:
        """Reads the JSON form at `path`."""
        return read_at(path, raw, cls._read)

    @classmethod
    def _read(cls, raw: object) -> Taint:
        taint = read_mapping(raw)
        return cls(
            read_field(taint, "key", read_label_key),
            read_field(taint, "value", read_label_value),
            read_field(taint, "effect", read_choice(*EFFECTS)),
        )

    def render(self) -> dict[str, str]:
        """Returns the JSON form, without an empty value."""
        value = {"value": self.value} if self.value else {}
        return {"key": self.key, **value, "effect": self.effect}


def parse_taints(raw: object, *, path: str = "") -> tuple[Taint, ...]:
    """Reads a node's list of taints at `path`, which must differ in key or effect; null reads as none."""
    return () if raw is None else read_at(path, raw, _read_taints)


def _read_taints(raw: object) -> tuple[Taint, ...]:
    taints = read_list(Taint.parse)(raw)
    seen = set[tuple[str, str]]()
    for index, taint in enumerate(taints):
        identity = (taint.key, taint.effect)
        if identity in seen:
            raise InputError(f"a second taint {':'.join(identity)!r}, expected only one", path=f"[{index}]")
        seen.add(identity)
    return taints


@dataclass(frozen=True, slots=True)
class Toleration:
    """What a pod puts up with; an empty `key` or `effect` stands for all of them.

    `operator` is Equal or Exists. `seconds` is how long a NoExecute taint is endured; None means forever.
    """

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""
    seconds: int | None = None

    @classmethod
    def parse(cls, raw: object, *, path: str = "") -> Toleration:
        """Reads the JSON form at `path` and refuses what the API server refuses."""
        return read_at(path, raw, cls._read)

    @classmethod
    def _read(cls, raw: object) -> Toleration:
        json = read_mapping(raw)
        toleration = cls(
            read_field(json, "key", _read_key),
            read_field(json, "operator", _read_operator),
            read_field(json, "value", read_label_value),
            read_field(json, "effect", _read_effect),
            read_field(json, "tolerationSeconds", _read_seconds),
        )
        toleration._check()
        return toleration

    def tolerates(self, taint: Taint) -> bool:
        """Returns whether a pod with this toleration may be on a node with that taint."""
        if self.effect and self.effect != taint.effect:
            return False
        if self.key and self.key != taint.key:
            return False
        return self.operator == "Exists" or self.value == taint.value

    def _check(self) -> None:
        if self.operator == "Exists" and self.value:
            raise InputError(f"{self.value!r} does not fit operator Exists, expected no value", path="value")
        if self.operator != "Exists" and not self.key:
            raise InputError(f"{self.operator!r} needs a key, expected Exists without one", path="operator")
        if self.seconds is not None and self.effect != "NoExecute":
            raise InputError(f"{self.effect!r} does not fit tolerationSeconds, expected NoExecute", path="effect")


_MANY = 32  # tolerations, which are then looked up instead of asked one by one
_Tolerated = tuple[str, str | None, str]  # key, value and effect of a toleration; None stands for any value


def _tolerated(toleration: Toleration) -> _Tolerated:
    return toleration.key, None if toleration.operator == "Exists" else toleration.value, toleration.effect


def _tolerating(taint: Taint) -> list[_Tolerated]:
    """Returns all that tolerates a taint."""
    return [
        (key, value, effect)
        for key in (taint.key, "")
        for value in (taint.value, None)
        for effect in (taint.effect, "")
    ]


@dataclass(frozen=True, slots=True)
class Tolerations:
    """All tolerations of a pod. Equal ones are equal values."""

    items: tuple[Toleration, ...] = ()
    _hash: int = field(init=False, compare=False, repr=False)
    _known: frozenset[_Tolerated] | None = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(self.items))
        many = len(self.items) >= _MANY
        object.__setattr__(self, "_known", frozenset(map(_tolerated, self.items)) if many else None)

    def __hash__(self) -> int:
        return self._hash  # it is a key of caches that every cycle asks

    @classmethod
    def parse(cls, raw: object, *, path: str = "") -> Tolerations:
        """Reads a pod's list of tolerations at `path`; null reads as none."""
        return cls(read_at(path, raw, read_list(Toleration.parse)))

    def accept(self, taint: Taint) -> bool:
        """Returns whether any of them tolerates the taint."""
        if self._known is not None:
            return not self._known.isdisjoint(_tolerating(taint))
        return any(toleration.tolerates(taint) for toleration in self.items)


def _read_key(raw: object) -> str:
    return read_label_key(raw) if read_text(raw) else ""


def _read_effect(raw: object) -> str:
    return read_choice(*EFFECTS)(raw) if read_text(raw) else ""


def _read_operator(raw: object) -> str:
    if raw in ("Lt", "Gt"):
        gate = "the alpha feature gate TaintTolerationComparisonOperators"
        raise InputError(f"{raw!r} needs {gate}, which is off; expected one of Equal, Exists")
    return read_choice("Equal", "Exists")(read_text(raw) or "Equal")


def _read_seconds(raw: object) -> int | None:
    if raw is not None and (isinstance(raw, bool) or not isinstance(raw, int)):
        raise InputError(f"{raw!r} is not a whole number of seconds")
    return raw
