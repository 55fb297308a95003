"""Still more heavy requests: policies and webhooks of admission, access reviews, long addresses, large definitions."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from functools import cache, partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from objectcases import (
    CASES,
    DEFAULT,
    LARGEST,
    MAPS,
    PODS,
    Case,
    Document,
    Step,
    config_map,
    dump,
    filling,
    meta,
    pairs,
    pod,
    post,
    removing,
)
from storedcases import APPLY, CRDS, CUSTOM, MERGE_PATCH, definition, large_map, many_maps

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
POLICIES, BINDINGS = f"{ADMISSION}/validatingadmissionpolicies", f"{ADMISSION}/validatingadmissionpolicybindings"
ACCESS = "/apis/rbac.authorization.k8s.io/v1"
STORED = 1_500_000  # bytes of an object that is still stored
RULE = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["configmaps"]}


def large() -> bytes:
    return pairs(lambda i: (f"k{i}", "v"), lambda data: config_map(data=data))


def small(keys: int = 10) -> bytes:
    return dump(config_map(data={f"k{i}": "v" for i in range(keys)}))


# policies


def policy(name: str, **spec: Any) -> Document:
    return {**meta(name), "spec": {"matchConstraints": {"resourceRules": [RULE]}, **spec}}


def bound(*expressions: str) -> Iterator[Step]:
    """Creates a policy for each expression, and its binding."""
    for i, expression in enumerate(expressions):
        yield Step("POST", POLICIES, dump(policy(f"p{i}", validations=[{"expression": expression}])))
        yield Step("POST", BINDINGS, dump(binding(f"p{i}")))


def binding(name: str) -> Document:
    return {**meta(name), "spec": {"policyName": name, "validationActions": ["Deny"]}}


def judged(name: str, body: Callable[[], bytes], *expressions: str) -> None:
    paths = [f"{path}/p{i}" for i in range(len(expressions)) for path in (BINDINGS, POLICIES)]
    before, after = (lambda: bound(*expressions)), removing(*paths)
    CASES.append(Case(name, lambda: Step("POST", f"{MAPS}?dryRun=All", body()), before, after))


judged("policy: a loop over a large object", large, "object.data.all(k, k.size() > 0)")
judged("policy: a large object compared", large, "object.data == object.data && object != oldObject")
judged("policy: loops at the limit of costs", lambda: small(1000), "object.data.all(k, object.data.all(l, k <= 'z'))")
judged("policy: a long range", small, "[1,2,3,4,5,6,7,8,9].all(a, [1,2,3,4,5,6,7,8,9].all(b, "
       "[1,2,3,4,5,6,7,8,9].all(c, [1,2,3,4,5,6,7,8,9].all(d, [1,2,3,4,5,6,7,8,9].all(e, a < 10)))))")  # fmt: skip
judged("policy: many policies", small, *(["size(object.data) > 0"] * 300))
post("policy: many validations", POLICIES, lambda: filling(
    lambda i: {"expression": "true"}, lambda items: policy("heavy", validations=items)
), stored=True, after=removing(f"{POLICIES}/heavy"))  # fmt: skip
post("policy: many wrong validations", POLICIES, lambda: filling(
    lambda i: {"expression": "tru"}, lambda items: policy("heavy", validations=items)))  # fmt: skip
post("policy: many variables", POLICIES, lambda: filling(
    lambda i: {"name": f"v{i}", "expression": f"variables.v{i - 1}" if i else "1"},
    lambda items: policy("heavy", variables=items, validations=[{"expression": "true"}] * 50),
), stored=True, after=removing(f"{POLICIES}/heavy"))  # fmt: skip
post("policy: a long expression", POLICIES, lambda: dump(
    policy("heavy", validations=[{"expression": "true && " * (LARGEST // 9) + "true"}])))  # fmt: skip
post("policy: a long expression of quotes", POLICIES, lambda: dump(
    policy("heavy", validations=[{"expression": '"' * (LARGEST // 3)}])))  # fmt: skip
post("policy: an expression of 99,000 characters", POLICIES, lambda: dump(
    policy("heavy", validations=[{"expression": "true && " * 12_300 + "true"}] * 30)))  # fmt: skip
post("policy: many rules", POLICIES, lambda: filling(
    lambda i: {**RULE, "resources": [f"r{i}"]},
    lambda items: policy("heavy", matchConstraints={"resourceRules": items}, validations=[{"expression": "true"}]),
), stored=True, after=removing(f"{POLICIES}/heavy"))  # fmt: skip


# webhooks


class Allowing(BaseHTTPRequestHandler):
    """Allows everything; on the path /patch it adds a label."""

    def do_POST(self) -> None:
        """Answers a review."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        uid = re.search(rb'"uid":"([^"]*)"', body)
        patch = b',"patchType":"JSONPatch","patch":"W3sib3AiOiJhZGQiLCJwYXRoIjoiL2RhdGEvayIsInZhbHVlIjoieCJ9XQ=="'
        response = b'{"uid":"%s","allowed":true%s}' % (uid[1] if uid else b"", patch if "patch" in self.path else b"")
        answer = b'{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":%s}' % response
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *args: Any) -> None:
        """Logs nothing."""


@cache
def webhook_port() -> int:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Allowing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return int(server.server_address[1])


def webhook(i: int, path: str, **more: Any) -> Document:
    client = {"url": f"http://127.0.0.1:{webhook_port()}/{path}"}
    stated = {"name": f"w{i}.stall.io", "clientConfig": client, "rules": [RULE], "sideEffects": "None"}
    return {**stated, "admissionReviewVersions": ["v1"], "failurePolicy": "Ignore", **more}


def called(name: str, kind: str, hooks: Callable[[], list[Document]], body: Callable[[], bytes]) -> None:
    path = f"{ADMISSION}/{kind}webhookconfigurations"
    CASES.append(
        Case(
            name,
            lambda: Step("POST", f"{MAPS}?dryRun=All", body()),
            lambda: iter([Step("POST", path, dump({**meta(), "webhooks": hooks()}))]),
            removing(f"{path}/heavy"),
        )
    )


WANTED = [{"name": "a", "expression": "object.data.all(k, object.data.all(l, k <= 'z'))"}]
called("webhook: a large object checked", "validating", lambda: [webhook(0, "check")], large)
called("webhook: a large object checked five times", "validating", lambda: [webhook(i, "c") for i in range(5)], large)
called("webhook: a large object changed", "mutating", lambda: [webhook(0, "patch")], large)
called("webhook: a large object changed again", "mutating",
       lambda: [webhook(i, "patch", reinvocationPolicy="IfNeeded") for i in range(3)], large)  # fmt: skip
called("webhook: costly conditions", "validating", lambda: [webhook(0, "c", matchConditions=WANTED)],
       lambda: small(1000))  # fmt: skip
called("webhook: many webhooks that do not match", "validating", lambda: [
    webhook(i, "c", rules=[{**RULE, "resources": ["secrets"]}]) for i in range(9_000)], small)  # fmt: skip
called("webhook: many conditions that do not hold", "validating", lambda: [
    webhook(i, "c", matchConditions=[{"name": "a", "expression": "false"}]) for i in range(3_000)], small)  # fmt: skip

# access


def grants() -> Iterator[Step]:
    rules = [{"apiGroups": [""], "resources": [f"r{k}"], "verbs": ["get"]} for k in range(10_000)]
    for i in range(20):
        yield Step("POST", f"{ACCESS}/clusterroles", dump({**meta(f"heavy-{i}"), "rules": rules}))
        reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": f"heavy-{i}"}
        subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "joe"}
        document = {**meta(f"heavy-{i}"), "roleRef": reference, "subjects": [subject]}
        yield Step("POST", f"{ACCESS}/clusterrolebindings", dump(document))


REVIEWS = "/apis/authorization.k8s.io/v1"
WISH = {"user": "joe", "resourceAttributes": {"verb": "list", "resource": "pods", "namespace": "default"}}
CASES.append(Case("review: access by 200,000 rules",
                  lambda: Step("POST", f"{REVIEWS}/subjectaccessreviews", dump({"spec": WISH})), grants))  # fmt: skip
CASES.append(
    Case(
        "review: the rules of a user",
        lambda: Step(
            "POST", f"{REVIEWS}/selfsubjectrulesreviews", dump({"spec": {"namespace": "default"}}),
            headers={"Impersonate-User": "joe"},
        ),
        after=removing(*(f"{ACCESS}/{kind}/heavy-{i}" for kind in ("clusterroles", "clusterrolebindings")
                         for i in range(20))),
    )
)  # fmt: skip
post("review: many groups", f"{REVIEWS}/subjectaccessreviews", lambda: filling(
    lambda i: f"g{i}", lambda items: {"spec": {**WISH, "groups": items}}))  # fmt: skip

# addresses and headers


def get(name: str, path: Callable[[], str], before: Any = None, **more: Any) -> None:
    CASES.append(Case(name, lambda: Step("GET", path(), **more), *([before] if before else [])))


get("address: a long field selector", lambda: f"{PODS}?fieldSelector=" + "metadata.name!%3Da," * 2500)
get("address: a long label selector", lambda: f"{PODS}?labelSelector=a%20in%20(" + "a," * 25_000 + "a)")
get("address: a long token", lambda: f"{PODS}?limit=1&continue=" + "eyJ2" * 12_000)
get("address: many parameters", lambda: f"{PODS}?" + "&".join(f"a{i}=1" for i in range(8000)))
get("address: many escapes", lambda: f"{MAPS}/" + "%41" * 16_000)
get("address: many slashes", lambda: "/" * 60_000)
get("headers: hundreds", lambda: f"{MAPS}/none", headers={f"X-{i}": "v" for i in range(95)})
get("headers: a long one", lambda: f"{MAPS}/none", headers={"Accept": "application/json;q=0.1," * 2000})

# quotas, limits, schedules, classes

post("quota: many resources", f"{DEFAULT}/resourcequotas", lambda: pairs(
    lambda i: (f"requests.a.io/r{i}", "1"), lambda hard: {**meta(), "spec": {"hard": hard}}, STORED // 2
), stored=True)  # fmt: skip
post("quota: a pod under it", PODS, lambda: dump(pod()), stored=True,
     after=removing(f"{PODS}/heavy?gracePeriodSeconds=0", f"{DEFAULT}/resourcequotas/heavy"))  # fmt: skip
post("limit range: many limits", f"{DEFAULT}/limitranges", lambda: filling(
    lambda i: {"type": f"a.io/t{i}", "max": {"cpu": "1"}},
    lambda items: {**meta(), "spec": {"limits": items}}, STORED // 2
), stored=True, after=removing(f"{DEFAULT}/limitranges/heavy"))  # fmt: skip
post("limit range: many resources", f"{DEFAULT}/limitranges", lambda: pairs(
    lambda i: (f"a.io/r{i}", "1"),
    lambda data: {**meta(), "spec": {"limits": [{"type": "Container", "max": data}]}}, STORED // 4,
), stored=True)  # fmt: skip
post("limit range: a pod under it", PODS, lambda: dump(pod()), stored=True,
     after=removing(f"{PODS}/heavy?gracePeriodSeconds=0", f"{DEFAULT}/limitranges/heavy"))  # fmt: skip


def cron_job(schedule: str) -> bytes:
    template = {"spec": {"template": {"spec": {**pod()["spec"], "restartPolicy": "Never"}}}}
    return dump({**meta(), "spec": {"schedule": schedule, "jobTemplate": template}})


CRON = "/apis/batch/v1/namespaces/default/cronjobs"
post("schedule: a long one", CRON, lambda: cron_job("1," * (STORED // 2 - 200) + "1 * * * *"), stored=True,
     after=removing(f"{CRON}/heavy"))  # fmt: skip
post("schedule: a day that never comes", CRON, lambda: cron_job("0 0 30 2 *"), stored=True,
     after=removing(f"{CRON}/heavy"))  # fmt: skip
post("storage class: many parameters", "/apis/storage.k8s.io/v1/storageclasses", lambda: pairs(
    lambda i: (f"k{i}", "v"), lambda data: {**meta(), "provisioner": "a.io/b", "parameters": data}))  # fmt: skip
post("priority class: a long description", "/apis/scheduling.k8s.io/v1/priorityclasses",
     lambda: dump({**meta(), "value": 1, "description": "x" * (STORED - 2000)}), stored=True,
     after=removing("/apis/scheduling.k8s.io/v1/priorityclasses/heavy"))  # fmt: skip

# definitions that are stored, and their objects

HEAVY = f"{CRDS}/heavies.stall.io"


def defined(properties: Document, **more: Any) -> bytes:
    return definition({"type": "object", "properties": properties}, **more)


def many_properties(number: int) -> Document:
    return {"spec": {"type": "object", "properties": {f"p{i}": {"type": "string"} for i in range(number)}}}


def of_large_definition(name: str, path: str, **more: Any) -> None:
    before = lambda: iter([Step("POST", CRDS, defined(many_properties(30_000)))])  # noqa: E731
    CASES.append(Case(name, lambda: Step("GET", path, **more), before, removing(HEAVY)))


AGGREGATED = {"Accept": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}
post("definition: stored", CRDS, lambda: defined(many_properties(30_000)), stored=True, after=removing(HEAVY))
post("definition: many columns", CRDS, lambda: defined(
    {}, additionalPrinterColumns=[{"name": f"c{i}", "type": "string", "jsonPath": f".a{i}"} for i in range(18_000)]
), stored=True, after=removing(HEAVY))  # fmt: skip
post("definition: many rules", CRDS, lambda: defined(
    {"spec": {"type": "object", "x-kubernetes-validations": [{"rule": "self != null"} for _ in range(25_000)]}}
), stored=True, after=removing(HEAVY))  # fmt: skip
of_large_definition("openapi: v2 after a large definition", "/openapi/v2")
of_large_definition("openapi: v3 after a large definition", "/openapi/v3/apis/stall.io/v1")
of_large_definition("openapi: v2 in protobuf", "/openapi/v2",
                    headers={"Accept": "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"})  # fmt: skip


def object_of(**content: Any) -> Document:
    return {"apiVersion": "stall.io/v1", "kind": "Heavy", **meta(), **content}


def custom_case(name: str, properties: Document, steps: Callable[[], list[Step]], **more: Any) -> None:
    """Adds a case of a kind with a schema: the last step is the heavy one."""
    made = cache(steps)
    before = lambda: iter([Step("POST", CRDS, defined(properties, **more)), *made()[:-1]])  # noqa: E731
    CASES.append(Case(name, lambda: made()[-1], before, removing(HEAVY)))


KEYED = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
}
SET = {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}
PAIRWISE = {**SET, "maxItems": 900, "x-kubernetes-validations": [{"rule": "self.all(a, self.all(b, a <= 'z'))"}]}
PAIRWISE["x-kubernetes-list-type"], PAIRWISE["items"] = "atomic", {"type": "string", "maxLength": 5}
KEYED_BODY = cache(lambda: filling(lambda i: {"name": f"n{i}"}, lambda items: object_of(spec=items), 150_000))
NAMED = f"{CUSTOM}/heavy"
custom_case("custom: a list by keys, replaced", {"spec": KEYED},
            lambda: [Step("POST", CUSTOM, KEYED_BODY()), Step("PATCH", NAMED, KEYED_BODY(), MERGE_PATCH)])  # fmt: skip
custom_case("custom: a list by keys, patched", {"spec": KEYED}, lambda: [
    Step("POST", CUSTOM, KEYED_BODY()),
    Step("PATCH", NAMED, dump({"metadata": {"labels": {"a": "b"}}}), MERGE_PATCH),
])  # fmt: skip
custom_case("custom: a list by keys, applied", {"spec": KEYED}, lambda: [
    Step("POST", CUSTOM, KEYED_BODY()), Step("PATCH", f"{NAMED}?fieldManager=m&force=true", KEYED_BODY(), APPLY)
])  # fmt: skip
custom_case("custom: a set", {"spec": SET}, lambda: [
    Step("POST", CUSTOM, filling(lambda i: f"n{i}", lambda items: object_of(spec=items), 500_000))
])  # fmt: skip
custom_case("custom: rules at the limit of costs", {"spec": PAIRWISE}, lambda: [
    Step("POST", CUSTOM, dump(object_of(spec=[f"n{i}" for i in range(900)])))
])  # fmt: skip
custom_case("custom: a large status", {"status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
    lambda: [
        Step("POST", CUSTOM, dump(object_of())),
        Step("PATCH", f"{NAMED}/status", pairs(
            lambda i: (f"k{i}", {"a": 1}), lambda data: object_of(status=data), 500_000), MERGE_PATCH),
    ],
    subresources={"status": {}},
)  # fmt: skip
custom_case("custom: a table of a large object", {"spec": SET}, lambda: [
    Step("POST", CUSTOM, filling(lambda i: f"n{i}", lambda items: object_of(spec=items), 500_000)),
    Step("GET", CUSTOM, headers={"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}),
], additionalPrinterColumns=[{"name": "c", "type": "string", "jsonPath": ".spec"}])  # fmt: skip


def many_definitions(number: int = 300) -> Iterator[Step]:
    for i in range(number):
        made = defined({"spec": {"type": "object"}}).replace(b"stall.io", b"g%d.io" % i)
        yield Step("POST", CRDS, made)


get("discovery: 300 definitions", lambda: "/apis", many_definitions, headers=AGGREGATED)
get("openapi: v2 of 300 definitions", lambda: "/openapi/v2")
CASES.append(Case("discovery: all definitions deleted", lambda: Step("DELETE", CRDS)))

# deletions and annotations

DOOMED = "/api/v1/namespaces/doomed"
CASES.append(
    Case(
        "namespace: deleted with its objects",
        lambda: Step("DELETE", DOOMED),
        partial(many_maps, "doomed"),
        then=lambda: iter([Step("GET", DOOMED)] * 5),  # the namespace controller waits for 5 s
    )
)
LAST = "kubectl.kubernetes.io/last-applied-configuration"


def applied_before() -> Iterator[Step]:
    yield from large_map()
    yield Step("PATCH", f"{MAPS}/heavy", dump(meta(annotations={LAST: "{}"})), MERGE_PATCH)


CASES.append(
    Case(
        "last applied: many keys",
        lambda: Step("PATCH", f"{MAPS}/heavy?fieldManager=kubectl", pairs(
            lambda i: (f"n{i}", "v"), lambda data: {"apiVersion": "v1", "kind": "ConfigMap", **meta(), "data": data},
            200_000,
        ), APPLY),
        applied_before,
        removing(f"{MAPS}/heavy"),
    )
)  # fmt: skip
