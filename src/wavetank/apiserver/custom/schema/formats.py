"""The formats of strings that schemas may ask for, as the real server checks them."""

from __future__ import annotations

import base64
import binascii
import ipaddress
import re
from collections.abc import Callable, Mapping
from datetime import date
from urllib.parse import urlsplit

from wavetank.apiserver.validation import names

_HEX = "[0-9a-f]"
_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_DURATION = re.compile(
    r"[+-]?((([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+|0)|(\d+)\s*(ns|us|µs|ms|s|sec|secs|second|seconds|m|min|"
    r"mins|minute|minutes|h|hr|hrs|hour|hours|d|day|days|w|week|weeks|nano|nanos|milli|millis|micro|micros)"
)
_LETTER = r"[^\W_]"  # or a digit
_LABEL = rf"{_LETTER}(?:(?:{_LETTER}|-){{0,61}}{_LETTER})?"
_HOSTNAME = re.compile(rf"{_LETTER}(-?{_LETTER}{{0,62}})?|({_LABEL}\.)+[^\W\d_]{{2,63}}")


def _matches(pattern: str, flags: int = 0) -> Callable[[str], bool]:
    compiled = re.compile(pattern, flags)
    return lambda text: compiled.fullmatch(text) is not None


def _is_uuid(third: str = f"{_HEX}{{4}}", fourth: str = f"{_HEX}{{4}}") -> Callable[[str], bool]:
    return _matches(f"{_HEX}{{8}}-?{_HEX}{{4}}-?{third}-?{fourth}-?{_HEX}{{12}}", re.IGNORECASE)


def _parses(read: Callable[[str], object]) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        try:
            read(text)
        except (ValueError, binascii.Error):
            return False
        return True

    return check


def _is_address(version: int) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        try:
            return ipaddress.ip_address(text).version == version and "%" not in text
        except ValueError:
            return False

    return check


def _is_network(text: str) -> bool:
    return "/" in text and _parses(lambda each: ipaddress.ip_network(each, strict=False))(text)


def _is_date_time(text: str) -> bool:
    if not _DATE_TIME.fullmatch(text):
        return False
    hour, minute, second = (int(text[at : at + 2]) for at in (11, 14, 17))
    return _parses(date.fromisoformat)(text[:10]) and hour < 24 and minute < 60 and second < 60


def _is_uri(text: str) -> bool:
    if not text or any(char <= " " or char == "\x7f" for char in text) or "#" in text:
        return False
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return text.startswith("/") or (bool(parts.scheme) and (bool(parts.netloc) or bool(parts.path)))


def _is_email(text: str) -> bool:
    address = re.fullmatch(r"(?:.*<([^<>]+)>|([^<>]+))", text.strip())
    found = (address.group(1) or address.group(2)).strip() if address else ""
    return re.fullmatch(r"[^\s@\"(),:;<>\[\]\\]+(?<!\.)@[^\s@\"(),:;<>\\]+", found) is not None and ".." not in found


def _is_hostname(text: str) -> bool:
    labels = text.split(".")
    return len(text.encode()) <= 255 and _HOSTNAME.fullmatch(text) is not None and max(map(len, labels)) <= 63


def _is_credit_card(text: str) -> bool:
    digits = re.sub(r"[^0-9]", "", text)
    shape = (
        r"4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|(222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}|"
        r"6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11}|6[27][0-9]{14}"
    )
    doubled = [int(char) * (2 if i % 2 else 1) for i, char in enumerate(reversed(digits))]
    return re.fullmatch(shape, digits) is not None and sum(each // 10 + each % 10 for each in doubled) % 10 == 0


def _is_isbn10(text: str) -> bool:
    digits = re.sub(r"[\s-]", "", text)
    if not re.fullmatch(r"[0-9]{9}[0-9X]", digits):
        return False
    return sum((i + 1) * (10 if char == "X" else int(char)) for i, char in enumerate(digits)) % 11 == 0


def _is_isbn13(text: str) -> bool:
    digits = re.sub(r"[\s-]", "", text)
    if not re.fullmatch(r"[0-9]{13}", digits):
        return False
    return sum(int(char) * (3 if i % 2 else 1) for i, char in enumerate(digits)) % 10 == 0


def _is_mac(text: str) -> bool:
    pair = "[0-9a-fA-F]{2}"
    lengths = (5, 7, 19)
    plain = any(re.fullmatch(f"{pair}([:-]){pair}(\\1{pair}){{{n - 1}}}", text) for n in lengths)
    four = "[0-9a-fA-F]{4}"
    return plain or any(re.fullmatch(f"{four}(\\.{four}){{{n}}}", text) is not None for n in (2, 3, 9))


def _is_rgb_color(text: str) -> bool:
    part = r"\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*"
    return re.fullmatch(f"rgb\\({part},{part},{part}\\)", text) is not None


# By their names without dashes, as the real registry finds them.
FORMATS: Mapping[str, Callable[[str], bool]] = {
    "bsonobjectid": _matches(r"[0-9a-fA-F]{24}"),
    "uri": _is_uri,
    "email": _is_email,
    "hostname": _is_hostname,
    "ipv4": _is_address(4),
    "ipv6": _is_address(6),
    "cidr": _is_network,
    "mac": _is_mac,
    "uuid": _is_uuid(),
    "uuid3": _is_uuid(f"3{_HEX}{{3}}"),
    "uuid4": _is_uuid(f"4{_HEX}{{3}}", f"[89ab]{_HEX}{{3}}"),
    "uuid5": _is_uuid(f"5{_HEX}{{3}}", f"[89ab]{_HEX}{{3}}"),
    "isbn": lambda text: _is_isbn10(text) or _is_isbn13(text),
    "isbn10": _is_isbn10,
    "isbn13": _is_isbn13,
    "creditcard": _is_credit_card,
    "ssn": _matches(r"\d{3}[- ]?\d{2}[- ]?\d{4}", re.ASCII),
    "hexcolor": _matches(r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})"),
    "rgbcolor": _is_rgb_color,
    "byte": lambda text: bool(text) and _parses(lambda each: base64.b64decode(each, validate=True))(text),
    "password": lambda text: True,
    "date": lambda text: re.fullmatch(r"\d{4}-\d\d-\d\d", text) is not None and _parses(date.fromisoformat)(text),
    "duration": _matches(_DURATION.pattern),
    "datetime": _is_date_time,
    "k8sshortname": lambda text: not names.label_problems(text),
    "k8slongname": lambda text: not names.subdomain_problems(text),
}


def known_format(name: str) -> Callable[[str], bool] | None:
    """Returns the check of a format; None for one that the server does not know, which means nothing."""
    return FORMATS.get(name.replace("-", ""))
