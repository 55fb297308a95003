from __future__ import annotations

import ipaddress
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from wavetank.errors import WavetankError

_DAYS = 365
# It is its own authority; strict clients want to see both uses.
_USES = ("keyUsage=critical,digitalSignature,keyCertSign", "extendedKeyUsage=serverAuth")


@dataclass(frozen=True)
class Certificate:
    """A certificate and its key, both in files in PEM."""

    certificate: Path
    key: Path


def make_certificate(folder: Path, host: str) -> Certificate:
    """Makes a self-signed certificate for loopback and for `host` in a folder that only its owner may read.

    It is made by the openssl command, which nearly every machine has; a library would be one more dependency.
    WavetankError if there is none.
    """
    openssl = shutil.which("openssl")
    if openssl is None:
        raise WavetankError("--tls needs the command openssl, which is not on this machine")
    made = Certificate(folder / "certificate.pem", folder / "key.pem")
    names = ",".join(dict.fromkeys(map(_name, ("localhost", "127.0.0.1", "::1", host))))
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    files = ["-keyout", str(made.key), "-out", str(made.certificate)]
    says = ["-subj", "/CN=wavetank", "-days", str(_DAYS)]
    for extension in (f"subjectAltName={names}", *_USES):
        says += ["-addext", extension]
    done = subprocess.run([openssl, "req", "-x509", *curve, *files, *says], capture_output=True, text=True)
    if done.returncode:
        raise WavetankError(f"openssl could not make a certificate: {done.stderr.strip()[-300:]}")
    return made


def _name(host: str) -> str:
    try:
        return f"IP:{ipaddress.ip_address(host)}"
    except ValueError:
        return f"DNS:{host}"
