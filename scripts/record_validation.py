"""Writes tests/apiserver/validation/verdicts.json.gz: what the real API server's strategies say of invalid documents.

    python scripts/record_validation.py [--cases 12]

Builds scripts/oracles/validation with Go (modules of Kubernetes from the module proxy), changes the documents of
tests/apiserver/documents.yaml in random but repeatable ways, and records the causes and warnings of each.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from testmodules import ROOT
from tests.apiserver.documents import DOCUMENTS
from tests.apiserver.spoiling import STORED, invent, spoil
from wavetank.apiserver.kinds import KindTable

TARGET = ROOT / "tests/apiserver/validation/verdicts.json.gz"


def questions(cases: int) -> Iterator[dict[str, Any]]:
    """Yields documents to create, to replace a good one, and to replace its status."""
    chance, table = random.Random(7), KindTable.builtin()
    for document in DOCUMENTS:
        kind = table.named(document["apiVersion"], document["kind"])
        assert kind is not None
        head = {"APIVersion": kind.api_version, "Kind": kind.kind}
        old = {**document, "metadata": {**document["metadata"], **STORED}}
        status = kind.schema.fields.get("status") if "status" in kind.subresources else None
        yield {**head, "Op": "create", "Doc": document}
        for _ in range(cases):
            yield {**head, "Op": "create", "Doc": spoil(document, kind.schema, chance)}
            yield {**head, "Op": "update", "Doc": spoil(old, kind.schema, chance), "Old": old}
            if status is not None and kind.kind != "Ingress":
                yield {**head, "Op": "status", "Doc": {**old, "status": invent(status, chance)}, "Old": old}


def is_about_cel(verdict: dict[str, Any]) -> bool:
    """Tells whether an expression is bad, which the simulator, that knows a part of CEL, tells in its own words."""
    return any(field.endswith(".cel.expression") for _, field, _ in verdict.get("causes", ()))


def main() -> None:
    """Writes the verdicts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=12)
    asked = list(questions(parser.parse_args().cases))
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder) / "verdicts"
        subprocess.run(["go", "build", "-o", binary, "."], cwd=ROOT / "scripts/oracles/validation", check=True)
        lines = "".join(json.dumps(question) + "\n" for question in asked)
        answered = subprocess.run([binary], input=lines, capture_output=True, text=True, check=True).stdout
    verdicts = [json.loads(line) for line in answered.splitlines()]
    kept = [{**q, **v} for q, v in zip(asked, verdicts, strict=True) if "error" not in v and not is_about_cel(v)]
    for row in kept:
        row.pop("doc", None)
        for name in ("causes", "warnings"):  # in no fixed order: Go goes through maps in any
            row.update({name: sorted(row[name])} if row.get(name) else {})
    with gzip.GzipFile(TARGET, "wb", mtime=0) as file:
        file.write(json.dumps(kept, separators=(",", ":")).encode())
    print(f"{len(kept)} verdicts, {sum('causes' not in row for row in kept)} of them without fault")


if __name__ == "__main__":
    main()
