"""The kubeconfig of a served cluster: written for clients, read by `wavetank clock`."""

from __future__ import annotations

import base64
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import yaml

from wavetank.apiserver.http.authentication import PROXY_USER
from wavetank.cluster.manifests import load_documents, read_text
from wavetank.errors import InputError

NAME = "wavetank"  # of the cluster, the user and the context

_HEAD = "# A simulated cluster, written by wavetank serve.\n"
_WHY_PROXY = """\
# kubectl and everything else written in Go sends no token over plain HTTP, but does send what is in a proxy's address.
# So the server is its own proxy here. Other clients send the token.
"""


@dataclass(frozen=True)
class Access:
    """How to reach a served cluster: its URL, the token if one is needed, the authority to trust under TLS (PEM)."""

    server: str
    token: str | None = None
    authority: bytes | None = None


def write_kubeconfig(path: Path, access: Access) -> None:
    """Writes a kubeconfig that only its owner can read; InputError if a file of another cluster is in the way."""
    if path.exists() and not _is_ours(path):
        raise InputError("there is a kubeconfig of another cluster: give another path", source=str(path))
    text = _HEAD + (_WHY_PROXY if _needs_proxy(access) else "") + yaml.safe_dump(_config(access), sort_keys=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # readable by its owner alone
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", source=str(path)) from None


def read_kubeconfig(path: Path) -> Access:
    """Reads a kubeconfig that `write_kubeconfig` wrote; InputError if it is of another cluster."""
    access = _load(path)
    if access is None:
        raise InputError("expected a kubeconfig written by wavetank serve", source=str(path))
    return access


def _needs_proxy(access: Access) -> bool:
    return access.token is not None and access.authority is None


def _config(access: Access) -> dict[str, Any]:
    cluster: dict[str, Any] = {"server": access.server}
    if access.authority is not None:
        cluster["certificate-authority-data"] = base64.b64encode(access.authority).decode()
    if _needs_proxy(access):
        cluster["proxy-url"] = f"http://{PROXY_USER}:{quote(access.token or '', '')}@{urlsplit(access.server).netloc}"
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": NAME, "cluster": cluster}],
        "users": [{"name": NAME, "user": {"token": access.token} if access.token else {}}],
        "contexts": [{"name": NAME, "context": {"cluster": NAME, "user": NAME, "namespace": "default"}}],
        "current-context": NAME,
    }


def _is_ours(path: Path) -> bool:
    return not read_text(path).strip() or _load(path) is not None


def _load(path: Path) -> Access | None:
    """Reads a kubeconfig if its only cluster is one of ours."""
    documents = load_documents(read_text(path), str(path))
    config = documents[0] if len(documents) == 1 else None
    cluster, user = _only(config, "clusters", "cluster"), _only(config, "users", "user")
    if cluster is None or user is None:
        return None
    authority = cluster.get("certificate-authority-data")
    return Access(str(cluster.get("server")), user.get("token"), base64.b64decode(authority) if authority else None)


def _only(config: object, part: str, field: str) -> Mapping[str, Any] | None:
    """Returns the only entry of a part of a kubeconfig, if it has our name."""
    entries = config.get(part) if isinstance(config, Mapping) else None
    entry = entries[0] if isinstance(entries, list) and len(entries) == 1 else None
    found = entry.get(field) if isinstance(entry, Mapping) and entry.get("name") == NAME else None
    return found if isinstance(found, Mapping) else None
