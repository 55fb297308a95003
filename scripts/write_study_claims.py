"""Writes the claims of finished studies into docs/studies.md, between the marks of each study.

    wavetank study run topsis -o out/topsis
    python scripts/write_study_claims.py out/topsis ...

The tables are those of runs that were made, full or small; they are not part of `make generate`.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[1] / "docs/studies.md"
VERDICTS = {"holds": "yes", "does not hold": "**no**", "cannot be checked": "?"}


def main(folders: list[str]) -> None:
    """Replaces the table of each study whose results are given."""
    text = PAGE.read_text(encoding="utf-8")
    for folder in folders:
        document = json.loads((Path(folder) / "claims.json").read_text(encoding="utf-8"))
        name = document["study"]
        marks = re.compile(rf"(<!-- claims: {re.escape(name)} -->\n).*?(<!-- end of claims -->)", re.DOTALL)
        if not marks.search(text):
            sys.exit(f"{PAGE}: no marks for the claims of {name}")
        table = claim_table(document)
        text = marks.sub(lambda found, table=table: f"{found[1]}{table}{found[2]}", text)
    PAGE.write_text(text, encoding="utf-8")


def claim_table(document: dict[str, Any]) -> str:
    """Returns the claims as a Markdown table, with the form in which the study was run."""
    rows = ["", "| claim | document | here | holds |", "|---|---|---|---|", *map(_row, document["claims"]), ""]
    return "\n".join([*rows, f"({document['form']} form)", "", ""])


def _row(claim: dict[str, str]) -> str:
    here = f"{claim['measured']} ({claim['reason']})" if claim["measured"] and claim["reason"] else claim["measured"]
    statement = f"{claim['statement']} ({claim['place']})"
    cells = (statement, claim["published"] or "–", here or claim["reason"] or "–", VERDICTS[claim["verdict"]])
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    main(sys.argv[1:])
