"""Writes src/wavetank/apiserver/authorization/bootstrap.json: the roles and bindings that every cluster with RBAC has.

Reads the Go module k8s.io/kubernetes, which keeps these objects as YAML beside its own test of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import yaml

from sources import ROOT, go_module

FOLDER = "plugin/pkg/auth/authorizer/rbac/bootstrappolicy/testdata"
FILES = (
    "cluster-roles",
    "controller-roles",
    "cluster-role-bindings",
    "controller-role-bindings",
    "namespace-roles",
    "namespace-role-bindings",
)
TARGET = ROOT / "src/wavetank/apiserver/authorization/bootstrap.json"


def main() -> None:
    """Writes one object on a line."""
    made = [{key: value for key, value in each.items() if value is not None} for each in objects()]
    TARGET.write_text("[\n" + ",\n".join(json.dumps(each, separators=(",", ":")) for each in made) + "\n]\n")


def objects() -> Iterator[dict[str, Any]]:
    """Yields the objects; roles that aggregate others have no rules of their own yet."""
    for name in FILES:
        for document in yaml.safe_load_all((go_module("kubernetes") / FOLDER / f"{name}.yaml").read_text()):
            yield from document["items"]


if __name__ == "__main__":
    main()
