"""Config maps, secrets and service accounts."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping

from wavetank.apiserver.fielderrors import forbidden, invalid, required, too_long
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, Errors, check_immutable, each_invalid
from wavetank.apiserver.validation.metadata import check_metadata, check_metadata_update

_LIMIT = 1024 * 1024  # bytes of all values together
_IMMUTABLE = "field is immutable when `immutable` is set"
_ACCOUNT = "kubernetes.io/service-account.name"
_DOCKER: Mapping[str, str] = {
    "kubernetes.io/dockercfg": ".dockercfg",
    "kubernetes.io/dockerconfigjson": ".dockerconfigjson",
}


def check_config_map(config: Document) -> Errors:
    """Checks a config map."""
    yield from check_metadata(config["metadata"], True, names.subdomain_problems)
    data, binary = config.get("data") or {}, config.get("binaryData") or {}
    for key in data:
        yield from each_invalid(f"data[{key}]", key, names.config_key_problems(key))
        if key in binary:
            yield invalid(f"data[{key}]", key, "duplicate of key present in binaryData")
    for key in binary:
        yield from each_invalid(f"binaryData[{key}]", key, names.config_key_problems(key))
    size = sum(len(value.encode()) for value in data.values()) + sum(len(_decoded(value)) for value in binary.values())
    if size > _LIMIT:
        yield too_long("[]", _LIMIT)  # how Go shows an empty path


def check_config_map_update(new: Document, old: Document) -> Errors:
    """Checks a changed config map."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from _check_unchanged(new, old, "data", "binaryData")
    yield from check_config_map(new)


def check_secret(secret: Document) -> Errors:
    """Checks a secret; some types must have certain keys."""
    yield from check_metadata(secret["metadata"], True, names.subdomain_problems)
    data = secret.get("data") or {}
    for key in data:
        yield from each_invalid(f"data[{key}]", key, names.config_key_problems(key))
    if sum(len(_decoded(value)) for value in data.values()) > _LIMIT:
        yield too_long("data", _LIMIT)
    yield from _check_keys(secret, data)


def check_secret_update(new: Document, old: Document) -> Errors:
    """Checks a changed secret: its type may not change."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from check_immutable("type", new.get("type", ""), old.get("type", ""))
    yield from _check_unchanged(new, old, "data")
    yield from check_secret(new)


def check_service_account(account: Document) -> Errors:
    """Checks a service account."""
    return check_metadata(account["metadata"], True, names.subdomain_problems)


def check_service_account_update(new: Document, old: Document) -> Errors:
    """Checks a changed service account."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from check_service_account(new)


def _check_unchanged(new: Document, old: Document, *fields: str) -> Errors:
    if not old.get("immutable"):
        return
    if not new.get("immutable"):
        yield forbidden("immutable", _IMMUTABLE)
    for name in fields:
        if (new.get(name) or {}) != (old.get(name) or {}):
            yield forbidden(name, _IMMUTABLE)


def _check_keys(secret: Document, data: Document) -> Errors:
    kind = secret.get("type", "")
    if kind == "kubernetes.io/service-account-token":
        if not (secret["metadata"].get("annotations") or {}).get(_ACCOUNT):
            yield required(f"metadata.annotations[{_ACCOUNT}]")
    elif kind in _DOCKER:
        yield from _check_docker(data, _DOCKER[kind])
    elif kind == "kubernetes.io/basic-auth":
        if "username" not in data and "password" not in data:
            yield required("data[username]")
            yield required("data[password]")
    elif kind == "kubernetes.io/ssh-auth":
        if not data.get("ssh-privatekey"):
            yield required("data[ssh-privatekey]")
    elif kind == "kubernetes.io/tls":
        for key in ("tls.crt", "tls.key"):
            if key not in data:
                yield required(f"data[{key}]")


def _check_docker(data: Document, key: str) -> Errors:
    if key not in data:
        yield required(f"data[{key}]")
        return
    text = _decoded(data[key])
    try:
        json.loads(text)
    except ValueError:
        problem = (
            "unexpected end of JSON input"
            if not text
            else f"invalid character '{chr(text[0])}' looking for beginning of value"
        )
        yield invalid(f"data[{key}]", "<secret contents redacted>", problem)
    except RecursionError:
        yield invalid(f"data[{key}]", "<secret contents redacted>", "exceeded max depth")


def _decoded(value: str | None) -> bytes:
    text = value or ""  # null is no bytes
    try:
        return base64.b64decode(text)
    except binascii.Error:
        return text.encode()
