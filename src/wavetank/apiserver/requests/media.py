"""Accept headers: the media type that a client wants, and the conversion that it asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cmp_to_key

from wavetank.textcache import cached_texts

JSON = "application/json"
YAML = "application/yaml"
PROTOBUF = "application/vnd.kubernetes.protobuf"

MEDIA_TYPES = (JSON, YAML, PROTOBUF)
STREAM_TYPES = (f"{JSON};stream=watch", f"{PROTOBUF};stream=watch")


@dataclass(frozen=True, slots=True)
class Clause:
    """One media type of an Accept header with its parameters and its quality."""

    type: str
    subtype: str
    quality: float = 1.0
    parameters: Mapping[str, str] = field(default_factory=dict)

    def covers(self, media_type: str) -> bool:
        """Tells whether the clause names a media type, by wildcards or in full."""
        type_, _, subtype = media_type.partition("/")
        return (self.type == type_ and self.subtype in (subtype, "*")) or self.type == self.subtype == "*"

    @property
    def target(self) -> tuple[str, str, str] | None:
        """Returns (kind, group, version) that the answer is to be converted to, None for no conversion."""
        if not self.parameters.keys() & {"as", "g", "v"}:
            return None
        return self.parameters.get("as", ""), self.parameters.get("g", ""), self.parameters.get("v", "")


def parse_accept(header: str) -> list[Clause]:
    """Returns the clauses of an Accept header, the best first; what is no media type is ignored."""
    return sorted(_clauses(header), key=cmp_to_key(_compare))


@cached_texts(256)
def matches_any(header: str, media_types: tuple[str, ...]) -> bool:
    """Tells whether a header names one of the types in full or any type; `application/*` names none here."""
    named = {clause.partition(";")[0].strip(" ") for clause in header.split(",")}
    return "*/*" in named or not named.isdisjoint(media_types)


def best_match(
    header: str, media_types: tuple[str, ...], allowed: Callable[[str, Clause], bool]
) -> tuple[str, Clause] | None:
    """Returns the first acceptable media type with its clause; `allowed` may refuse a pair of them."""
    if not header:
        return media_types[0], Clause("*", "*")
    for clause in parse_accept(header):
        for media_type in media_types:
            if clause.covers(media_type) and _streams(media_type, clause) and allowed(media_type, clause):
                return media_type, clause
    return None


def _streams(media_type: str, clause: Clause) -> bool:
    stream = clause.parameters.get("stream", "")
    return not clause.parameters.get("sv") and (not stream or (stream == "watch" and media_type != YAML))


def _clauses(header: str) -> Iterator[Clause]:
    for part in header.split(","):
        name, *parameters = part.strip(" ").split(";")
        type_, *subtypes = (word.strip(" ") for word in name.split("/"))
        if type_ == "*" and not any(subtypes):
            subtypes = ["*"]
        if len(subtypes) == 1 and subtypes[0]:
            known = dict(_parameters(parameters))
            yield Clause(type_, subtypes[0], _quality(known.pop("q", "1")), known)


def _parameters(parts: list[str]) -> Iterator[tuple[str, str]]:
    for part in parts:
        name, *values = part.split("=")
        if len(values) == 1 and values[0]:
            yield name.strip(" "), values[0].strip(" ")


def _quality(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _compare(one: Clause, other: Clause) -> int:
    """Orders by quality; of equal ones a wildcard comes last."""
    if one.quality != other.quality:
        return -1 if one.quality > other.quality else 1
    return (one.type == "*") - (other.type == "*") or (one.subtype == "*") - (other.subtype == "*")
