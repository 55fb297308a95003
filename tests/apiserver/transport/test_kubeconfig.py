from __future__ import annotations

import stat
from pathlib import Path

import pytest
import yaml

from wavetank.apiserver.http.kubeconfig import Access, read_kubeconfig, write_kubeconfig
from wavetank.errors import InputError

PLAIN = Access("http://127.0.0.1:8001", "a/b:c")


@pytest.mark.parametrize(
    "access",
    [
        pytest.param(PLAIN, id="plain HTTP"),
        pytest.param(Access("https://127.0.0.1:8001", "secret", b"PEM"), id="TLS"),
        pytest.param(Access("http://[::1]:8001"), id="no token"),
    ],
)
def test_what_is_written_is_read(access: Access, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "kubeconfig"
    write_kubeconfig(path, access)
    assert read_kubeconfig(path) == access


def test_only_the_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    path.touch(0o644)
    write_kubeconfig(path, PLAIN)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_go_programs_get_the_token_in_the_address_of_a_proxy(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    write_kubeconfig(path, PLAIN)
    cluster = yaml.safe_load(path.read_text())["clusters"][0]["cluster"]
    assert cluster == {"server": PLAIN.server, "proxy-url": "http://wavetank:a%2Fb%3Ac@127.0.0.1:8001"}


def test_under_tls_there_is_no_proxy(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    write_kubeconfig(path, Access("https://127.0.0.1:8001", "secret", b"PEM"))
    assert "proxy-url" not in path.read_text()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("clusters: [{name: prod}]\nusers: [{name: prod}]\n", id="a kubeconfig"),
        pytest.param("clusters: [{name: prod}, {name: wavetank}]\nusers: [{name: wavetank}]\n", id="a merged one"),
        pytest.param("dear diary\n", id="no kubeconfig at all"),
        pytest.param("clusters: [1]\nusers: 2\n", id="something like one"),
    ],
)
def test_files_of_others_are_left_alone(text: str, tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(text)
    with pytest.raises(InputError, match="give another path"):
        write_kubeconfig(path, PLAIN)
    with pytest.raises(InputError, match="expected a kubeconfig written by wavetank serve"):
        read_kubeconfig(path)
    assert path.read_text() == text
