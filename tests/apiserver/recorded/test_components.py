"""What kube-scheduler and kube-controller-manager read, as recorded: every path and every watch is served."""

from __future__ import annotations

import gzip
import json

import pytest

from tests.apiserver.inprocess import Caller
from tests.apiserver.transcripts import TRANSCRIPTS
from tests.support.paths import absent
from wavetank.apiserver.requests.request import Response

PLACEHOLDERS = {"<rv>": "0", "<t>": "10s", "<n>": "300", "{ns}": "default", "{name}": "x"}
FILES = sorted(TRANSCRIPTS.glob("components/*.json.gz"))
# A custom resource of the recorded cluster.
FOREIGN = "/apis/k.gold.io/"

if not FILES:
    pytest.skip(absent(TRANSCRIPTS), allow_module_level=True)


def rows() -> list[tuple[str, str, bool]]:
    """Returns (target, Accept, whether it was found) of each distinct GET."""
    found = {}
    for file in FILES:
        for phase in json.loads(gzip.decompress(file.read_bytes()))["phases"].values():
            for row in phase["rows"]:
                if row["method"] == "GET" and not row["path"].startswith(FOREIGN):
                    target = row["path"] + (f"?{row['query']}" if row.get("query") else "")
                    for placeholder, value in PLACEHOLDERS.items():
                        target = target.replace(placeholder, value)
                    named = "{name}" in row["path"] or "200" not in row["status"]
                    found[target, row.get("accept") or "*/*"] = not named
    return [(target, accept, there) for (target, accept), there in sorted(found.items())]


def test_what_the_components_read_is_served() -> None:
    caller, refused = Caller(), []
    for target, accept, there in rows():
        answer = caller.call("GET", target, accept=accept)
        status = answer.status if isinstance(answer, Response) else 200
        if status not in ((200,) if there else (200, 404)):
            refused.append((target, status))
    assert refused == []
