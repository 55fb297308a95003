"""Writes tests/apiserver/custom/verdicts.json.gz: what the real apiextensions code says of definitions and objects.

Builds scripts/oracles/customresources with Go (modules of Kubernetes from the module proxy) and asks it about the
random definitions, objects and CEL rules of tests/apiserver/custom.
"""

from __future__ import annotations

import gzip
import json
import re
import tempfile
from pathlib import Path

import testmodules  # noqa: F401
from tests.apiserver.custom.oracle import ask, build
from tests.apiserver.custom.test_verdicts import FILE, requests


def main() -> None:
    """Writes the file."""
    asked = list(requests(100))
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder))
        if program is None:
            raise SystemExit("there is no Go to build the real code with")
        recorded = json.dumps({"requests": asked, "answers": ask(program, asked)})
    repeatable = re.sub(r"\bselfType\d+", "selfType0", recorded)  # the real code numbers types at random
    FILE.write_bytes(gzip.compress(repeatable.encode(), mtime=0))


if __name__ == "__main__":
    main()
