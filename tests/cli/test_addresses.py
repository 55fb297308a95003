import pytest

from wavetank.cli.addresses import warn_of_network


@pytest.mark.parametrize(
    ("host", "secret", "tls", "warning"),
    [
        pytest.param("127.0.0.1", False, False, "", id="loopback"),
        pytest.param("::1", True, False, "", id="loopback of IPv6"),
        pytest.param("0.0.0.0", True, True, "", id="TLS and a token"),
        pytest.param("0.0.0.0", True, False, "0.0.0.0 without TLS: the token can be read on the network", id="no TLS"),
        pytest.param("0.0.0.0", False, True, "0.0.0.0 without a token: anyone there can use it", id="no token"),
        pytest.param("", False, False, "0.0.0.0 without a token: anyone there can use it", id="all addresses"),
    ],
)
def test_a_server_on_the_network_without_token_or_tls_is_warned_of(
    capsys: pytest.CaptureFixture[str], host: str, secret: bool, tls: bool, warning: str
) -> None:
    warn_of_network("--host", host, secret=secret, tls=tls)
    assert capsys.readouterr().err == (f"warning: --host {warning}\n" if warning else "")
