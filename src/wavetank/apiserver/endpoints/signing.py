"""The key with which tokens of service accounts are signed: RS256, as kube-apiserver's usually is."""

from __future__ import annotations

import base64
import binascii
import hashlib
import math
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec

_BITS = 2048
_EXPONENT = 65537
# The DER of "this is a SHA-256 digest" (RFC 8017, 9.2).
_DIGEST_INFO = bytes.fromhex("3031300d060960864801650304020105000420")
_WITNESSES = 8  # rounds of Miller and Rabin: with random candidates far more than needed
_SMALL_PRIMES = [n for n in range(3, 2000, 2) if all(n % d for d in range(3, math.isqrt(n) + 1, 2))]


@dataclass(frozen=True)
class SigningKey:
    """An RSA key. Tokens of a simulated cluster guard nothing of value: the arithmetic is not hardened."""

    modulus: int
    private: int

    @property
    def id(self) -> str:
        """Returns the key's ID, a digest of its public part."""
        return encode_base64(hashlib.sha256(_bytes(self.modulus)).digest())

    @property
    def public(self) -> dict[str, str]:
        """Returns the public key as a JSON Web Key."""
        numbers = {"n": encode_base64(_bytes(self.modulus)), "e": encode_base64(_bytes(_EXPONENT))}
        return {"use": "sig", "kty": "RSA", "kid": self.id, "alg": "RS256", **numbers}

    def sign(self, claims: Mapping[str, Any]) -> str:
        """Returns a JSON Web Token."""
        header = {"alg": "RS256", "kid": self.id}
        text = ".".join(encode_base64(msgspec.json.encode(part)) for part in (header, claims))
        return f"{text}.{encode_base64(_bytes(pow(_padded(text), self.private, self.modulus)))}"

    def verify(self, token: str) -> dict[str, Any] | None:
        """Returns the claims of a token that this key has signed, else None."""
        text, _, signature = token.rpartition(".")
        try:
            signed = int.from_bytes(decode_base64(signature))
            if signed >= self.modulus or pow(signed, _EXPONENT, self.modulus) != _padded(text):
                return None
            claims = msgspec.json.decode(decode_base64(text.partition(".")[2]))
        except (ValueError, binascii.Error):
            return None
        return claims if isinstance(claims, dict) else None


@cache
def signing_key() -> SigningKey:
    """Returns the key of this process, made when a token is first asked for (a third of a second)."""
    while True:
        first, second = _prime(_BITS // 2), _prime(_BITS // 2)
        order = math.lcm(first - 1, second - 1)
        if first != second and math.gcd(order, _EXPONENT) == 1:
            return SigningKey(first * second, pow(_EXPONENT, -1, order))


def encode_base64(data: bytes) -> str:
    """Encodes bytes as JSON Web Tokens do: for URLs, without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode_base64(text: str) -> bytes:
    """Decodes a part of a JSON Web Token; ValueError if it is not one."""
    return base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)


def _padded(text: str) -> int:
    """Returns the number that is signed for a text (RFC 8017, 9.2: EMSA-PKCS1-v1_5)."""
    digest = _DIGEST_INFO + hashlib.sha256(text.encode("utf-8", "replace")).digest()
    filling = b"\xff" * (_BITS // 8 - len(digest) - 3)
    return int.from_bytes(b"\x00\x01" + filling + b"\x00" + digest)


def _prime(bits: int) -> int:
    while True:
        candidate = secrets.randbits(bits) | 3 << (bits - 2) | 1  # odd, and the product has all its bits
        if all(candidate % small for small in _SMALL_PRIMES) and _is_probably_prime(candidate):
            return candidate


def _is_probably_prime(number: int) -> bool:
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return all(_agrees(secrets.randbelow(number - 3) + 2, odd, twos, number) for _ in range(_WITNESSES))


def _agrees(witness: int, odd: int, twos: int, number: int) -> bool:
    power = pow(witness, odd, number)
    if power in (1, number - 1):
        return True
    for _ in range(twos - 1):
        power = power * power % number
        if power == number - 1:
            return True
    return False


def _bytes(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 7) // 8)
