"""Reads a kubeconfig: where the API server is, and how a client proves who it is."""

from __future__ import annotations

import base64
import json
import os
import ssl
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from wavetank.cluster.manifests import load_documents, read_text
from wavetank.errors import InputError

_EXEC_TIMEOUT_S = 60


@dataclass(frozen=True)
class Server:
    """An API server: its URL, the headers of every request, and its TLS context, None over plain HTTP."""

    url: str
    headers: Mapping[str, str]
    tls: ssl.SSLContext | None = None


def default_path() -> Path:
    """Returns the first file of $KUBECONFIG, or ~/.kube/config."""
    named = os.environ.get("KUBECONFIG", "").split(os.pathsep)[0]
    return Path(named) if named else Path.home() / ".kube" / "config"


def read_server(path: Path, context: str | None = None) -> Server:
    """Reads the server of a context, by default the current one; InputError if it cannot be used."""
    try:
        return _server(path, context)
    except InputError as error:
        raise error.inside(source=str(path)) from None


def _server(path: Path, context: str | None) -> Server:
    documents = list(load_documents(read_text(path), str(path)))
    config = documents[0] if documents else None
    if not isinstance(config, Mapping) or not config.get("clusters"):
        raise InputError("expected a kubeconfig")
    name = context or str(config.get("current-context") or "")
    chosen = _named(config, "contexts", "context", name)
    cluster = _named(config, "clusters", "cluster", str(chosen.get("cluster")))
    user = _named(config, "users", "user", str(chosen.get("user"))) if chosen.get("user") else {}
    url = str(cluster.get("server") or "")
    if urlsplit(url).scheme not in ("http", "https"):
        raise InputError(f"expected a URL, got {url!r}", path="clusters.cluster.server")
    user = {**user, **_executed(user.get("exec"))}
    tls = _tls(cluster, user, path.parent) if url.startswith("https") else None
    return Server(url.rstrip("/"), _headers(user, path.parent), tls)


def _named(config: Mapping[str, Any], section: str, part: str, name: str) -> Mapping[str, Any]:
    entries: Sequence[Mapping[str, Any]] = config.get(section) or ()
    found = next((entry for entry in entries if entry.get("name") == name), None)
    if found is None:
        raise InputError(f"there is no {part} {name!r}", path=section)
    return found.get(part) or {}


def _headers(user: Mapping[str, Any], folder: Path) -> dict[str, str]:
    token = user.get("token")
    if not token and user.get("tokenFile"):
        token = read_text(folder / str(user["tokenFile"])).strip()
    if token:
        return {"Authorization": f"Bearer {token}"}
    if user.get("username"):
        pair = f"{user['username']}:{user.get('password') or ''}"
        return {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
    return {}


def _executed(plugin: Mapping[str, Any] | None) -> dict[str, Any]:
    """Runs a credential plugin, as clouds use them, and returns its credentials as those of a user."""
    if not plugin:
        return {}
    command = [str(plugin.get("command")), *map(str, plugin.get("args") or ())]
    extra = {str(item["name"]): str(item["value"]) for item in plugin.get("env") or ()}
    asked = {"apiVersion": plugin.get("apiVersion"), "kind": "ExecCredential", "spec": {"interactive": False}}
    environment = {**os.environ, **extra, "KUBERNETES_EXEC_INFO": json.dumps(asked)}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=_EXEC_TIMEOUT_S, check=True)
        status = json.loads(done.stdout).get("status") or {}
    except (OSError, subprocess.SubprocessError, ValueError, AttributeError) as error:
        raise InputError(f"the credential plugin {command[0]} failed: {error}", path="users.user.exec") from None
    credentials = {"token": status.get("token")}
    for key, field in (("clientCertificateData", "client-certificate-data"), ("clientKeyData", "client-key-data")):
        if status.get(key):
            credentials[field] = base64.b64encode(str(status[key]).encode()).decode()
    return credentials


def _tls(cluster: Mapping[str, Any], user: Mapping[str, Any], folder: Path) -> ssl.SSLContext:
    authority = _pem(cluster, "certificate-authority", folder)
    try:
        tls = ssl.create_default_context(cadata=authority or None)
        if cluster.get("insecure-skip-tls-verify"):
            tls.check_hostname = False
            tls.verify_mode = ssl.CERT_NONE
        certificate, key = _pem(user, "client-certificate", folder), _pem(user, "client-key", folder)
        if certificate and key:
            _load(tls, certificate, key)
    except (ssl.SSLError, ValueError) as error:
        raise InputError(f"its certificates cannot be used: {error}") from None
    return tls


def _pem(section: Mapping[str, Any], name: str, folder: Path) -> str:
    """Returns a PEM text: the data in the kubeconfig itself, or the file that it names."""
    if section.get(f"{name}-data"):
        return base64.b64decode(str(section[f"{name}-data"])).decode()
    return read_text(folder / str(section[name])) if section.get(name) else ""


def _load(tls: ssl.SSLContext, certificate: str, key: str) -> None:
    with tempfile.TemporaryDirectory() as folder:  # ssl reads certificates from files only
        path = Path(folder, "pair.pem")
        path.touch(mode=0o600)
        path.write_text(f"{certificate}\n{key}")
        tls.load_cert_chain(path)
