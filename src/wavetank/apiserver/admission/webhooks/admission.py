"""The plugins MutatingAdmissionWebhook and ValidatingAdmissionWebhook."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any

import msgspec

from wavetank.apiserver.admission.attributes import Attributes, Reinvocation
from wavetank.apiserver.admission.webhooks.configurations import Webhook, WebhookTable
from wavetank.apiserver.admission.webhooks.matching import Invocation, Matcher, meets_conditions
from wavetank.apiserver.admission.webhooks.review import (
    Verdict,
    encode_review,
    failed_call,
    make_request,
    read_verdict,
    rejection,
    review_version,
)
from wavetank.apiserver.codec.copying import copied
from wavetank.apiserver.codec.mismatch import MismatchError, UnreadableError, json_type
from wavetank.apiserver.codec.reading import Parsed, read
from wavetank.apiserver.custom.decoding import read_custom
from wavetank.apiserver.defaulting.defaults import set_defaults
from wavetank.apiserver.errors import StatusError, bad_request, internal
from wavetank.apiserver.kinds import Kind, KindTable
from wavetank.apiserver.patches.jsonpatch import apply_operations
from wavetank.apiserver.patches.refusal import PatchError
from wavetank.apiserver.waiting import in_slices, run_beside
from wavetank.apiserver.webhooks.calls import CallError, WebhookClient, check_status, endpoint_of
from wavetank.cel.functions.authorization import Ask
from wavetank.cel.gotext import quote
from wavetank.cluster.objects.groupkinds import CUSTOM_RESOURCE_DEFINITION, MUTATING_WEBHOOKS, VALIDATING_WEBHOOKS
from wavetank.cluster.store.store import Store

Document = dict[str, Any]
_STATING = (MUTATING_WEBHOOKS, VALIDATING_WEBHOOKS, CUSTOM_RESOURCE_DEFINITION)
_UNCONVERTED = "nothing serves the conversion webhook here: versions are converted as with strategy None"
Convert = Callable[[Kind, Document, Kind], Document]
AskFor = Callable[[Attributes], Ask]


def _allowing_all(attributes: Attributes) -> Ask:
    return lambda question: (True, "")


def _unconverted(kind: Kind, document: Document, wanted: Kind) -> Document:
    return {**document, "apiVersion": wanted.api_version}


class WebhookAdmission:
    """Calls the webhooks of a cluster. They see an object as it would be stored.

    `client` calls them, `convert` converts an object to another version of its kind, `ask` makes the authorizer of a
    write for conditions.
    """

    def __init__(
        self,
        store: Store,
        kinds: KindTable,
        client: WebhookClient,
        convert: Convert = _unconverted,
        ask: AskFor = _allowing_all,
    ) -> None:
        self.table = WebhookTable(store)
        self._matcher = Matcher(store, kinds)
        self._client = client
        self._convert = convert
        self._ask_for = ask
        self._uids = count(1)

    def concerns(self, kind: Kind, operation: str = "CREATE") -> bool:
        """Tells whether any webhook may be called for an operation on objects of a kind."""
        if self._matcher.is_exempt(kind):
            return False
        hooks = (*self.table.mutating, *self.table.validating)
        return any(self._matcher.concerns(hook, kind, operation) and self._reaches(hook.stated) for hook in hooks)

    def _reaches(self, stated: Document) -> bool:
        """Tells whether a webhook is called: those of simulated Services are not. A misstated one fails later."""
        try:
            return self._client.reaches(endpoint_of(stated.get("clientConfig") or {}, None))
        except CallError:
            return True

    def _warn(self, attributes: Attributes) -> None:
        """Warns about webhooks that a new configuration or definition names and that are never called."""
        group_kind = attributes.kind.group_kind
        if group_kind not in _STATING or attributes.operation == "DELETE":
            return
        for each in attributes.document.get("webhooks") or ():
            if not self._reaches(each):
                attributes.warnings.append(f"webhook {quote(each['name'])} is not called: nothing serves it here")
        conversion = (attributes.document.get("spec") or {}).get("conversion") or {}
        if conversion.get("strategy") == "Webhook" and not self._reaches(conversion.get("webhook") or {}):
            attributes.warnings.append(_UNCONVERTED)

    # mutating

    def mutate(self, attributes: Attributes) -> bool:
        """Calls the webhooks that may change the object, one after the other; returns whether one has changed it.

        In a second round only those are called that were called before another one changed the object, and want to be.
        StatusError if one refuses it.
        """
        hooks = self.table.mutating
        if not hooks or self._matcher.is_exempt(attributes.kind):
            return False
        rounds = attributes.reinvocation = attributes.reinvocation or Reinvocation()
        if rounds.is_second and attributes.beside(lambda: rounds.output != attributes.document):
            rounds.require_again()  # built-in plugins have changed it
        changed = False
        for hook in in_slices(hooks):
            changed = self._mutate(hook, attributes, rounds) or changed
        rounds.output = attributes.beside(partial(copied, attributes.document))
        return changed

    def _mutate(self, hook: Webhook, attributes: Attributes, rounds: Reinvocation) -> bool:
        if rounds.is_second and hook.uid not in rounds.again:
            return False
        asked = self._prepare(hook, attributes, mutating=True)
        if asked is None:
            return False
        verdict = self._ask(*asked, attributes, mutating=True)
        changed = verdict is not None and self._apply(asked[0], verdict, attributes)
        if changed:
            rounds.require_again()
        if hook.may_be_reinvoked:
            rounds.called.add(hook.uid)
        return changed

    def _apply(self, invocation: Invocation, verdict: Verdict, attributes: Attributes) -> bool:
        """Applies the patch of a webhook; returns whether it changes anything."""
        name = invocation.webhook.name
        operations = attributes.beside(partial(_operations, verdict.patch), len(verdict.patch))
        if not operations:
            return False
        if attributes.operation == "DELETE":
            what = "attempted to modify the object, which is not supported for this operation"
            raise internal(f"admission webhook {quote(name)} {what}")
        if verdict.patch_type != "JSONPatch":
            return self._failed(invocation.webhook, CallError(f"unsupported patch type {quote(verdict.patch_type)}"))
        before = attributes.document
        shown = self._shown_new(invocation.kind, attributes, mutating=True)
        weight = len(verdict.patch)
        try:
            patch = _patched_scale if attributes.asked is not None else partial(_patched, invocation.kind)
            patched = attributes.beside(partial(patch, shown, operations), weight)
        except (PatchError, UnreadableError) as error:
            raise internal(str(error)) from None
        if attributes.asked is not None:
            attributes.asked = patched
            patched = {**before, "spec": {**before["spec"], "replicas": patched["spec"].get("replicas", 0)}}
        elif invocation.kind is not attributes.kind:
            patched = self._convert(invocation.kind, patched, attributes.kind)
        patched["metadata"].pop("managedFields", None)  # what a webhook changes has no manager
        if not attributes.subresource:
            attributes.beside(partial(set_defaults, attributes.kind, patched), weight)
        changed = attributes.beside(lambda: bool(patched != before), weight)
        before.clear()
        before.update(patched)
        return changed

    # validating

    def validate(self, attributes: Attributes) -> None:
        """Calls the webhooks that check the object; StatusError of the first that refuses it."""
        self._warn(attributes)
        if self._matcher.is_exempt(attributes.kind):
            return
        hooks = self.table.validating
        if not hooks:
            return
        prepared = (self._prepare(hook, attributes, mutating=False) for hook in in_slices(hooks))
        asked = [each for each in prepared if each is not None]
        refusals = list(self._refusals(asked, attributes))
        if refusals:
            raise refusals[0]

    def _refusals(self, asked: list[tuple[Invocation, Document]], attributes: Attributes) -> Iterator[StatusError]:
        """Calls all webhooks, as the real server does at once, and yields what refuses the object."""
        for invocation, request in asked:
            try:
                self._ask(invocation, request, attributes, mutating=False)
            except StatusError as error:
                yield error

    # calls

    def _prepare(self, hook: Webhook, attributes: Attributes, *, mutating: bool) -> tuple[Invocation, Document] | None:
        """Returns what a webhook is asked; None if it is not called."""
        invocation = self._matcher.match(hook, attributes)
        if invocation is None or not self._reaches(hook.stated):
            return None
        deletes, kind = attributes.operation == "DELETE", invocation.kind
        new = None if deletes else self._shown_new(kind, attributes, mutating=mutating)
        old = None if attributes.old is None else self._shown(kind, attributes, attributes.old)
        if attributes.asked is not None and not mutating:  # Scales are made anew for those that check them
            new, old = _without_managers(new), _without_managers(old)
        request = make_request(invocation, attributes, new, old, "")
        if hook.conditions and not meets_conditions(hook, attributes, request, self._ask_for(attributes)):
            return None
        request["uid"] = f"{next(self._uids):08x}-0000-4000-8000-000000000000"
        return invocation, request

    def _shown_new(self, kind: Kind, attributes: Attributes, *, mutating: bool) -> Document:
        """Returns the new object as a webhook sees it, with its managedFields."""
        document = attributes.document
        if attributes.asked is not None and mutating:
            return attributes.asked
        if attributes.managed and attributes.show is None:
            document = {**document, "metadata": {**document["metadata"], "managedFields": attributes.managed}}
        return self._shown(kind, attributes, document)

    def _shown(self, kind: Kind, attributes: Attributes, document: Document) -> Document:
        """Returns an object as a webhook sees it: in the version of `kind`; a Scale instead of what is scaled."""
        if attributes.show is not None:
            return attributes.show(document)
        if kind is attributes.kind or attributes.subresource not in ("", "status"):
            return document
        return self._convert(attributes.kind, document, kind)

    def _ask(
        self, invocation: Invocation, request: Document, attributes: Attributes, *, mutating: bool
    ) -> Verdict | None:
        """Calls a webhook; None if it cannot be called and that is ignored. StatusError if it refuses the write."""
        hook = invocation.webhook
        if attributes.dry_run and not hook.supports_dry_run:
            raise bad_request(f"admission webhook {quote(hook.name)} does not support dry run")
        attributes.calls += 1
        try:
            verdict = self._call(hook, request, attributes, mutating=mutating)
        except CallError as error:
            self._failed(hook, error)
            return None
        attributes.warnings.extend(verdict.warnings)
        if not verdict.allowed:
            raise rejection(hook.name, verdict.status)
        return verdict

    def _call(self, hook: Webhook, request: Document, attributes: Attributes, *, mutating: bool) -> Verdict:
        version = review_version(hook.stated.get("admissionReviewVersions") or [])
        endpoint = endpoint_of(hook.stated.get("clientConfig") or {}, hook.stated.get("timeoutSeconds"))
        review = attributes.beside(partial(encode_review, version, request))
        status, body = self._client.post(endpoint, review)
        check_status(status, body)
        return run_beside(partial(read_verdict, body, version, request["uid"], mutating=mutating), len(body))

    def _failed(self, hook: Webhook, error: CallError) -> bool:
        """Refuses a write because of a failed call, unless that is ignored; returns False."""
        if not hook.ignores_failures:
            raise failed_call(hook.name, error) from None
        return False


def _operations(patch: bytes) -> list[Document]:
    if not patch:
        return []
    try:
        decoded = msgspec.json.decode(patch)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise internal(str(error)) from None
    if decoded is None:  # Volcano's webhooks send null if there is nothing to patch
        return []
    if not isinstance(decoded, list):
        raise internal(f"json: cannot unmarshal {json_type(decoded)} into Go value of type jsonpatch.Patch")
    for each in decoded:
        if not isinstance(each, dict | None):
            raise internal(f"json: cannot unmarshal {json_type(each)} into Go value of type jsonpatch.Operation")
    return [each or {} for each in decoded]


def _patched(kind: Kind, shown: Document, operations: list[Document]) -> Document:
    """Returns a patched copy of an object; UnreadableError if it is none of its kind any more."""
    patched = apply_operations(copied(shown), operations)
    if not isinstance(patched, dict):
        raise MismatchError(json_type(patched), f"{kind.version}.{kind.kind}")
    parsed = Parsed(patched, patched)
    found, _ = read(kind.schema, parsed, strict=False) if kind.custom is None else read_custom(kind.custom, parsed)
    return found


def _patched_scale(shown: Document, operations: list[Document]) -> Document:
    """Returns a patched copy of a Scale; UnreadableError if it is none any more."""
    patched = apply_operations(copied(shown), operations)
    spec = patched.get("spec", {}) if isinstance(patched, dict) else patched
    if not isinstance(spec, dict):
        raise MismatchError(json_type(spec), "v1.ScaleSpec")
    replicas = spec.get("replicas", 0)
    if type(replicas) is not int:
        raise MismatchError(json_type(replicas), "int32")
    return {**patched, "spec": spec}


def _without_managers(document: Document | None) -> Document | None:
    if document is None:
        return None
    metadata = {name: value for name, value in document["metadata"].items() if name != "managedFields"}
    return {**document, "metadata": metadata}
