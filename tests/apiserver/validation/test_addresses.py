from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.inprocess import Caller

NETWORK = "/apis/networking.k8s.io/v1"
PARENT = {"resource": "services", "name": "s"}


@pytest.mark.parametrize(
    ("name", "spec", "message"),
    [
        ("10.0.0.77", {"parentRef": PARENT}, ""),
        ("fe80::42:1dff:fe84:f9e2", {"parentRef": PARENT}, ""),
        ("2001:DB8::1", {"parentRef": PARENT}, 'must be in canonical form ("2001:db8::1")'),
        ("web", {"parentRef": PARENT}, "must be a valid IP address"),
        ("10.0.0.1", {}, "spec.parentRef: Required value"),
        ("10.0.0.1", {"parentRef": {"name": "s"}}, "spec.parentRef.resource: Required value"),
    ],
)
def test_an_address_is_named_by_itself(name: str, spec: dict[str, Any], message: str) -> None:
    answer = Caller().ask("POST", f"{NETWORK}/ipaddresses", {"metadata": {"name": name}, "spec": spec})
    assert answer.status == (422 if message else 201)
    assert message in str(answer.body.get("message", ""))


@pytest.mark.parametrize(
    ("ranges", "message"),
    [
        (["10.1.0.0/16", "2001:db8::/64"], ""),
        ([], "at least one CIDR required"),
        (["10.1.0.0/16", "10.2.0.0/16"], "may specify no more than one IP for each IP family"),
        (["10.1.0.1/16"], "must be a valid CIDR value"),
    ],
)
def test_a_service_range_is_one_of_each_family(ranges: list[str], message: str) -> None:
    answer = Caller().ask("POST", f"{NETWORK}/servicecidrs", {"metadata": {"name": "r"}, "spec": {"cidrs": ranges}})
    assert answer.status == (422 if message else 201)
    assert message in str(answer.body.get("message", ""))
