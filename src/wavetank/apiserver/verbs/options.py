"""The options in the query of a request, read and validated as the real server does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from wavetank.apiserver.codec.mismatch import UnreadableError
from wavetank.apiserver.codec.times import canonical_duration
from wavetank.apiserver.errors import bad_request, invalid, plain
from wavetank.apiserver.fielderrors import FieldError, forbidden, required, unsupported
from wavetank.apiserver.fielderrors import invalid as bad_value
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.managedfields.applied import APPLY_PATCH
from wavetank.apiserver.requests.decoding import media_type
from wavetank.apiserver.requests.request import Request
from wavetank.apiserver.selectors.fields import EVERY_FIELD, FieldSelector, parse_fields
from wavetank.apiserver.selectors.labels import parse_labels
from wavetank.apiserver.validation.metadata import check_manager
from wavetank.cel.gotext import quote
from wavetank.cluster.fields.selectors import EVERYTHING, LabelSelector

Document = dict[str, Any]
EXACT, NOT_OLDER = "Exact", "NotOlderThan"
_VALIDATIONS = ("", "Ignore", "Strict", "Warn")


@dataclass(frozen=True, slots=True)
class ListOptions:
    """The options of a list or a watch; `initial_events` is None if the client does not state it."""

    labels: LabelSelector = EVERYTHING
    fields: FieldSelector = EVERY_FIELD
    version: str = ""
    match: str = ""
    limit: int = 0
    continuation: str = ""
    bookmarks: bool = False
    initial_events: bool | None = None
    timeout_s: int | None = None

    @classmethod
    def read(cls, request: Request, *, watch: bool) -> ListOptions:
        """Reads and validates the options of a list or a watch."""
        text = request.param("labelSelector")
        options = cls(
            labels=parse_labels(text) if text else EVERYTHING,
            version=request.param("resourceVersion"),
            match=request.param("resourceVersionMatch"),
            limit=integer(request.param("limit")) or 0,
            continuation=request.param("continue"),
            bookmarks=request.flag("allowWatchBookmarks"),
            initial_events=request.flag("sendInitialEvents") if request.has("sendInitialEvents") else None,
            timeout_s=integer(request.param("timeoutSeconds")),
        )
        if watch and options.initial_events is None and not options.match and options.version in ("", "0"):
            options = replace(options, initial_events=True, match=NOT_OLDER)
        errors = list(options._watch_errors() if watch else options._list_errors())
        if errors:
            raise invalid("ListOptions.meta.k8s.io", "", errors)
        return options

    def selecting(self, request: Request, kind: Kind) -> ListOptions:
        """Returns the options with the field selector, which the real server reads after content negotiation."""
        text = request.param("fieldSelector")
        return replace(self, fields=parse_fields(text, kind)) if text else self

    def naming(self, name: str) -> ListOptions:
        """Returns the options restricted to one name, unless it is empty."""
        terms = (*self.fields.terms, ("metadata.name", True, name))
        return replace(self, fields=FieldSelector(terms)) if name else self

    @property
    def selects_all(self) -> bool:
        """Says whether there is no selector."""
        return self.labels.is_empty and not self.fields.terms

    def _list_errors(self) -> Iterator[FieldError]:
        if self.match:
            if not self.version:
                why = "resourceVersionMatch is forbidden unless resourceVersion is provided"
                yield forbidden("resourceVersionMatch", why)
            if self.continuation:
                yield forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided")
            if self.match not in (EXACT, NOT_OLDER):
                yield unsupported("resourceVersionMatch", self.match, (EXACT, NOT_OLDER, ""))
            if self.match == EXACT and self.version == "0":
                why = 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'
                yield forbidden("resourceVersionMatch", why)
        if self.initial_events is not None:
            yield forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list")

    def _watch_errors(self) -> Iterator[FieldError]:
        if self.initial_events is not None and self.match != NOT_OLDER:
            why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
            yield forbidden("resourceVersionMatch", why)
        if self.match:
            if self.initial_events is None:
                why = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
                yield forbidden("resourceVersionMatch", why)
            if self.match != NOT_OLDER:
                yield unsupported("resourceVersionMatch", self.match, (NOT_OLDER,))
            if self.continuation:
                yield forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided")


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """The options of a create, an update or a patch."""

    dry_run: bool = False
    field_validation: str = ""
    manager: str = ""
    force: bool = False

    @classmethod
    def read(cls, request: Request, what: str) -> WriteOptions:
        """Reads and validates the options; `what` names them in errors: Create, Update, Patch.

        Of a create the content type is checked first.
        """
        if what == "Create":
            media_type(request.headers.get("content-type", ""))
        dry_run = request.all("dryRun")
        validation, manager = request.param("fieldValidation"), request.param("fieldManager")
        options = cls(bool(dry_run), validation, manager, request.flag("force"))
        errors = list(options._errors())
        if what == "Patch":
            errors[:0] = options._patch_errors(request)
        errors += dry_run_errors(dry_run)
        if options.field_validation not in _VALIDATIONS:
            errors.append(unsupported("fieldValidation", options.field_validation, _VALIDATIONS))
        if errors:
            raise invalid(f"{what}Options.meta.k8s.io", "", errors)
        return options

    @property
    def stated(self) -> Document:
        """Returns the fields of the CreateOptions or UpdateOptions that webhooks see."""
        fields: Document = {"dryRun": ["All"] if self.dry_run else None}
        fields |= {"fieldManager": self.manager, "fieldValidation": self.field_validation}
        return {name: value for name, value in fields.items() if value}

    def _patch_errors(self, request: Request) -> Iterator[FieldError]:
        if request.headers.get("content-type", "").startswith(APPLY_PATCH):
            if not self.manager:
                yield required("fieldManager", "is required for apply patch")
        elif request.has("force"):
            yield forbidden("force", "may not be specified for non-apply patch")

    def _errors(self) -> Iterator[FieldError]:
        yield from check_manager(self.manager, "fieldManager")


def check_timeout(request: Request) -> None:
    """Raises a 400 if the timeout is no duration; it has no other effect, since no request takes long."""
    try:
        canonical_duration(request.param("timeout", "0") or "0")
    except UnreadableError as error:
        raise bad_request(f"invalid timeout specified in the request URL - {error}") from None


_LONGEST_NUMBER = 30  # digits; Python refuses to read thousands of them


def dry_run_errors(values: list[str]) -> list[FieldError]:
    """Returns the errors in the values of dryRun, of which only All is valid."""
    if all(value == "All" for value in values):
        return []
    return [unsupported("dryRun", values, ("All",))]


def integer(text: str) -> int | None:
    """Reads a 64-bit integer, None from an empty text; 400 with Go's message if it is none."""
    if not text:
        return None
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise bad_request(f"strconv.ParseInt: parsing {quote(text)}: invalid syntax")
    if len(text) > _LONGEST_NUMBER or not -(2**63) <= int(text) < 2**63:
        raise bad_request(f"strconv.ParseInt: parsing {quote(text)}: value out of range")
    return int(text)


def parse_version(text: str) -> int:
    """Reads a resource version; an empty one is 0. As in the real server, an invalid one is a 500."""
    problem = _version_problem(text)
    if problem:
        raise plain(problem)
    return int(text or 0)


def parse_list_version(text: str) -> int:
    """Reads the resource version of a list, where an invalid one is a 400."""
    problem = _version_problem(text)
    if problem:
        raise bad_request(f"invalid resource version: {problem}")
    return int(text or 0)


def _version_problem(text: str) -> str:
    if not text or (re.fullmatch("[0-9]{1,30}", text) and int(text) < 2**64):
        return ""
    why = "value out of range" if re.fullmatch("[0-9]+", text) else "invalid syntax"
    return str(bad_value("resourceVersion", text, f"strconv.ParseUint: parsing {quote(text)}: {why}"))
