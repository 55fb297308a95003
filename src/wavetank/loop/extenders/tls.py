"""TLS as a kube-scheduler configuration describes it."""

from __future__ import annotations

import base64
import ssl
from collections.abc import Mapping
from http.client import HTTPSConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from wavetank.errors import InputError


class TlsConnection(HTTPSConnection):
    """An HTTPS connection that can expect a certificate for a name other than the host's."""

    def __init__(self, host: str, server_name: str, *, timeout: float, context: ssl.SSLContext) -> None:
        super().__init__(host, timeout=timeout, context=context)
        self._server_name = server_name or self.host
        self._tls = context

    def connect(self) -> None:
        """Connects, and checks the certificate against the expected name."""
        super(HTTPSConnection, self).connect()
        self.sock = self._tls.wrap_socket(self.sock, server_hostname=self._server_name)


def tls_context(config: Mapping[str, Any], insecure_without_ca: bool) -> ssl.SSLContext:
    """Returns the context of a tlsConfig; without a CA any certificate is accepted, if `insecure_without_ca`."""
    authority = _text(config, "ca")
    try:
        context = ssl.create_default_context(cadata=authority or None)
        if config.get("insecure") or (insecure_without_ca and not authority):
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        certificate, key = _text(config, "cert"), _text(config, "key")
        if certificate and key:
            _load(context, certificate, key)
    except (ssl.SSLError, ValueError) as error:
        raise InputError(f"cannot be used: {error}", path="tlsConfig") from None
    return context


def _text(config: Mapping[str, Any], part: str) -> str:
    """Returns a PEM text: the base64 data in the configuration itself, or the file that it names."""
    if config.get(f"{part}Data"):
        return base64.b64decode(str(config[f"{part}Data"])).decode()
    path = config.get(f"{part}File")
    try:
        return Path(path).read_text() if path else ""
    except OSError as error:
        raise InputError(f"cannot be read: {error}", path=f"tlsConfig.{part}File") from None


def _load(context: ssl.SSLContext, certificate: str, key: str) -> None:
    with TemporaryDirectory() as folder:  # ssl reads certificates from files only
        paths = Path(folder, "cert.pem"), Path(folder, "key.pem")
        for path, text in zip(paths, (certificate, key), strict=True):
            path.write_text(text)
        context.load_cert_chain(*paths)
