"""Writes tests/apiserver/managing/conversations.json.gz: how a real kube-apiserver manages fields.

    python scripts/record_applies.py --server https://127.0.0.1:16443 --token secret [--count 160]

Sends random sequences of writes to a server, which must be a fresh one of release 1.35 with
--disable-admission-plugins=ServiceAccount,TaintNodesByCondition and --authorization-mode=AlwaysAllow. Records for each
sequence its seed and the answers; the requests follow from the seed (tests/apiserver/managing/conversations.py).
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import json
import ssl
from typing import Any
from urllib.parse import urlsplit

from testmodules import ROOT
from tests.apiserver.managing.conversations import JSON, NAMESPACE, comparable, conversation

TARGET = ROOT / "tests/apiserver/managing/conversations.json.gz"


class Server:
    """A server that is asked over one connection, whatever its certificate."""

    def __init__(self, url: str, token: str) -> None:
        context = ssl._create_unverified_context()
        self._connection = http.client.HTTPSConnection(urlsplit(url).netloc, context=context)
        self._token = token

    def ask(self, method: str, path: str, body: Any, content_type: str) -> list[Any]:
        """Returns status and comparable body of an answer."""
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": content_type, "User-Agent": "talker/1"}
        self._connection.request(method, path, json.dumps(body), headers)
        answer = self._connection.getresponse()
        return [answer.status, comparable(json.loads(answer.read()))]


def main() -> None:
    """Reads the command line and writes the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", required=True)
    parser.add_argument("--token", required=True)
    parser.add_argument("--count", type=int, default=160)
    options = parser.parse_args()
    server = Server(options.server, options.token)
    server.ask("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}}, JSON)
    found = [
        {"seed": seed, "answers": [server.ask(*request) for request in conversation(seed)]}
        for seed in range(options.count)
    ]
    text = json.dumps(found, separators=(",", ":"), sort_keys=True)
    TARGET.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{TARGET}: {len(found)} conversations, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
