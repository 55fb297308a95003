"""A scheduler for random experiments, of the standard library only: python program.py SERVER BEHAVIOUR SEED.

BEHAVIOUR is a list with commas: `watch` pods, or poll for them; `careless`: any node will do; `flood`: with requests
that are wrong; `crash`: exits after some bindings.
"""

import http.client
import json
import sys
import time
from random import Random
from urllib.parse import urlsplit

SERVER, BEHAVIOUR = urlsplit(sys.argv[1]), sys.argv[2].split(",")
random = Random(sys.argv[3])
PERIOD_S = random.choice([10, 30, 120])
LAST = random.randint(0, 20)  # bindings before a crash
GPU = "nvidia.com/gpu"
SUFFIXES = {"m": 0.001, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
WRONG = [
    ("GET", "/api/v1/namespaces/default/pods/none", ""),
    ("GET", "/api/v1/pods?limit=x&continue=y", ""),
    ("POST", "/api/v1/namespaces/default/pods/none/binding", '{"target": {"name": "g0-0"}}'),
    ("POST", "/api/v1/namespaces/default/pods/none/binding", "[" * 5000),
    ("PATCH", "/api/v1/namespaces/default/pods/none/status", '{"status": null}'),
    ("DELETE", "/api/v1/nodes/none", ""),
    ("PUT", "/api/v1/nodes/g0-0", '{"metadata": {"name": "other"}}'),
    ("POST", "/nowhere", "x" * 100_000),
]
bound = 0


def ask(method, path, body=""):
    connection = http.client.HTTPConnection(SERVER.hostname, SERVER.port)
    connection.request(method, path, body.encode() or None, {"Content-Type": "application/json"})
    return connection.getresponse()


def listed(kind):
    return json.load(ask("GET", f"/api/v1/{kind}"))["items"]


def amount(text):
    for suffix, factor in SUFFIXES.items():
        if str(text).endswith(suffix):
            return float(text.removesuffix(suffix)) * factor
    return float(text)


def needs(pod):
    containers = pod["spec"]["containers"]
    found = [each.get("resources", {}).get("requests", {}) for each in containers]
    total = {name: sum(amount(each.get(name, 0)) for each in found) for name in ("cpu", "memory", GPU)}
    return {**total, "pods": 1}


def demanded_nodes(pod):
    """Returns the nodes that the pod of a DaemonSet may run on; None: any."""
    affinity = pod["spec"].get("affinity", {}).get("nodeAffinity", {})
    terms = affinity.get("requiredDuringSchedulingIgnoredDuringExecution", {}).get("nodeSelectorTerms", [])
    names = [value for term in terms for each in term.get("matchFields", []) for value in each["values"]]
    return names or None


def place_all():
    free = {}
    for node in listed("nodes"):
        free[node["metadata"]["name"]] = {name: amount(value) for name, value in node["status"]["allocatable"].items()}
    pods = listed("pods")
    for pod in pods:
        node = pod["spec"].get("nodeName")
        if node in free and pod["status"].get("phase") not in ("Succeeded", "Failed"):
            take(free[node], needs(pod))
    for pod in pods:
        spec = pod["spec"]
        if not (spec.get("nodeName") or spec.get("schedulingGates") or pod["metadata"].get("deletionTimestamp")):
            place(pod, free)


def place(pod, free):
    wants, only = needs(pod), demanded_nodes(pod)
    fits = [name for name in sorted(free) if only is None or name in only]
    if "careless" not in BEHAVIOUR:
        fits = [name for name in fits if all(free[name].get(key, 0) >= value for key, value in wants.items())]
    if fits:
        node = random.choice(fits)
        take(free[node], wants)
        bind(pod["metadata"], node)


def take(free, wants):
    for name, value in wants.items():
        free[name] = free.get(name, 0) - value


def bind(metadata, node):
    global bound
    if "crash" in BEHAVIOUR and bound == LAST:
        sys.exit(3)
    bound += 1
    body = {"metadata": {"name": metadata["name"]}, "target": {"kind": "Node", "name": node}}
    ask("POST", f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}/binding", json.dumps(body)).read()


def flood():
    if "flood" in BEHAVIOUR:
        for method, path, body in random.choices(WRONG, k=5):
            ask(method, path, body).read()


def watch():
    place_all()
    for line in ask("GET", "/api/v1/pods?watch=true"):
        event = json.loads(line)
        pod = event["object"]
        is_new = event["type"] == "ADDED" and not pod["spec"].get("nodeName")
        has_ended = event["type"] == "DELETED" or pod["status"].get("phase") in ("Succeeded", "Failed")
        if is_new or has_ended:
            place_all()
            flood()


def poll():
    while True:
        place_all()
        flood()
        time.sleep(PERIOD_S)


if "watch" in BEHAVIOUR:
    while True:
        watch()
poll()
