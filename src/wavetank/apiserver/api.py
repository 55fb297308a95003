from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

import msgspec

from wavetank.apiserver.admission.chain import DEFAULT_PLUGINS, AdmissionChain
from wavetank.apiserver.admission.plugin import Plugin
from wavetank.apiserver.admission.policies.admission import PolicyAdmission
from wavetank.apiserver.admission.policies.typechecking import MOST_KINDS, policy_warnings
from wavetank.apiserver.admission.webhooks.admission import WebhookAdmission
from wavetank.apiserver.authorization.asking import asking
from wavetank.apiserver.authorization.attributes import Attributes
from wavetank.apiserver.authorization.authorizer import AlwaysAllow, Authorizer
from wavetank.apiserver.authorization.escalation import EscalationCheck
from wavetank.apiserver.authorization.impersonation import RawHeaders, impersonate
from wavetank.apiserver.authorization.rbac import Rbac, bootstrap_objects
from wavetank.apiserver.authorization.requestinfo import attributes_of
from wavetank.apiserver.authorization.signers import may_sign
from wavetank.apiserver.conversion.versions import convert
from wavetank.apiserver.definitions.apiservices import AvailabilityController
from wavetank.apiserver.definitions.controller import DefinitionController
from wavetank.apiserver.definitions.flowschemas import FlowSchemaController
from wavetank.apiserver.endpoints.accounts import ServiceAccountTokens
from wavetank.apiserver.endpoints.custommetrics import CustomMetrics, ExternalMetrics, MetricValues
from wavetank.apiserver.endpoints.discovery import Discovery
from wavetank.apiserver.endpoints.metrics import GROUP as METRICS
from wavetank.apiserver.endpoints.metrics import Measures, Metrics
from wavetank.apiserver.endpoints.reviews import REVIEWS, Authenticate, Reviews
from wavetank.apiserver.errors import StatusError, method_not_supported
from wavetank.apiserver.initial import create_initial_objects
from wavetank.apiserver.kinds import Kind, KindTable
from wavetank.apiserver.openapi import OpenApi
from wavetank.apiserver.registry.strategies import strategy_of
from wavetank.apiserver.registry.warnings import use_warning
from wavetank.apiserver.requests.negotiation import (
    COLLECTION_TYPES,
    PLAIN,
    PLAIN_PROTOBUF,
    check_route,
    negotiate,
    use_text,
)
from wavetank.apiserver.requests.paths import Target, UnknownPathError, resolve
from wavetank.apiserver.requests.request import Request, Response, User
from wavetank.apiserver.requests.responses import PRIVATE, already_written, answer, headers_of, refusal, warning
from wavetank.apiserver.requests.stream import Stream
from wavetank.apiserver.subresources.actor import ScalingActor
from wavetank.apiserver.subresources.binding import create_binding
from wavetank.apiserver.subresources.subresources import Subresources
from wavetank.apiserver.verbs.deleting import DeleteOptions, Deleter
from wavetank.apiserver.verbs.objects import Document, KubeletReports, Objects, complete_nothing
from wavetank.apiserver.verbs.options import ListOptions, WriteOptions, check_timeout
from wavetank.apiserver.verbs.reading import get, page, show_page
from wavetank.apiserver.verbs.watching import Watch, Watches, WatchStream
from wavetank.apiserver.verbs.write import Write, Written, patch_type
from wavetank.apiserver.verbs.writing import Writer
from wavetank.apiserver.waiting import run_beside
from wavetank.apiserver.webhooks.calls import NoWebhooks, WebhookClient
from wavetank.cluster.objects.groupkinds import GroupKind
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store

Create = Callable[[Kind, str, Request], Written]
_UNSUPPORTED_TYPE = 415


def _no_user(token: str) -> User | None:
    return None


def _metric_groups(writer: Writer, metrics: MetricValues | None) -> Iterator[CustomMetrics | ExternalMetrics]:
    """Yields the groups of those metrics that there are."""
    if metrics is not None and metrics.has_custom_metrics:
        yield CustomMetrics(writer, metrics)
    if metrics is not None and metrics.has_external_metrics:
        yield ExternalMetrics(writer, metrics)


class Api:
    """The Kubernetes API over a store: one function from a request to its response.

    It knows no transport, and no time but the store's. `reports` adds what simulated kubelets report, `authenticate`
    finds the user of a token for TokenReviews, `plugins` are the names of the enabled admission plugins. With `rbac`
    roles decide what users may do; otherwise every request is allowed. `measures` knows the resource use of nodes and
    pods; without it metrics.k8s.io is not served. `metrics` knows custom and external metrics, whose groups are served
    if there are any. `features` are the feature gates that are on. `webhooks` calls webhooks; without it none can be
    reached. `more_plugins` are admission plugins of the cluster's own, called after those of Kubernetes. `complete`
    adds to a new object what the simulation knows of it.
    """

    def __init__(
        self,
        store: Store,
        reports: KubeletReports | None = None,
        *,
        authenticate: Authenticate = _no_user,
        plugins: Collection[str] = DEFAULT_PLUGINS,
        rbac: bool = False,
        measures: Measures | None = None,
        metrics: MetricValues | None = None,
        features: frozenset[str] = frozenset(),
        webhooks: WebhookClient | None = None,
        more_plugins: Sequence[Plugin] = (),
        complete: Callable[[Resource], None] = complete_nothing,
        seed: int = 0,
    ) -> None:
        self.kinds = KindTable.builtin(features)
        self._objects = Objects(store, self.kinds, reports, complete)
        client = webhooks or NoWebhooks()
        roles = Rbac(store) if rbac else None
        self._authorizer: Authorizer = roles or AlwaysAllow()
        ask = partial(asking, self._authorizer)
        self.webhooks = WebhookAdmission(store, self.kinds, client, convert, ask)
        policies = PolicyAdmission(store, self.kinds, convert, ask)
        signing = partial(may_sign, self._authorizer)
        escalation = None if roles is None else EscalationCheck(roles).check
        admission = AdmissionChain(store, plugins, self.webhooks, more_plugins, policies, signing, escalation)
        self._writer = Writer(self._objects, admission, random.Random(seed))
        self._large = self._writer.large
        create_initial_objects(self._writer, bootstrap_objects() if rbac else ())
        self._deleter = Deleter(self._writer)
        self._subresources = Subresources(self._writer, self._deleter)
        self._watches = Watches(self._objects)
        self._definitions = DefinitionController(self._writer, self._deleter, self._watches, client)
        self._metrics = Metrics(self._writer, measures) if measures is not None else None
        self._metric_groups = list(_metric_groups(self._writer, metrics))
        self._discovery = Discovery(self.kinds, aggregated=self._metric_groups)
        self._flow_schemas = FlowSchemaController(self._writer)
        self._availability = AvailabilityController(self._writer, self._serves)
        self._openapi = OpenApi(self.kinds, lambda: self._objects.now)
        self._accounts = ServiceAccountTokens(store)
        reviews = Reviews(self._writer, authenticate, self._accounts, self._authorizer)
        # kinds that are not stored: creating one is a call
        self._virtual: dict[GroupKind, Create] = {
            "Binding": partial(create_binding, self._writer),
            **dict.fromkeys(REVIEWS, reviews.create),
        }
        self._actions: dict[str, Callable[[Target, Request], Response | WatchStream]] = {
            "get": self._get,
            "list": self._list,
            "watch": self._watch,
            "create": self._create,
            "update": self._update,
            "patch": self._update,
            "delete": self._delete,
            "deletecollection": self._delete_collection,
        }

    def handle(self, request: Request) -> Response | Stream:
        """Answers a request; every error is a Status."""
        try:
            with self._definitions.deferring():
                return self._answer(request)
        except UnknownPathError as error:
            return Response(404, [("content-type", "text/plain; charset=utf-8"), PRIVATE], f"{error}\n".encode())
        except StatusError as error:
            return refusal(error, request)

    def authenticate(self, token: str) -> User | None:
        """Returns the service account of a token that this API has issued."""
        return self._accounts.authenticate(token)

    def impersonate(self, user: User, headers: RawHeaders) -> User:
        """Returns the user in whose name an authenticated user makes a request; StatusError if it may not."""
        return impersonate(self._authorizer, user, headers)

    def allows(self, user: User, attributes: Attributes) -> bool:
        """Tells whether a user may do something."""
        return self._authorizer.authorize(user, attributes).allowed

    def policy_warnings(self, spec: Document) -> list[Document]:
        """Returns what is wrong with the types in the expressions of an admission policy, given its spec."""
        looked_at = MOST_KINDS * len(msgspec.json.encode(spec))
        return run_beside(partial(policy_warnings, spec, self.kinds), looked_at)

    def actor(self, user: User) -> ScalingActor:
        """Returns a client in the same process that writes as a user."""
        return ScalingActor(self._writer, self._deleter, user)

    def _answer(self, request: Request) -> Response | Stream:
        if request.query and not request.flag("watch"):
            check_timeout(request)
        self._authorize(request)
        response = self._discovery.respond(request)
        if response is None and request.method == "GET":
            response = self._openapi.respond(request)
        if response is not None:
            return response
        for group in self._metric_groups:
            if (metrics := group.respond(request)) is not None:
                return metrics
        target = resolve(self.kinds, request.method, request.path)
        try:
            found = self._act(target, request)
        except StatusError as error:
            found = run_beside(partial(refusal, error, request), len(str(error)))
        # a patch of an unknown type does not reach what serves the kind
        routed = target.verb != "patch" or not isinstance(found, Response) or found.status != _UNSUPPORTED_TYPE
        if (deprecated := use_warning(target.kind)) and routed:
            found.headers.append(warning(deprecated))
        return found

    def _serves(self, group: str, version: str) -> bool:
        """Says whether a group that an APIService leaves to others is served by this server."""
        if self._metrics is not None and group == METRICS:
            return True
        return any(each.name == group and version in each.versions for each in self._metric_groups)

    def _authorize(self, request: Request) -> None:
        """Refuses what a user may not do, before it is known whether there is such a resource."""
        if isinstance(self._authorizer, AlwaysAllow):
            return
        attributes = attributes_of(request)
        decision = self._authorizer.authorize(request.user, attributes)
        if not decision.allowed:
            raise attributes.refusal(request.user, decision.reason)

    def _act(self, target: Target, request: Request) -> Response | Stream:
        if target.verb == "patch":
            # an unknown patch type is refused before anything else
            patch_type(request, custom=target.kind.custom is not None)
        if target.kind.custom is not None:
            use_text(request)
        if target.kind.group == METRICS and target.kind.custom is None and self._metrics is not None:
            use_text(request)
            return self._metrics.respond(target, request)
        if target.subresource is not None:
            return self._subresources.respond(target, request)
        return self._actions[target.verb](target, request)

    # reading

    def _get(self, target: Target, request: Request) -> Response:
        representation = negotiate(request)
        found = get(self._objects, target.kind, target.namespace, target.name, request.param("resourceVersion"))
        if representation == PLAIN:
            (body,) = self._large.each(target.kind, [found], self._objects.encode, self._objects.has_item)
            return already_written(body)
        if representation == PLAIN_PROTOBUF:
            (body,) = self._large.each(target.kind, [found], self._objects.encode_protobuf, self._objects.has_message)
            return Response(200, headers_of(representation, ()), body)
        shown = self._large.beside(target.kind, found, partial(self._objects.show, target.kind, found))
        represent = partial(answer, target.kind, representation, shown, self._objects.now)
        return self._large.beside(target.kind, found, represent)

    def _list(self, target: Target, request: Request) -> Response | WatchStream:
        check_route(request, COLLECTION_TYPES)
        if request.flag("watch"):
            return self._watch(target, request)
        options = ListOptions.read(request, watch=False)
        representation = negotiate(request, listing=True)
        options = options.selecting(request, target.kind)
        found = page(self._objects, target.kind, target.namespace, options)
        body = show_page(self._objects, self._large, target.kind, found, representation)
        return Response(200, [("content-type", representation.media_type), PRIVATE], body)

    def _watch(self, target: Target, request: Request) -> WatchStream:
        options = ListOptions.read(request, watch=True)
        representation = negotiate(request, listing=True, watch=True)
        options = options.selecting(request, target.kind).naming(target.name)
        if "watch" not in target.kind.verbs:
            raise method_not_supported(target.kind.resource, "watch")
        return self._watches.open(Watch(target.kind, target.namespace, options, representation))

    # writing

    def _create(self, target: Target, request: Request) -> Response:
        representation = negotiate(request, tables="get" in target.kind.verbs)
        create = self._virtual.get(target.kind.group_kind, self._writer.create)
        written = create(target.kind, target.namespace, request)
        return self._writer.answer(target.kind, representation, written, request)

    def _update(self, target: Target, request: Request) -> Response:
        what = "Update" if target.verb == "update" else "Patch"
        representation = negotiate(request)
        options = WriteOptions.read(request, what)
        may_create = strategy_of(self._objects.stored(target.kind)).create_on_update
        write = Write(target.kind, target.namespace, target.name, request, options, may_create=may_create)
        written = self._writer.update(write) if what == "Update" else self._writer.patch(write)
        return self._writer.answer(target.kind, representation, written, request)

    def _delete(self, target: Target, request: Request) -> Response:
        representation = negotiate(request)
        options = DeleteOptions.read(request, self.kinds)
        deleted = self._deleter.delete(target.kind, target.namespace, target.name, options, request)
        return self._writer.answer(target.kind, representation, Written(deleted.document, deleted.status), request)

    def _delete_collection(self, target: Target, request: Request) -> Response:
        representation = negotiate(request, listing=True)
        listed = ListOptions.read(request, watch=False).selecting(request, target.kind)
        options = DeleteOptions.read(request, self.kinds)
        found = self._deleter.delete_collection(target.kind, target.namespace, options, listed, request)
        body = show_page(self._objects, self._large, target.kind, found, representation)
        return Response(200, headers_of(representation, request.warnings), body)
