"""Certificates of a served cluster: an authority that lives as long as the server, and what it signs."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_VALID = timedelta(days=365)
_AUTHORITY_VALID = timedelta(days=3650)  # as of kubeadm's
_SKEW = timedelta(hours=1)  # of the clocks of clients
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
# by which pods of a real cluster reach the API
_SERVICE = ("kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local")
_NO_USES = dict.fromkeys(
    (
        "digital_signature",
        "content_commitment",
        "key_encipherment",
        "data_encipherment",
        "key_agreement",
        "key_cert_sign",
        "crl_sign",
        "encipher_only",
        "decipher_only",
    ),
    False,
)
_USES = {"digital signature": "digital_signature", "key encipherment": "key_encipherment"}
_EXTENDED_USES = {"client auth": ExtendedKeyUsageOID.CLIENT_AUTH, "server auth": ExtendedKeyUsageOID.SERVER_AUTH}
_FORWARDED = (x509.DNSName, x509.RFC822Name, x509.IPAddress, x509.UniformResourceIdentifier)


@dataclass(frozen=True)
class Certificate:
    """A certificate, its key, and the certificate of the authority, each in a file in PEM."""

    certificate: Path
    key: Path
    authority: Path


class Authority:
    """A certificate authority; its key is in memory only.

    `certificate` is its certificate in PEM, which clients trust; it expires at `not_after`.
    """

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named("wavetank-ca")
        public = self._key.public_key()
        uses = x509.KeyUsage(**{**_NO_USES, "digital_signature": True, "key_cert_sign": True, "crl_sign": True})
        self.not_after = datetime.now(UTC).replace(microsecond=0) + _AUTHORITY_VALID
        builder = (
            _builder(self._name, self._name, public, self.not_after)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(uses, critical=True)
        )
        self.certificate = builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    def issue(self, folder: Path, *hosts: str) -> Certificate:
        """Makes the certificate of a server for loopback, the Service of the API and `hosts`, names or addresses.

        The files are written into `folder`; only their owner can read the key.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        names = x509.SubjectAlternativeName(_names((*_LOOPBACK, *_SERVICE, *hosts)))
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        signed = (
            _builder(_named("wavetank"), self._name, key.public_key(), datetime.now(UTC) + _VALID)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.KeyUsage(**{**_NO_USES, "digital_signature": True}), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(issuer, critical=False)
            .add_extension(names, critical=False)
            .sign(self._key, hashes.SHA256())
        )
        made = Certificate(folder / "certificate.pem", folder / "key.pem", folder / "authority.pem")
        made.authority.write_bytes(self.certificate)
        made.certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
        _write_private(made.key, key)
        return made

    def sign(self, request: bytes, usages: Sequence[str], begin: datetime, end: datetime) -> bytes:
        """Returns the certificate in PEM for a request in DER, as Kubernetes' signers make it.

        `usages` are digital signature, key encipherment, client auth and server auth; names of the request are kept,
        all other extensions are not.
        """
        asked = x509.load_der_x509_csr(request)
        uses = {_USES[usage]: True for usage in usages if usage in _USES}
        extended = [_EXTENDED_USES[usage] for usage in _EXTENDED_USES if usage in usages]
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        builder = (
            x509.CertificateBuilder(self._name, asked.subject, asked.public_key(), x509.random_serial_number())
            .not_valid_before(begin)
            .not_valid_after(end)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(issuer, critical=False)
        )
        if uses:
            builder = builder.add_extension(x509.KeyUsage(**{**_NO_USES, **uses}), critical=True)
        if extended:
            builder = builder.add_extension(x509.ExtendedKeyUsage(extended), critical=False)
        if names := _forwarded_names(asked):
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=not asked.subject.rdns)
        return builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def _forwarded_names(request: x509.CertificateSigningRequest) -> list[x509.GeneralName]:
    try:
        found = request.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    return [name for kind in _FORWARDED for name in found if isinstance(name, kind)]


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, end: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime.now(UTC) - _SKEW)
        .not_valid_after(end)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _names(hosts: Iterable[str]) -> list[x509.GeneralName]:
    """Returns each host once, as an address or as a name."""
    names: list[x509.GeneralName] = []
    for host in dict.fromkeys(hosts):
        try:
            names.append(x509.IPAddress(ipaddress.ip_address(host)))
        except ValueError:
            if host.isascii() and host:
                names.append(x509.DNSName(host))
    return names


def _write_private(path: Path, key: ec.EllipticCurvePrivateKey) -> None:
    text = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(text)
