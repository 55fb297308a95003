"""Formats of names: each function returns the problems of a name, in the real server's order."""

from __future__ import annotations

import re
from ipaddress import AddressValueError, NetmaskValueError, ip_address, ip_network

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_LABEL_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?"
_KEY = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_ENDS = "must start and end with an alphanumeric character"


def _shown(message: str, form: str, *examples: str) -> str:
    """Adds the expression that is matched, and examples, in the real server's peculiar punctuation."""
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{message} (e.g. {shown}regex used for validation is '{form}')"


_NOT_A_LABEL = _shown(
    f"a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and {_ENDS}",
    _LABEL,
    "my-name",
    "123-abc",
)
_NOT_A_SUBDOMAIN = _shown(
    f"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and {_ENDS}",
    _SUBDOMAIN,
    "example.com",
)
_UNDERSCORE = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_NOT_A_SEARCH = _shown(
    f"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and {_ENDS}",
    rf"{_UNDERSCORE}(\.{_UNDERSCORE})*",
    "example.com",
)
_NOT_A_1035 = _shown(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character,"
    " and end with an alphanumeric character",
    _LABEL_1035,
    "my-name",
    "abc-123",
)
_WILDCARD = rf"\*\.{_SUBDOMAIN}"
_NOT_A_WILDCARD = _shown(
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower"
    " case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
    _WILDCARD,
    "*.example.com",
)
_NOT_A_KEY = _shown(
    f"must consist of alphanumeric characters, '-', '_' or '.', and {_ENDS}", _KEY, "MyName", "my.name", "123-abc"
)
_NOT_A_VALUE = _shown(
    f"a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and {_ENDS}",
    f"({_KEY})?",
    "MyValue",
    "my_value",
    "12345",
)
_NOT_A_CONFIG_KEY = _shown(
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    "[-._a-zA-Z0-9]+",
    "key.name",
    "KEY_NAME",
    "key-name",
)
_NOT_A_HEADER = _shown(
    "a valid HTTP header must consist of alphanumeric characters or '-'", "[-A-Za-z0-9]+", "X-Header-Name"
)
_NOT_A_PERCENTAGE = _shown(
    "a valid percent string must be a numeric string followed by an ending '%'", "[0-9]+%", "1%", "93%"
)
_NOT_A_VARIABLE = "a valid environment variable name must consist only of printable ASCII characters other than '='"
_NOT_AN_IDENTIFIER = _shown(
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters"
    " or '_'",
    "[A-Za-z_][A-Za-z0-9_]*",
    "my_name",
    "MY_NAME",
    "MyName",
)


def longer_than(limit: int) -> str:
    """Returns the problem of a text of more than `limit` characters."""
    return f"must be no more than {limit} characters"


def label_problems(name: str) -> list[str]:
    """Checks a DNS label in lower case: at most 63 characters."""
    problems = [longer_than(63)] if len(name.encode()) > 63 else []
    if not re.fullmatch(_LABEL, name):
        problems.append("must not contain dots" if re.fullmatch(_SUBDOMAIN, name) else _NOT_A_LABEL)
    return problems


def subdomain_problems(name: str) -> list[str]:
    """Checks a DNS subdomain in lower case: at most 253 characters."""
    return _form_problems(name, _SUBDOMAIN, 253, _NOT_A_SUBDOMAIN)


def label_1035_problems(name: str) -> list[str]:
    """Checks a DNS label that begins with a letter, as services have."""
    return _form_problems(name, _LABEL_1035, 63, _NOT_A_1035)


def search_path_problems(name: str) -> list[str]:
    """Checks a DNS search path, in which underscores are fine."""
    return _form_problems(name, rf"{_UNDERSCORE}(\.{_UNDERSCORE})*", 253, _NOT_A_SEARCH)


def wildcard_problems(name: str) -> list[str]:
    """Checks a subdomain that begins with `*.`."""
    return _form_problems(name, _WILDCARD, 253, _NOT_A_WILDCARD)


def path_segment_problems(name: str, prefix: bool = False) -> list[str]:
    """Checks a name that needs only to be part of a path; a prefix of one may also be a dot or two."""
    if name in (".", "..") and not prefix:
        return [f"may not be '{name}'"]
    return [f"may not contain '{part}'" for part in "/%" if part in name]


def label_key_problems(key: str) -> list[str]:
    """Checks the key of a label or a qualified name: perhaps a subdomain and a slash, then at most 63 characters."""
    parts = key.split("/")
    if len(parts) > 2:
        suffix = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        return [f"a valid label key {_NOT_A_KEY}{suffix}"]
    problems = []
    if len(parts) == 2:
        problems = [f"prefix part {problem}" for problem in _prefix_problems(parts[0])]
    name = parts[-1]
    if not name:
        problems.append("name part must be non-empty")
    elif len(name.encode()) > 63:
        problems.append("name part must be no more than 63 bytes")
    if not re.fullmatch(_KEY, name):
        problems.append(f"name part {_NOT_A_KEY}")
    return problems


def label_value_problems(value: str) -> list[str]:
    """Checks the value of a label: at most 63 characters, or none."""
    problems = ["must be no more than 63 bytes"] if len(value.encode()) > 63 else []
    if not re.fullmatch(f"({_KEY})?", value):
        problems.append(_NOT_A_VALUE)
    return problems


def config_key_problems(key: str) -> list[str]:
    """Checks a key of a config map or a secret, which is a file name too."""
    problems = _form_problems(key, "[-._a-zA-Z0-9]+", 253, _NOT_A_CONFIG_KEY)
    if key in (".", ".."):
        return [*problems, f"must not be '{key}'"]
    return [*problems, "must not start with '..'"] if key.startswith("..") else problems


def variable_problems(name: str) -> list[str]:
    """Checks the name of an environment variable."""
    problems = [] if name else ["environment variable name must be non-empty"]
    if any(not " " <= char <= "~" or char == "=" for char in name):
        problems.append(_NOT_A_VARIABLE)
    return problems


def identifier_problems(name: str) -> list[str]:
    """Checks an identifier of the language C."""
    return [] if re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name) else [_NOT_AN_IDENTIFIER]


def header_problems(name: str) -> list[str]:
    """Checks the name of an HTTP header."""
    return [] if re.fullmatch("[-A-Za-z0-9]+", name) else [_NOT_A_HEADER]


def percentage_problems(text: str) -> list[str]:
    """Checks a percentage such as 25%."""
    return [] if re.fullmatch("[0-9]+%", text) else [_NOT_A_PERCENTAGE]


def port_problems(number: int) -> list[str]:
    """Checks the number of a port."""
    return range_problems(number, 1, 65535)


def range_problems(number: int, low: int, high: int) -> list[str]:
    """Checks that a number is between two others."""
    return [] if low <= number <= high else [f"must be between {low} and {high}, inclusive"]


def port_name_problems(name: str) -> list[str]:
    """Checks the name of a port: at most 15 letters, digits and single inner hyphens."""
    problems = [longer_than(15)] if len(name.encode()) > 15 else []
    if not re.fullmatch("[-a-z0-9]+", name):
        problems.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", name):
        problems.append("must contain at least one letter (a-z)")
    if "--" in name:
        problems.append("must not contain consecutive hyphens")
    if name.startswith("-") or name.endswith("-"):
        problems.append("must not begin or end with a hyphen")
    return problems


def address_problems(text: str) -> list[str]:
    """Checks an IP address; leading zeros are allowed, as in old fields of the API."""
    return [] if is_address(text) else ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"]


def is_address(text: str) -> bool:
    """Tells whether a text is an IP address, leading zeros allowed."""
    try:
        ip_address(_without_leading_zeros(text))
    except ValueError:
        return False
    return "%" not in text


def network_problems(text: str) -> list[str]:
    """Checks a network such as 10.9.8.0/24; leading zeros and set host bits are allowed."""
    address, slash, prefix = text.partition("/")
    try:
        ip_network(f"{_without_leading_zeros(address)}/{int(prefix)}", strict=False)
        valid = bool(slash) and prefix.isdecimal() and "%" not in address
    except (ValueError, AddressValueError, NetmaskValueError):
        valid = False
    return [] if valid else ["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"]


def masked(name: str) -> str:
    """Returns a prefix of a name as it is checked: what will follow a last hyphen makes it fine."""
    return f"{name[:-2]}a" if len(name) > 1 and name.endswith("-") else name


def _prefix_problems(prefix: str) -> list[str]:
    return subdomain_problems(prefix) if prefix else ["must be non-empty"]


def _form_problems(name: str, form: str, limit: int, problem: str) -> list[str]:
    problems = [longer_than(limit)] if len(name.encode()) > limit else []
    return problems if re.fullmatch(form, name) else [*problems, problem]


def _without_leading_zeros(address: str) -> str:
    return re.sub(r"(?<![0-9a-fA-F:])0+(?=[0-9])", "", address) if ":" not in address else address
