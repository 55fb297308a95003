"""Writes a software bill of materials of a wheel, as CycloneDX JSON: all packages that are installed with it.

    python scripts/write_sbom.py dist/wavetank-0.1.0-py3-none-any.whl dist/wavetank-0.1.0.cdx.json

Run it with the Python of an environment in which nothing but the wheel was installed, as `make wheel` does. It needs
only the standard library, and writes the same bytes for the same environment.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import uuid
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

Document = dict[str, Any]
ROOT = "wavetank"


def main() -> None:
    """Reads the paths of the wheel and of the bill from the command line."""
    wheel, out = map(Path, sys.argv[1:3])
    out.write_text(json.dumps(bill(wheel), indent=1) + "\n", encoding="utf-8")
    print(out)


def bill(wheel: Path) -> Document:
    """Returns the bill of a wheel that is installed here."""
    found = closure(ROOT)
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    own = component(found[ROOT]) | {"type": "application", "hashes": [{"alg": "SHA-256", "content": digest}]}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, digest)}",
        "version": 1,
        "metadata": {"component": own},
        "components": [component(each) for name, each in sorted(found.items()) if name != ROOT],
        "dependencies": [
            {"ref": purl(each), "dependsOn": [purl(found[needed]) for needed in needs(each) if needed in found]}
            for _, each in sorted(found.items())
        ],
    }


def closure(name: str) -> dict[str, Distribution]:
    """Returns an installed package and all that it needs, by name."""
    found: dict[str, Distribution] = {}
    pending = [name]
    while pending:
        each = pending.pop()
        if each in found:
            continue
        try:
            found[each] = distribution(each)
        except PackageNotFoundError:  # its marker says that it is not needed here
            continue
        pending += needs(found[each])
    return found


def needs(package: Distribution) -> list[str]:
    """Returns the names of the packages that one needs, without those of extras."""
    required = [each for each in package.requires or () if "extra ==" not in each]
    return sorted({canonical(match[0]) for each in required if (match := re.match(r"[\w.-]+", each))})


def component(package: Distribution) -> Document:
    """Returns a package as a component."""
    described: Document = {"type": "library", "bom-ref": purl(package), "name": canonical(package.metadata["Name"])}
    described |= {"version": package.version, "purl": purl(package)}
    license_ = licence_of(package)
    return described | ({"licenses": [license_]} if license_ else {})


def licence_of(package: Distribution) -> Document | None:
    """Returns the licence that a package states: as an expression, or else in the words of its classifiers."""
    metadata = package.metadata
    if expression := metadata.get("License-Expression"):
        return {"expression": expression}
    stated = [each.rpartition(" :: ")[2] for each in metadata.get_all("Classifier") or () if each.startswith("License")]
    return {"license": {"name": stated[0]}} if stated else None


def purl(package: Distribution) -> str:
    """Returns the package URL."""
    return f"pkg:pypi/{canonical(package.metadata['Name'])}@{package.version}"


def canonical(name: str) -> str:
    """Returns the name of a package as PyPI compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    main()
