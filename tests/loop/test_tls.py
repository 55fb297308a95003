"""Calls to an extender over HTTPS, with the options of a tlsConfig."""

from __future__ import annotations

import base64
import shutil
import ssl
import subprocess
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from wavetank.errors import InputError
from wavetank.loop.extenders.client import HttpExtenderClient
from wavetank.scheduling.framework.extenders.answers import ExtenderError

NAME = "extender.test"

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl to make a certificate")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    made = folder / "cert.pem", folder / "key.pem"
    options = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={NAME}"]
    names = ["-addext", f"subjectAltName=DNS:{NAME}", "-out", made[0], "-keyout", made[1]]
    subprocess.run(["openssl", "req", "-x509", *options, *names], check=True, capture_output=True)
    return made


@pytest.fixture(scope="module")
def url(certificate):
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *args):
            pass

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.handle_error = lambda *args: None  # a client that does not trust us hangs up
        server.socket = context.wrap_socket(server.socket, server_side=True)
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield f"https://127.0.0.1:{server.server_port}"
        server.shutdown()


def call(url, **config):
    return HttpExtenderClient({"urlPrefix": url, **config}).call("filter", {})


def test_https_without_an_authority_trusts_anybody(url):
    assert call(url, enableHTTPS=True) == {}
    assert call(url, tlsConfig={"insecure": True}) == {}


def test_an_authority_and_a_server_name_are_checked(url, certificate):
    authority = {"caData": base64.b64encode(certificate[0].read_bytes()).decode()}
    assert call(url, tlsConfig={**authority, "serverName": NAME}) == {}
    with pytest.raises(ExtenderError, match="certificate"):
        call(url, tlsConfig=authority)
    with pytest.raises(ExtenderError, match="certificate"):
        call(url)


def test_a_client_may_show_a_certificate_of_its_own(url, certificate):
    files = {"caFile": str(certificate[0]), "certFile": str(certificate[0]), "keyFile": str(certificate[1])}
    assert call(url, tlsConfig={**files, "serverName": NAME}) == {}


@pytest.mark.parametrize(
    ("tls", "place"), [({"caFile": "/nowhere"}, "tlsConfig.caFile"), ({"caData": "eA=="}, "tlsConfig")]
)
def test_what_cannot_be_used_is_refused(tls, place):
    with pytest.raises(InputError) as error:
        HttpExtenderClient({"urlPrefix": "https://host", "tlsConfig": tls})
    assert error.value.path == place
