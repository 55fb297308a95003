"""Makes what two clusters say comparable: times, ages, addresses, versions and random names are taken out."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any
from urllib.parse import parse_qsl, unquote

CUT = "<cut>"

# What the recorder has put in already, with its numbers; a hash or suffix does not depend on the counting.
_RECORDED = (
    (re.compile(r"<(hash|rand)\d*>"), r"<\1>"),
    (re.compile(r"<(?:podip|clusterip)>"), "<ip>"),
)
_ALPHABET = "[bcdfghjklmnpqrstvwxz2456789]"
_NAMES = (
    (re.compile(rf"\b(web|dep2)-({_ALPHABET}{{6,10}})-({_ALPHABET}{{5}})\b"), r"\1-<hash>-<rand>"),
    (re.compile(rf"\b(web|dep2)-({_ALPHABET}{{6,10}})\b(?!-?\w)"), r"\1-<hash>"),
    (re.compile(rf"\b(web|dep2)-<hash>-({_ALPHABET}{{5}})\b"), r"\1-<hash>-<rand>"),
    (re.compile(rf"\b(web|dep2)-({_ALPHABET}{{6,10}})-"), r"\1-<hash>-"),
    (re.compile(rf"\b(agent|j|j2|web|kube-api-access)-{_ALPHABET}{{5}}\b"), r"\1-<rand>"),
    (re.compile(rf"(pod-template-hash[=:\"]+ ?\"?){_ALPHABET}{{6,10}}"), r"\1<hash>"),
    (re.compile(r"(controller-revision-hash[=:\"]+ ?\"?(?:db-)?)[0-9a-z]{6,10}"), r"\1<hash>"),
)
_MADE = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "<uid>"),
    (re.compile(r"(?<=Container ID: )\s*\S+"), " <container>"),
    (re.compile(r"(containerID\"?: ?\"?)[^\s\",]+"), r"\1<container>"),
    (re.compile(r"\b(apiserver)-[a-z2-7]{26}"), r"\1-<identity>"),
    (re.compile(r"\S+_(?=<uid>)"), "<holder>_"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "<time>"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [+-]\d{4}( [+-]?\w+)?"), "<time>"),
    (re.compile(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}"), "<time>"),
    (re.compile(r"\b(?!127\.0\.0\.1\b)\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b"), "<ip>"),
    (re.compile(r"(resourceVersion[\"']?: ?[\"']?)\d+"), r"\1<rv>"),
    (re.compile(r"(\"continue\":\")[\w=-]+"), r"\1<continue>"),
    (re.compile(r"(?<![\w.=])(\d+d)?(\d+h)?(\d+m)?\d+s\b"), "<age>"),
    (re.compile(r"(?m)^\d+m(?=\s+(Normal|Warning)\s)"), "<age>"),
    (re.compile(r"/tmp/(LIVE|MERGED)-\d+"), r"/tmp/\1-<n>"),
    (re.compile(r"(Successfully assigned \S+ to) n\d"), r"\1 <node>"),  # of equally good ones one is drawn
    (re.compile(r"http://127\.0\.0\.1:\d+"), "<server>"),
    (re.compile(r"(\"goVersion\": \")[^\"]+"), r"\1<go>"),
    # the recorded kubelet was played, and knew nothing of images and machines
    (re.compile(r"(?<=Image ID: )\s*\S+"), " <image>"),
    (re.compile(r"(imageID\"?: ?\"?)[^\s\",]+"), r"\1<image>"),
    (re.compile(r"(Machine ID|System UUID|Boot ID):\s*\S+"), r"\1: <machine>"),
)


# What a real kubelet tells, and ours too; the recorded one was played, and silent.
_TOLD_BY_KUBELETS = re.compile(r"<age> kubelet |Normal (Created|Killing|Pulled|Pulling|Started) pod/")
_EVENT = re.compile(r"^<age> (Normal|Warning) \w+ \w+/")


# Random names, and Go's order of a map: in such an output lines may come in any order.
_DRAWN = re.compile(r"<rand>|-<hash>|/healthz")


def text_of(said: str, workdir: str = "WORKDIR") -> list[str]:
    """Returns the lines of an output, spaces run together; sorted if random names decide about their order.

    Equal lines about events count once: how many pods a rollout makes and deletes on its way is a matter of time.
    """
    if said.startswith('{"'):
        said = json.dumps(json.loads(said), sort_keys=True)
    for pattern, put in (*_RECORDED, *_NAMES, *_MADE):
        said = pattern.sub(put, said.replace(workdir, "WORKDIR"))
    lines = [" ".join(_words(line)) for line in said.rstrip("\n").split("\n")]
    lines = [line for line in lines if not _TOLD_BY_KUBELETS.search(line)]
    events = dict.fromkeys(line for line in lines if _EVENT.match(line))
    lines = [*(line for line in lines if line not in events), *events]
    return sorted(lines) if _DRAWN.search(said) else lines


def _words(line: str) -> list[str]:
    """Returns the words of a line; those of kubectl's reasons not to drain a node come in Go's order of a map."""
    words = line.replace("[", " ").replace("],", " ").replace(",", " ").split() if "unable to drain" in line else None
    return line.split() if words is None else sorted(words)


def agree(wanted: list[str], found: list[str]) -> bool:
    """Tells whether two outputs are the same, as far as the first was recorded: a long one was cut."""
    if CUT not in wanted:
        return wanted == found
    return not Counter(line for line in wanted if line != CUT) - Counter(found)


def requests_of(requests: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """Returns what was read, with the last answer (how often one polls is a matter of time), and what was written.

    After a deletion kubectl checks whether the object is gone, and watches it if it is not: a matter of time too.
    """
    gone = {each["path"] for each in requests if each["method"] == "DELETE"}
    looked = [each for each in requests if each["method"] == "GET" and each["path"] not in gone]
    looked = [each for each in looked if not (gone and "fieldSelector=metadata.name" in (each.get("query") or ""))]
    reads = {_request(each): _status(each) for each in looked}
    writes = [f"{_request(each)} {each['status']}" for each in requests if each["method"] != "GET"]
    return sorted(f"{read} {status}" for read, status in reads.items()), sorted(writes)


def _status(request: dict[str, Any]) -> int:
    """Returns a status; the list of OpenAPI documents is new every second, in the real server as here."""
    return 200 if request["path"] == "/openapi/v3" and request["status"] == 304 else int(request["status"])


def _request(request: dict[str, Any]) -> str:
    body = json.dumps(_body(request.get("body", request.get("body_bytes"))), sort_keys=True)
    path = " ".join(text_of(unquote(request["path"])))
    words = [
        request["method"],
        path,
        _query(request.get("query") or ""),
        request.get("content_type") or "",
    ]
    return " ".join(word for word in [*words, body if body != "null" else ""] if word)


def _query(query: str) -> str:
    pairs = parse_qsl(query, keep_blank_values=True)
    return "&".join(sorted(f"{name}={_value(name, value)}" for name, value in pairs))


def _value(name: str, value: str) -> str:
    if name in ("hash", "continue", "resourceVersion", "timeoutSeconds", "timeout"):
        return f"<{name}>"
    if name == "fieldSelector":
        value = ",".join(sorted(value.split(",")))
    return " ".join(text_of(value))


def _body(value: Any) -> Any:
    if isinstance(value, dict) and value.get("path") == "/metadata/resourceVersion":
        return {**value, "value": "<rv>"}
    if isinstance(value, dict):
        return {_plain(key): "<rv>" if key == "resourceVersion" else _body(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_body(item) for item in value]
    return _plain(value) if isinstance(value, str) else value


def _plain(text: str) -> str:
    return "\n".join(text_of(text))
