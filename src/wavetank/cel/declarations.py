"""Which functions there are, and for which types."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from wavetank.cel.types import Type

_NUMBERS = ("int", "uint", "double")
_ORDERED = ("bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration")
_DATE_PARTS = ["getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getFullYear", "getMonth"]
_TIME_PARTS = ["getHours", "getMilliseconds", "getMinutes", "getSeconds"]

# One overload a line: a function, or a member of its first type; single capitals are any type.
_TABLE = """
_==_(A, A) bool
_!=_(A, A) bool
_&&_(bool, bool) bool
_||_(bool, bool) bool
!_(bool) bool
-_(int) int
-_(double) double
_?_:_(bool, A, A) A
_+_(string, string) string
_+_(bytes, bytes) bytes
_+_(list(A), list(A)) list(A)
_+_(timestamp, duration) timestamp
_+_(duration, timestamp) timestamp
_+_(duration, duration) duration
_-_(timestamp, timestamp) duration
_-_(timestamp, duration) timestamp
_-_(duration, duration) duration
_%_(int, int) int
_%_(uint, uint) uint
@in(A, list(A)) bool
@in(A, map(A, B)) bool
_[_](list(A), int) A
_[_](map(A, B), A) B
_[_](optional(list(A)), int) optional(A)
_[_](optional(map(A, B)), A) optional(B)
_[?_](list(A), int) optional(A)
_[?_](map(A, B), A) optional(B)
_[?_](optional(list(A)), int) optional(A)
_[?_](optional(map(A, B)), A) optional(B)
size(string) int
size(bytes) int
size(list(A)) int
size(map(A, B)) int
string.size() int
bytes.size() int
list(A).size() int
map(A, B).size() int
string.contains(string) bool
string.endsWith(string) bool
string.startsWith(string) bool
string.matches(string) bool
matches(string, string) bool
bool(bool) bool
bool(string) bool
bytes(bytes) bytes
bytes(string) bytes
double(double) double
double(int) double
double(uint) double
double(string) double
duration(duration) duration
duration(int) duration
duration(string) duration
dyn(A) dyn
int(int) int
int(uint) int
int(double) int
int(string) int
int(timestamp) int
int(duration) int
string(string) string
string(bool) string
string(int) string
string(uint) string
string(double) string
string(bytes) string
string(timestamp) string
string(duration) string
timestamp(timestamp) timestamp
timestamp(int) timestamp
timestamp(string) timestamp
uint(uint) uint
uint(int) uint
uint(double) uint
uint(string) uint
type(A) type
string.charAt(int) string
string.indexOf(string) int
string.indexOf(string, int) int
string.lastIndexOf(string) int
string.lastIndexOf(string, int) int
list(string).join() string
list(string).join(string) string
string.lowerAscii() string
string.upperAscii() string
string.replace(string, string) string
string.replace(string, string, int) string
string.split(string) list(string)
string.split(string, int) list(string)
string.substring(int) string
string.substring(int, int) string
string.trim() string
string.format(list(dyn)) string
strings.quote(string) string
string.find(string) string
string.findAll(string) list(string)
string.findAll(string, int) list(string)
list(A).isSorted() bool
list(A).sum() A
list(A).min() A
list(A).max() A
list(A).indexOf(A) int
list(A).lastIndexOf(A) int
list(A).slice(int, int) list(A)
list(A).distinct() list(A)
list(A).reverse() list(A)
list(A).sort() list(A)
list(list(A)).flatten() list(A)
list(dyn).flatten(int) list(dyn)
lists.range(int) list(int)
sets.contains(list(A), list(A)) bool
sets.equivalent(list(A), list(A)) bool
sets.intersects(list(A), list(A)) bool
isURL(string) bool
url(string) URL
URL.getScheme() string
URL.getHost() string
URL.getHostname() string
URL.getPort() string
URL.getEscapedPath() string
URL.getQuery() map(string, list(string))
isQuantity(string) bool
quantity(string) Quantity
sign(Quantity) int
Quantity.isInteger() bool
Quantity.asInteger() int
Quantity.asApproximateFloat() double
Quantity.isGreaterThan(Quantity) bool
Quantity.isLessThan(Quantity) bool
Quantity.compareTo(Quantity) int
Quantity.add(Quantity) Quantity
Quantity.add(int) Quantity
Quantity.sub(Quantity) Quantity
Quantity.sub(int) Quantity
isSemver(string) bool
isSemver(string, bool) bool
semver(string) Semver
semver(string, bool) Semver
Semver.major() int
Semver.minor() int
Semver.patch() int
Semver.isGreaterThan(Semver) bool
Semver.isLessThan(Semver) bool
Semver.compareTo(Semver) int
Authorizer.path(string) PathCheck
Authorizer.group(string) GroupCheck
Authorizer.serviceAccount(string, string) Authorizer
GroupCheck.resource(string) ResourceCheck
ResourceCheck.subresource(string) ResourceCheck
ResourceCheck.namespace(string) ResourceCheck
ResourceCheck.name(string) ResourceCheck
ResourceCheck.fieldSelector(string) ResourceCheck
ResourceCheck.labelSelector(string) ResourceCheck
ResourceCheck.check(string) Decision
PathCheck.check(string) Decision
Decision.allowed() bool
Decision.errored() bool
Decision.error() string
Decision.reason() string
isIP(string) bool
ip(string) IP
string(IP) string
ip.isCanonical(string) bool
IP.family() int
IP.isUnspecified() bool
IP.isLoopback() bool
IP.isLinkLocalMulticast() bool
IP.isLinkLocalUnicast() bool
IP.isGlobalUnicast() bool
isCIDR(string) bool
cidr(string) CIDR
string(CIDR) string
CIDR.containsIP(string) bool
CIDR.containsIP(IP) bool
CIDR.containsCIDR(string) bool
CIDR.containsCIDR(CIDR) bool
CIDR.ip() IP
CIDR.masked() CIDR
CIDR.prefixLength() int
optional.of(A) optional(A)
optional.ofNonZeroValue(A) optional(A)
optional.none() optional(A)
optional(A).hasValue() bool
optional(A).value() A
optional(A).or(optional(A)) optional(A)
optional(A).orValue(A) A
"""
_NAMESPACES = ("strings", "lists", "sets", "optional", "ip")


class Overload(NamedTuple):
    """A function for some types; the first argument of a member is what it is called on."""

    args: tuple[Type, ...]
    result: Type
    member: bool


@cache
def overloads() -> Mapping[str, tuple[Overload, ...]]:
    """Returns all overloads by the names of the functions."""
    found: dict[str, list[Overload]] = {}
    for line in _lines():
        name, overload = _read(line)
        found.setdefault(name, []).append(overload)
    return {name: tuple(each) for name, each in found.items()}


def _lines() -> list[str]:
    lines = _TABLE.strip().splitlines()
    for sign in ("<", "<=", ">", ">="):
        lines += [f"_{sign}_({kind}, {kind}) bool" for kind in _ORDERED]
        lines += [f"_{sign}_({a}, {b}) bool" for a in _NUMBERS for b in _NUMBERS if a != b]
    lines += [f"_{sign}_({kind}, {kind}) {kind}" for sign in "+-*/" for kind in _NUMBERS]
    lines += [f"timestamp.{name}({zone}) int" for name in (*_DATE_PARTS, *_TIME_PARTS) for zone in ("", "string")]
    return lines + [f"duration.{name}() int" for name in _TIME_PARTS]


def _read(line: str) -> tuple[str, Overload]:
    head, _, result = line.rpartition(") ")
    if line.startswith(("_", "!", "-", "@")):
        name, _, args = head.partition("(")
        return name, Overload(_types(args), _type(result), False)
    found = re.fullmatch(r"(?:(.+)\.)?(\w+)\((.*)", head)
    assert found is not None, line
    owner, name, args = found.groups()
    if owner is None or owner in _NAMESPACES:
        qualified = f"{owner}.{name}" if owner else name
        return qualified, Overload(_types(args), _type(result), False)
    return name, Overload((_type(owner), *_types(args)), _type(result), True)


def _types(text: str) -> tuple[Type, ...]:
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == "," and not depth:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return tuple(_type(part.strip()) for part in parts if part.strip())


def _type(text: str) -> Type:
    name, bracket, inner = text.partition("(")
    return Type(name, _types(inner[:-1])) if bracket else Type(name)
