"""Writes apiserver/authorization/bootstrap.json: the roles and bindings that every cluster with RBAC begins with.

    go mod download k8s.io/kubernetes@v1.35.8
    python scripts/generate_roles.py "$(go env GOMODCACHE)/k8s.io/kubernetes@v1.35.8"

They are the objects that Kubernetes keeps beside its own test of them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

FOLDER = "plugin/pkg/auth/authorizer/rbac/bootstrappolicy/testdata"
FILES = (
    "cluster-roles",
    "controller-roles",
    "cluster-role-bindings",
    "controller-role-bindings",
    "namespace-roles",
    "namespace-role-bindings",
)
TARGET = Path(__file__).parents[1] / "src/wavetank/apiserver/authorization/bootstrap.json"


def objects(kubernetes: Path) -> Iterator[dict[str, Any]]:
    """Yields the objects; roles that collect others' rules have none of their own yet."""
    for name in FILES:
        for document in yaml.safe_load_all((kubernetes / FOLDER / f"{name}.yaml").read_text()):
            yield from document["items"]


if __name__ == "__main__":
    made = [{key: value for key, value in each.items() if value is not None} for each in objects(Path(sys.argv[1]))]
    TARGET.write_text("[\n" + ",\n".join(json.dumps(each, separators=(",", ":")) for each in made) + "\n]\n")
