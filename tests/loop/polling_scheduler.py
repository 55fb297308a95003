"""A scheduler that watches nothing: it asks for pods every two seconds: python polling_scheduler.py SERVER."""

import json
import sys
import time
import urllib.request

SERVER = sys.argv[1]


def ask(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(SERVER + path, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:  # a connection for each request
        return json.load(answer)


while True:
    nodes = [node["metadata"]["name"] for node in ask("/api/v1/nodes")["items"]]
    for pod in ask("/api/v1/pods?fieldSelector=spec.nodeName%3D")["items"]:
        name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
        target = {"kind": "Node", "name": nodes[0]}
        ask(f"/api/v1/namespaces/{namespace}/pods/{name}/binding", {"metadata": {"name": name}, "target": target})
    time.sleep(2)
