"""A scheduler of nothing but the standard library: python plain_scheduler.py SERVER [BEHAVIOUR]."""

import http.client
import json
import queue
import socket
import sys
import threading
import time
from urllib.parse import urlsplit

SERVER = urlsplit(sys.argv[1])
BEHAVIOUR = sys.argv[2] if len(sys.argv) > 2 else ""
events = queue.Queue()


class SlowConnection(http.client.HTTPConnection):
    """A connection that sends byte by byte, so that the kernel spreads them over time (SO_MAX_PACING_RATE)."""

    def connect(self):
        super().connect()
        self.sock.setsockopt(socket.SOL_SOCKET, 47, 3000)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, data):
        if self.sock is None:
            self.connect()
        for place in range(0, len(data), 20):
            self.sock.sendall(data[place : place + 20])


def ask(method, path, body=None):
    made = SlowConnection if BEHAVIOUR == "slow" else http.client.HTTPConnection
    connection = made(SERVER.hostname, SERVER.port)
    headers = {"Content-Type": "application/json"}
    connection.request(method, path, None if body is None else json.dumps(body).encode(), headers)
    return connection.getresponse()


def follow(path):
    while True:
        for line in ask("GET", f"{path}?watch=true"):
            event = json.loads(line)
            events.put(event["object"])


def cpu(pod):
    return int(float(pod["spec"]["containers"][0]["resources"]["requests"]["cpu"]))


def bind(pod, node):
    body = {"metadata": {"name": pod["metadata"]["name"]}, "target": {"kind": "Node", "name": node}}
    ask("POST", f"/api/v1/namespaces/{pod['metadata']['namespace']}/bindings", body).read()


def run():
    nodes, placed, pending = {}, {}, {}
    for path in ("/api/v1/nodes", "/api/v1/pods"):
        threading.Thread(target=follow, args=(path,), daemon=True).start()
    while True:
        thing = events.get()
        name = thing["metadata"]["name"]
        if thing["kind"] == "Node":
            nodes[name] = int(thing["status"]["allocatable"]["cpu"])
        elif thing["status"].get("phase") in ("Succeeded", "Failed"):
            placed.pop(name, None)
        elif thing["spec"].get("nodeName"):
            placed[name] = (thing["spec"]["nodeName"], cpu(thing))
            pending.pop(name, None)
        elif name not in placed:
            pending[name] = thing
        if BEHAVIOUR == "sleep" and pending:
            time.sleep(5)  # of virtual time, between two pods
        for pod in list(pending.values()):
            used = {node: sum(amount for at, amount in placed.values() if at == node) for node in nodes}
            fits = [node for node in nodes if used[node] + cpu(pod) <= nodes[node]]
            if fits:
                placed[pod["metadata"]["name"]] = (fits[0], cpu(pod))
                del pending[pod["metadata"]["name"]]
                bind(pod, fits[0])
                if BEHAVIOUR == "sleep":
                    break


if BEHAVIOUR == "exit":
    sys.exit("cannot go on")
if BEHAVIOUR == "busy":
    ask("GET", "/api/v1/pods").read()
    while True:
        pass
if BEHAVIOUR == "nowhere":
    time.sleep(1000)
if BEHAVIOUR == "mute":
    ask("GET", "/api/v1/pods").read()
    time.sleep(1_000_000)
run()
