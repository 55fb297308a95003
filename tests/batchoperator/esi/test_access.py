"""Who may use the interface over HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.apiserver.serving import TOKEN
from tests.batchoperator.esi.serving import ServedInterface, serving


@pytest.fixture(scope="module")
def shared() -> Iterator[ServedInterface]:
    with serving() as served:
        yield served


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param({}, 200, id="loopback"),
        pytest.param({"Host": "evil.example"}, 403, id="another host"),
        pytest.param({"Origin": "http://evil.example"}, 403, id="another origin"),
        pytest.param({"Sec_Fetch_Site": "cross-site"}, 403, id="another site"),
    ],
)
@pytest.mark.parametrize("path", ["/external/jobs", "/", "/openapi.json", "/scheduler/info"])
def test_other_sites_are_refused(shared: ServedInterface, path: str, headers: dict[str, str], status: int) -> None:
    assert shared.ask("GET", path, **headers).status == status


@pytest.mark.parametrize("token", [None, "guess"])
@pytest.mark.parametrize("path", ["/external/jobs", "/external/stream", "/external/nothing"])
def test_data_needs_the_token(shared: ServedInterface, path: str, token: str | None) -> None:
    assert shared.ask("GET", path, token=token).status == 401


def test_without_authentication_no_token_is_needed() -> None:
    with serving(token=None) as served:
        assert served.ask("GET", "/external/jobs", token=None).status == 200
        assert served.ask("GET", "/external/jobs", token=TOKEN).status == 200


def test_a_body_may_have_512_kilobytes(shared: ServedInterface) -> None:
    job = {"name": "spark-pi", "externalScheduler": {"times": [{"s": "0" * 500_000}]}}
    assert shared.ask("PUT", "/external/jobs", job).status == 200
    job["externalScheduler"] = {"times": [{"s": "0" * 530_000}]}
    assert shared.ask("PUT", "/external/jobs", job).status == 413
