"""Forms of names and schedules, and changes that the real server shows as a diff of its own types."""

from __future__ import annotations

import pytest

from wavetank.apiserver.gotypes.internal import difference, internal
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.expressions import check_expression
from wavetank.apiserver.validation.schedules import schedule_problem, zone_problem


@pytest.mark.parametrize(
    ("key", "valid"),
    [("app", True), ("example.com/app", True), ("A_b.c-d", True), ("", False), ("/x", False), ("a/b/c", False)],
)
def test_keys_of_labels(key: str, valid: bool) -> None:
    assert (names.label_key_problems(key) == []) is valid


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("10.0.0.1", True),
        ("010.0.0.1", True),
        ("::1", True),
        ("10.0.0", False),
        ("a", False),
        ("", False),
    ],
)
def test_addresses(text: str, valid: bool) -> None:
    assert names.is_address(text) is valid


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("10.0.0.0/8", True),
        ("10.1.2.3/8", True),
        ("::/0", True),
        ("10.0.0.0", False),
        ("10.0.0.0/33", False),
        ("/8", False),
    ],
)
def test_networks(text: str, valid: bool) -> None:
    assert (names.network_problems(text) == []) is valid


@pytest.mark.parametrize(
    ("schedule", "problem"),
    [
        ("*/5 * * * *", ""),
        ("0 0 1,15 jan-mar mon-fri", ""),
        ("@hourly", ""),
        ("@every 1h30m", ""),
        ("TZ=Etc/UTC 0 0 * * *", ""),
        ("foo", "expected exactly 5 fields, found 1: [foo]"),
        ("60 * * * *", "end of range (60) above maximum (59): 60"),
        ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
        ("5-3 * * * *", "beginning of range (5) beyond end of range (3): 5-3"),
        ("*/0 * * * *", "step of range should be a positive number: */0"),
        ("1/2/3 * * * *", "too many slashes: 1/2/3"),
        ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
        ("x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'),
        ("@never", "unrecognized descriptor: @never"),
    ],
)
def test_schedules(schedule: str, problem: str) -> None:
    assert schedule_problem(schedule) == problem


@pytest.mark.parametrize(
    ("zone", "valid"), [("Etc/UTC", True), ("Europe/Berlin", True), ("Local", False), ("Mars/X", False)]
)
def test_time_zones(zone: str, valid: bool) -> None:
    assert (zone_problem(zone) == "") is valid


def test_internal_types_show_every_field_by_its_go_name() -> None:
    shown = internal("core.Taint", {"key": "a", "effect": "NoSchedule"})
    assert shown == {"Key": "a", "Value": "", "Effect": "NoSchedule", "TimeAdded": None}


def test_a_change_is_shown_as_a_diff_of_the_internal_type() -> None:
    old = {"containers": [{"name": "c"}], "securityContext": {}}
    changes = difference("core.PodSpec", old, {**old, "nodeName": "n1"})
    assert changes.splitlines() == [
        "@@ -42,7 +42,7 @@",
        '  "NodeSelector": null,',
        '  "ServiceAccountName": "",',
        '  "AutomountServiceAccountToken": null,',
        '- "NodeName": "",',
        '+ "NodeName": "n1",',
        '  "SecurityContext": {',
        '   "HostNetwork": false,',
        '   "HostPID": false,',
    ]


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ('device.driver == "gpu.x.io"', ""),
        ('dev.driver == "a"', "undeclared reference to 'dev' (in container '')\n | dev.driver == \"a\"\n | ^"),
        ('"a" == b', "<input>:1:8: undeclared reference to 'b' (in container '')\n | \"a\" == b\n | .......^"),
        ("", "IDENTIFIER}"),
    ],
)
def test_expressions(expression: str, problem: str) -> None:
    found = "".join(str(error) for error in check_expression(expression, "x"))
    assert bool(found) is bool(problem)
    assert found.endswith(problem)
