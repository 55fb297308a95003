"""The key with which tokens of service accounts are signed: RS256, as kube-apiserver's usually is."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

_BITS, _EXPONENT = 2048, 65537


class SigningKey:
    """An RSA key that signs JSON Web Tokens."""

    def __init__(self, key: RSAPrivateKey) -> None:
        self._key = key
        self._public = key.public_key()
        modulus = _bytes(self._public.public_numbers().n)
        self.id = encode_base64(hashlib.sha256(modulus).digest())
        numbers = {"n": encode_base64(modulus), "e": encode_base64(_bytes(_EXPONENT))}
        self.public = {"use": "sig", "kty": "RSA", "kid": self.id, "alg": "RS256", **numbers}  # a JSON Web Key

    def sign(self, claims: Mapping[str, Any]) -> str:
        """Returns a JSON Web Token."""
        from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
        from cryptography.hazmat.primitives.hashes import SHA256

        header = {"alg": "RS256", "kid": self.id}
        text = ".".join(encode_base64(msgspec.json.encode(part)) for part in (header, claims))
        return f"{text}.{encode_base64(self._key.sign(text.encode(), PKCS1v15(), SHA256()))}"

    def verify(self, token: str) -> dict[str, Any] | None:
        """Returns the claims of a token that this key has signed, else None."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
        from cryptography.hazmat.primitives.hashes import SHA256

        text, _, signature = token.rpartition(".")
        try:
            self._public.verify(decode_base64(signature), text.encode("ascii"), PKCS1v15(), SHA256())
        except (InvalidSignature, ValueError, binascii.Error):
            return None
        claims: dict[str, Any] = msgspec.json.decode(decode_base64(text.partition(".")[2]))
        return claims


@cache
def signing_key() -> SigningKey:
    """Returns the key of this process, made when a token is first asked for."""
    from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key  # few clusters need it

    return SigningKey(generate_private_key(_EXPONENT, _BITS))


def encode_base64(data: bytes) -> str:
    """Encodes bytes as JSON Web Tokens do: for URLs, without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode_base64(text: str) -> bytes:
    """Decodes a part of a JSON Web Token; ValueError if it is not one."""
    return base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)


def _bytes(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 7) // 8)
