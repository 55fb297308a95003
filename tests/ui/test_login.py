from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.apiserver.serving import TOKEN, Served, nodes_file, serving
from wavetank.ui.login import OneTimeLogin


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    with serving(folder, "--cluster", nodes_file(folder), "--scheduler", "none") as served:
        yield served


def without_token(served: Served) -> Served:
    return Served(served.process, served.url, served.kubeconfig, token=None)


def test_a_code_is_worth_the_token_once() -> None:
    login = OneTimeLogin("secret")
    code = login.link("http://host/ui/").partition("#login=")[2]
    assert login.exchange("wrong") is None
    assert login.exchange(code) == "secret"
    assert login.exchange(code) is None


def test_without_a_token_there_is_no_code() -> None:
    login = OneTimeLogin(None)
    assert login.link("http://host/ui/") == "http://host/ui/"
    assert login.exchange("") is None


def test_the_server_prints_a_link_that_logs_in_once(tmp_path: Path) -> None:
    with serving(tmp_path, "--bare") as served:
        assert served.process.stdout is not None
        link = [served.process.stdout.readline() for _ in range(2)][1].split()[1]
        found = re.fullmatch(rf"http://127.0.0.1:{served.port}/ui/#login=([\w-]{{32}})", link)
        assert found
        body = json.dumps({"code": found[1]}).encode()
        anyone = without_token(served)
        assert anyone.ask("POST", "/ui/login", body).json == {"token": TOKEN}
        assert anyone.ask("POST", "/ui/login", body).status == 403


def test_the_page_needs_no_token_and_its_data_does(served: Served) -> None:
    anyone = without_token(served)
    page = anyone.ask("GET", "/ui/")
    assert page.status == 200
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert "unsafe" not in page.headers["content-security-policy"]
    assert anyone.ask("GET", "/ui").headers["location"] == "/ui/"
    assert anyone.ask("GET", "/ui/facts").json["tokenNeeded"] is True
    for path in ("/ui/api/feed", "/ui/api/explain?namespace=default&name=a", "/ui/nothing"):
        assert anyone.ask("GET", path).status == 401


def test_every_file_that_the_page_names_is_served(served: Served) -> None:
    anyone, seen, left = without_token(served), set(), ["/ui/"]
    while left:
        path = left.pop()
        answer = anyone.ask("GET", path)
        assert answer.status == 200, path
        seen.add(path)
        text = answer.body.decode()
        named = re.findall(r'(?:src|href)="(/ui/[^"]+)"', text)
        named += [f"/ui/js/{name}" for name in re.findall(r'from "\./([^"]+)"', text)]
        left += [name for name in named if name not in seen]
    assert "/ui/js/view.js" in seen


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        pytest.param({"Host": "evil.example"}, "is not served here", id="another Host"),
        pytest.param({"Origin": "https://evil.example"}, "is not this server", id="another Origin"),
        pytest.param({"Sec-Fetch-Site": "cross-site"}, "another site", id="a page of another site"),
    ],
)
@pytest.mark.parametrize("path", ["/ui/", "/ui/api/feed", "/ui/login"])
def test_pages_of_other_sites_are_refused(served: Served, path: str, headers: dict[str, str], why: str) -> None:
    answer = served.ask("POST" if path == "/ui/login" else "GET", path, **headers)
    assert answer.status == 403
    assert why in answer.json["message"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/ui/login", 400),
        ("GET", "/ui/api/nothing", 404),
        ("POST", "/ui/api/feed", 404),
        ("GET", "/ui/../../etc/passwd", 404),
        ("GET", "/ui/js/", 404),
        ("GET", "/ui/api/explain?namespace=default&name=none", 404),
    ],
)
def test_bad_requests_are_answered_with_a_status(served: Served, method: str, path: str, status: int) -> None:
    answer = served.ask(method, path)
    assert answer.status == status
    assert answer.json["kind"] == "Status"
