"""CertificateSigningRequests."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable

from wavetank.apiserver.fielderrors import duplicate, forbidden, invalid, required, too_long, unsupported
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, Errors, each_invalid, structs
from wavetank.apiserver.validation.metadata import check_metadata, check_metadata_update
from wavetank.cel.gotext import quote

APPROVED, DENIED, FAILED = "Approved", "Denied", "Failed"
_STATES = ("False", "True", "Unknown")
_SHORTEST_S = 600
_LONGEST_DOMAIN = 253
_LONGEST_PATH = 253 + 63 + 1
_LEGACY_SIGNER = "kubernetes.io/legacy-unknown"
_USAGES = (
    *("any", "cert sign", "client auth", "code signing", "content commitment", "crl sign", "data encipherment"),
    *("decipher only", "digital signature", "email protection", "encipher only", "ipsec end system", "ipsec tunnel"),
    *("ipsec user", "key agreement", "key encipherment", "microsoft sgc", "netscape sgc", "ocsp signing", "s/mime"),
    *("server auth", "signing", "timestamping"),
)
_BLOCK = re.compile(rb"-----BEGIN ([^\n-]*)-----\s(.*?)-----END \1-----", re.DOTALL)


def check_signing_request(request: Document) -> Errors:
    """Checks a new CertificateSigningRequest."""
    yield from _check(request, None)


def check_signing_request_update(new: Document, old: Document) -> Errors:
    """Checks a changed request: neither its approval nor its certificate may change."""
    yield from _check_update(new, old, approval=False, certificate=False)


def check_signing_request_status_update(new: Document, old: Document) -> Errors:
    """Checks a changed status: a certificate may be added."""
    yield from _check_update(new, old, approval=False, certificate=True)


def check_approval(new: Document, old: Document) -> Errors:
    """Checks a request that is approved or denied."""
    yield from _check_update(new, old, approval=True, certificate=False)


def _check(request: Document, old: Document | None) -> Errors:
    yield from check_metadata(request["metadata"], False, lambda name: [])
    spec, before = request.get("spec") or {}, (old or {}).get("spec") or {}
    if problem := _request_problem(spec.get("request")):
        yield invalid("spec.request", spec.get("request"), problem)
    yield from _check_usages(spec.get("usages") or [], before.get("usages") or [])
    signer = spec.get("signerName") or ""
    if signer == _LEGACY_SIGNER != before.get("signerName"):
        yield invalid("spec.signerName", signer, "the legacy signerName is not allowed via this API version")
    else:
        yield from _check_signer(signer, "spec.signerName")
    seconds = spec.get("expirationSeconds")
    if seconds is not None and seconds < _SHORTEST_S:
        problem = "may not specify a duration less than 600 seconds (10 minutes)"
        yield invalid("spec.expirationSeconds", seconds, problem)
    yield from _check_conditions(request, old or {})
    certificate = _certificate(request)
    if certificate != _certificate(old or {}) and (problem := _certificate_problem(certificate)):
        yield invalid("status.certificate", "<certificate data>", problem)


def _check_update(new: Document, old: Document, approval: bool, certificate: bool) -> Errors:
    yield from _check(new, old)
    for type_ in (APPROVED, DENIED, FAILED):
        if len(_of_type(new, type_)) < len(_of_type(old, type_)):
            yield forbidden("status.conditions", f"updates may not remove a condition of type {quote(type_)}")
    for type_ in () if approval else (APPROVED, DENIED):
        after, before = _of_type(new, type_), _of_type(old, type_)
        if len(after) > len(before):
            yield forbidden("status.conditions", f"updates may not add a condition of type {quote(type_)}")
        elif len(after) == len(before) and after != before:
            yield forbidden("status.conditions", f"updates may not modify a condition of type {quote(type_)}")
    if _certificate(new) != _certificate(old):
        if not certificate:
            yield forbidden("status.certificate", "updates may not set certificate content")
        elif _certificate(old):
            yield forbidden("status.certificate", "updates may not modify existing certificate content")
    yield from check_metadata_update(new["metadata"], old["metadata"])


def _check_usages(usages: list[str], before: list[str]) -> Errors:
    path = "spec.usages"
    if not usages:
        yield required(path)
    if set(before) <= set(_USAGES):
        for index, usage in enumerate(usages):
            if usage not in _USAGES:
                yield unsupported(f"{path}[{index}]", usage, _USAGES)
    if len(set(before)) == len(before):
        for index, usage in enumerate(usages):
            if usage in usages[:index]:
                yield duplicate(f"{path}[{index}]", usage)


def _check_signer(signer: str, path: str) -> Errors:
    if not signer:
        yield required(path)
        return
    if signer.count("/") != 1:
        problem = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
        yield invalid(path, signer, problem)
        return
    domain, _, below = signer.partition("/")
    if len(domain) > _LONGEST_DOMAIN:
        yield too_long(path, _LONGEST_DOMAIN)
    yield from each_invalid(path, domain, _first_problems(domain.split("."), label=True))
    if "." not in domain:
        yield invalid(path, domain, "should be a domain with at least two segments separated by dots")
    yield from each_invalid(path, below, _first_problems(below.split("."), label=False))
    if len(below) > _LONGEST_PATH:
        yield too_long(path, _LONGEST_PATH)


def _first_problems(words: Iterable[str], label: bool) -> list[str]:
    """Returns what is wrong with the first bad word."""
    check = names.label_problems if label else names.subdomain_problems
    for word in words:
        if problems := check(word):
            return [f"validating label {quote(word)}: {problem}" for problem in problems]
    return []


def _check_conditions(request: Document, old: Document) -> Errors:
    known = {condition.get("type") for condition in _conditions(old)}
    unique = len(known) == len(_conditions(old))
    seen: set[str] = set()
    for path, condition in structs(request.get("status") or {}, "status", "conditions"):
        type_, state = condition.get("type") or "", condition.get("status") or ""
        if not type_ and "" not in known:
            yield required(f"{path}.type")
        allowed = ("True",) if type_ in (APPROVED, DENIED, FAILED) else _STATES
        if not state:
            yield required(f"{path}.status")
        elif state not in allowed:
            yield unsupported(f"{path}.status", state, allowed)
        other = {APPROVED: DENIED, DENIED: APPROVED}.get(type_)
        if other in seen and not {APPROVED, DENIED} <= known:
            yield invalid("status.conditions", type_, "Approved and Denied conditions are mutually exclusive")
        if unique and type_ in seen:
            yield duplicate(f"{path}.type", type_)
        seen.add(type_)


def _conditions(request: Document) -> list[Document]:
    return (request.get("status") or {}).get("conditions") or []


def _of_type(request: Document, type_: str) -> list[Document]:
    return [condition for condition in _conditions(request) if condition.get("type") == type_]


def _certificate(request: Document) -> str:
    return (request.get("status") or {}).get("certificate") or ""


def _blocks(text: str | None) -> list[tuple[str, bytes]]:
    """Returns the types and contents of the PEM blocks in the base64 form of a text."""
    try:
        found = _BLOCK.findall(base64.b64decode(text or ""))
        return [(type_.decode(), base64.b64decode(content)) for type_, content in found]
    except (binascii.Error, ValueError):
        return []


def _request_problem(text: str | None) -> str:
    from cryptography import x509  # slow to import, and few clusters have such requests

    blocks = _blocks(text)
    if not blocks or blocks[0][0] != "CERTIFICATE REQUEST":
        return "PEM block type must be CERTIFICATE REQUEST"
    try:
        request = x509.load_der_x509_csr(blocks[0][1])
        return "" if request.is_signature_valid else "x509: ECDSA verification failure"
    except ValueError as error:
        return f"asn1: structure error: {error}"


def _certificate_problem(text: str) -> str:
    from cryptography import x509

    blocks = _blocks(text)
    if text and not blocks:
        return "must contain at least one CERTIFICATE PEM block"
    for type_, content in blocks:
        if type_ != "CERTIFICATE":
            return f"only CERTIFICATE PEM blocks are allowed, found {quote(type_)}"
        try:
            x509.load_der_x509_certificate(content)
        except ValueError:
            return "x509: malformed certificate"
    return ""
