"""Servers of wavetank, and what a client can send to each that is heavy."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from objectcases import LARGEST, MAPS, PODS, Document, Step, dump, filling
from single import NODES, TOKEN, Attacked, nodes_in
from websocketbytes import CLOSE, CONTINUED, END_FRAME, HEAD, PING, TEXT, exchange, frame

ROOT = Path(__file__).parents[2]
MANY_NODES, MANY_PODS = 1000, 3000

Send = Callable[[Attacked], object]


@dataclass(frozen=True)
class Door:
    """A server: the words of its command, made in a folder of its own, and the path that another client asks for."""

    words: Callable[[Path], list[str]]
    small: str


@dataclass(frozen=True)
class DoorCase:
    """What a client sends, made by `prepare` before it is measured; `before` sets the server up."""

    name: str
    prepare: Callable[[], Send]
    before: Callable[[Attacked], None] = lambda attacked: None


def serve(folder: Path, *words: str, nodes: int = NODES) -> list[str]:
    files = ["--kubeconfig", str(folder / "kubeconfig"), "--cluster", str(nodes_in(folder, nodes))]
    return ["serve", "--http", "--port", "0", "--token", TOKEN, *files, *words]


def serve_state(folder: Path) -> list[str]:
    return serve(folder, "--state", str(folder / "state"))


def serve_synced(folder: Path) -> list[str]:
    return [*serve_state(folder), "--state-sync", "machine"]


def operator(_: Path) -> list[str]:
    experiment = ROOT / "examples/batch-operator/experiment.yaml"
    return ["operator", "simulate", str(experiment), "--speed", "60", "--interface", "127.0.0.1:0", "--token", TOKEN]


def play(folder: Path) -> list[str]:
    """Makes a run, lengthens it to 200,000 pods, and plays it."""
    out = folder / "out"
    experiment = str(ROOT / "examples/01-first-experiment/experiment.yaml")
    subprocess.run(
        [sys.executable, "-m", "wavetank", "run", "-q", experiment, "-o", str(out)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    pods = out / "default/seed-1/pods.csv"
    head, *rows = pods.read_text().splitlines(keepends=True)
    pods.write_text(head + "".join(rows) * 400)
    return ["play", str(out), "--port", "0", "--token", TOKEN]


DOORS = {
    "serve": Door(serve, "/api/v1/nodes/n-0"),
    "large": Door(partial(serve, nodes=MANY_NODES), "/api/v1/nodes/n-0"),
    "state": Door(serve_state, "/api/v1/nodes/n-0"),
    "synced state": Door(serve_synced, "/api/v1/nodes/n-0"),
    "play": Door(play, "/ui/api/runs"),
    "operator": Door(operator, "/external/testbeds"),
    "k8ssim": Door(lambda _: ["k8ssim-server", "--port", "0"], "/stepResultAnyway"),
    "misim": Door(lambda _: ["misim-adapter", "--port", "0"], "/getCoreApiEvents"),
}
CASES: dict[str, list[DoorCase]] = {door: [] for door in DOORS}


def case(door: str, name: str, prepare: Callable[[], Send], before: Callable[[Attacked], None] | None = None) -> None:
    CASES[door].append(DoorCase(f"{door}: {name}", prepare, before or (lambda attacked: None)))


def request(
    method: str, path: str, body: bytes | Callable[[], bytes] = b"", media: str = "application/json"
) -> Callable[[], Send]:
    """Returns what makes a request whose answer's status is the result."""

    def prepare() -> Send:
        step = Step(method, path, body() if callable(body) else body, media)
        return lambda attacked: attacked.ask(step)[0]

    return prepare


def raw(data: Callable[[], bytes], websocket: str = "") -> Callable[[], Send]:
    """Returns what sends bytes, after the handshake of a WebSocket if it has a path, and reads until the end."""

    def prepare() -> Send:
        made = data()
        return lambda attacked: exchange(attacked.port, made, websocket)

    return prepare


def ask_all(steps: Callable[[], list[Step]]) -> Callable[[Attacked], None]:
    def ask(attacked: Attacked) -> None:
        for step in steps():
            status, body = attacked.ask(step)
            assert status < 300, (step.path, status, body[:300])

    return ask


# any server: bytes below the level of requests


def transport(door: str, path: str, websocket: str = "") -> None:
    get = f"GET {path} HTTP/1.1\r\n{HEAD}".encode()
    last = get + CLOSE.encode()
    case(door, "100,000 headers", raw(lambda: last + b"".join(b"h%d:v\r\n" % i for i in range(90_000)) + b"\r\n"))
    case(
        door,
        "path of 1 MB of escapes",
        raw(lambda: f"GET {path}/{'%41' * 340_000} HTTP/1.1\r\n{HEAD}{CLOSE}\r\n".encode()),
    )
    case(door, "pipelined requests, 3 MB", raw(lambda: (get + b"\r\n") * (LARGEST // len(get)) + last + b"\r\n"))
    chunks = b"1\r\nx\r\n" * (LARGEST // 6) + b"0\r\n\r\n"
    post = f"POST {path} HTTP/1.1\r\n{HEAD}{CLOSE}Transfer-Encoding: chunked\r\n\r\n".encode()
    case(door, "body in chunks of a byte, 3 MB", raw(lambda: post + chunks))
    if websocket:
        pings, pieces = (
            frame(PING) * (LARGEST // 6),
            frame(TEXT, b"x", last=False) + frame(CONTINUED, b"x", last=False) * 149_000,
        )
        case(door, "WebSocket pings, 3 MB", raw(lambda: pings + END_FRAME, websocket))
        case(door, "WebSocket message in pieces of a byte, 1 MB", raw(lambda: pieces + END_FRAME, websocket))


# the page of serve


def yaml_maps() -> bytes:
    one = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m-%06d}\n---\n"
    return "".join(one % i for i in range(LARGEST // len(one % 0))).encode()


def yaml_numbers() -> bytes:
    return b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nx: [" + b"1," * (LARGEST // 2 - 100) + b"1]\n"


def compressible(i: int, size: int = LARGEST - 1000) -> Step:
    return Step(
        "POST",
        MAPS,
        dump(
            {
                "metadata": {"name": f"zeros-{i}"},
                "data": {"k": "0" * min(size, 1_000_000)},
                "x": "0" * max(0, size - 1_000_000),
            }
        ),
    )


def many_pods() -> list[Step]:
    """Creates pods by one Job."""
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "100m"}}}
    template = {"spec": {"containers": [container]}}
    spec = {"replicas": MANY_PODS, "selector": {"matchLabels": {"a": "b"}}}
    template["metadata"] = {"labels": {"a": "b"}}
    body = {"metadata": {"name": "many"}, "spec": {**spec, "template": template}}
    return [
        Step("POST", "/apis/apps/v1/namespaces/default/deployments", dump(body)),
        Step("POST", "/wavetank/clock/advance?by=20s"),
        Step("POST", "/wavetank/clock/pause"),
    ]


def stopped_pod() -> list[Step]:
    spec = {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1000"}}}]}
    return [Step("POST", PODS, dump({"metadata": {"name": "pending"}, "spec": spec}))]


def rewind(attacked: Attacked) -> object:
    """Undoes the last write: all the others are made again."""
    numbers = [row[0] for row in json.loads(attacked.ask(Step("GET", "/ui/api/writes"))[1])["writes"]]
    return attacked.ask(Step("POST", f"/ui/api/rewind?to={max(numbers)}"))[0]


transport("serve", "/api/v1/nodes/n-0", "/api/v1/nodes?watch=true")
case("serve", "login of 3 MB", request("POST", "/ui/login", lambda: dump({"code": "x" * LARGEST})))
case("serve", "page, 3 MB of YAML objects", request("POST", "/ui/api/documents", yaml_maps))
case("serve", "page, 3 MB of YAML numbers", request("POST", "/ui/api/documents", yaml_numbers))
case(
    "serve",
    "page, list of 40 writes of 3 MB",
    request("GET", "/ui/api/writes"),
    ask_all(lambda: [compressible(i) for i in range(40)]),
)
case(
    "serve",
    "page, undo of one of 10 writes of 3 MB",
    lambda: rewind,
    ask_all(lambda: [compressible(i) for i in range(40, 50)]),
)
case(
    "large",
    "page, feed",
    lambda: lambda attacked: attacked.ask(Step("GET", "/ui/api/feed", whole=False))[0],
    ask_all(many_pods),
)
case("large", "page, explain", request("GET", "/ui/api/explain?namespace=default&name=pending"), ask_all(stopped_pod))
case("large", "page, undo", lambda: rewind)

# a state folder


def large_maps(number: int) -> list[Step]:
    return [
        Step("POST", MAPS, dump({"metadata": {"name": f"m-{i}"}, "data": {"k": "0" * 1_000_000}}))
        for i in range(number)
    ]


def updates(number: int) -> Callable[[], Send]:
    """Changes an object again and again, while the journal is written anew."""

    def send(attacked: Attacked) -> object:
        patch = partial(Step, "PATCH", f"{MAPS}/m-0", media="application/merge-patch+json")
        return max(attacked.ask(patch(body=dump({"data": {"a": str(i)}})))[0] for i in range(number))

    return lambda: send


for each in ("state", "synced state"):
    case(
        each,
        "config map of 200,000 keys",
        request(
            "POST",
            MAPS,
            lambda: filling(
                lambda i: f"k{i}",
                lambda keys: {"metadata": {"name": "keys"}, "data": dict.fromkeys(keys, "v")},
                1_000_000,
            ),
        ),
    )
    case(each, "journal written anew, 200 objects of 1 MB", updates(300), ask_all(lambda: large_maps(200)))

# play

case("play", "recording of 200,000 pods", request("GET", "/ui/api/recording?run=default/seed-1"))

# the interface of the operator

JOBS = ["fraud-detection", "k-means", "log-parser", "page-rank", "spark-crawler", "spark-pi", "tera-sort", "word-count"]
SCHEDULINGS = "/external/schedulings"


def queue(limit: int = LARGEST) -> bytes:
    return filling(lambda i: JOBS[i % 8], lambda jobs: {"name": "q", "testBed": "batchjob-slots", "queue": jobs}, limit)


def slots() -> bytes:
    return filling(
        lambda i: i,
        lambda ids: {"name": "s", "testBed": "batchjob-slots", "slots": {"jobs": [{"name": "spark-pi", "slots": ids}]}},
    )


def data(limit: int = LARGEST) -> bytes:
    rows = partial(filling, lambda i: {"k": f"{i}"}, limit=limit)
    return rows(lambda rows: {"name": "spark-pi", "externalScheduler": {"times": rows}})


def stomp(*messages: bytes) -> Callable[[], Send]:
    connect = b"CONNECT\naccept-version:1.2\n\n\0"
    return raw(lambda: b"".join(frame(TEXT, each) for each in (connect, *messages)) + END_FRAME, "/scheduler")


transport("operator", "/external/testbeds", "/scheduler")
case("operator", "STOMP, frames of 6 bytes, 1 MB", stomp(b"ACK\n\n\0" * 170_000))
case("operator", "STOMP, heart-beats, 3 MB", stomp(*[b"\n" * 1_000_000] * 3))
case("operator", "STOMP, a frame in messages of a byte", stomp(*[b"x"] * 60_000))
case("operator", "data of a job, 3 MB", request("PUT", "/external/jobs", data))
case("operator", "data of a job, 512 KB", request("PUT", "/external/jobs", partial(data, 1 << 19)))
case("operator", "slots, 3 MB", request("POST", SCHEDULINGS, slots))
case("operator", "queue, 3 MB", request("POST", SCHEDULINGS, queue))
case("operator", "queue, 512 KB", request("POST", SCHEDULINGS, partial(queue, 1 << 19)))

# K8sSim and MiSim


def k8ssim_reset() -> bytes:
    amounts = {"cpu": "8", "memory": "16Gi", "pods": "100"}
    nodes = {
        "cluster": [
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": f"n{i}"},
                "status": {"allocatable": amounts, "capacity": amounts},
            }
            for i in range(100)
        ]
    }
    spec = {
        "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}],
        "schedulerName": "linc-scheduler-lrp",
    }

    def meta(i: int) -> Document:
        return {"name": f"p{i}", "annotations": {"simSpec": "- seconds: 10\n"}}

    return filling(
        lambda i: {
            "pod": {"apiVersion": "v1", "kind": "Pod", "metadata": meta(i), "spec": spec},
            "startTime": i,
        },
        lambda pods: {"period": "-1", "nodes": json.dumps(nodes), "workload": json.dumps(pods)},
    )


def misim_nodes() -> bytes:
    amounts = {"cpu": "8", "memory": "16Gi", "pods": "100"}
    return filling(
        lambda i: {"metadata": {"name": f"n{i}"}, "status": {"allocatable": amounts, "capacity": amounts}},
        lambda items: {"allNodes": {"items": items}},
    )


def misim_pods() -> bytes:
    spec = {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}
    return filling(
        lambda i: {"metadata": {"name": f"p{i}", "namespace": "default"}, "spec": spec},
        lambda items: {"allPods": {"items": items}, "podsToBePlaced": {"items": items}},
        LARGEST // 2,
    )


transport("k8ssim", "/stepResultAnyway")
case("k8ssim", "reset of 3 MB", request("POST", "/reset", k8ssim_reset))
case("misim", "nodes of 3 MB", request("POST", "/updateNodes", misim_nodes))
case("misim", "pods of 3 MB", request("POST", "/updatePods", misim_pods))
