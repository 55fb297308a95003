"""Calls to an extender over HTTP, with a server on this machine."""

from __future__ import annotations

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from time import sleep

import pytest

from wavetank.loop.extenders.client import HttpExtenderClient, decoded
from wavetank.scheduling.framework.extenders.answers import ExtenderError


@contextmanager
def a_server(status=200, body="{}", pause=0.0, hangs_up=False):
    """Serves one answer to whatever is asked; yields its address and what it was asked."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            length = int(self.headers["Content-Length"])
            asked.append((self.path, self.headers["Content-Type"], json.loads(self.rfile.read(length))))
            sleep(pause)
            if hangs_up:
                return
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *args):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.handle_error = lambda *args: None  # a client that has gone is part of the test
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()


def call(url, **config):
    return HttpExtenderClient({"urlPrefix": f"{url}/ext/", **config}).call("filter", {"Pod": None})


def test_a_call_is_a_post_of_json():
    with a_server(body='{"NodeNames": ["a"]}') as (url, asked):
        assert call(url) == {"NodeNames": ["a"]}
    assert asked == [("/ext/filter", "application/json", {"Pod": None})]


def test_another_status_is_an_error():
    with a_server(status=500) as (url, _), pytest.raises(ExtenderError) as error:
        call(url)
    assert str(error.value) == f"failed filter with extender at URL {url}/ext/filter, code 500"


def test_a_connection_that_is_closed_without_an_answer():
    with a_server(hangs_up=True) as (url, _), pytest.raises(ExtenderError) as error:
        call(url)
    assert str(error.value) == f'Post "{url}/ext/filter": EOF'


def test_an_answer_that_comes_too_late():
    with a_server(pause=0.3) as (url, _), pytest.raises(ExtenderError) as error:
        call(url, httpTimeout="50ms")
    assert "context deadline exceeded (Client.Timeout exceeded while awaiting headers)" in str(error.value)


def test_an_extender_that_does_not_listen():
    with a_server() as (url, _):
        pass
    with pytest.raises(ExtenderError, match="connect: connection refused"):
        call(url)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("not json", "invalid character 'o' in literal null (expecting 'u')"),
        ("<html>", "invalid character '<' looking for beginning of value"),
        ("", "EOF"),
        ('{"NodeNames": ', "unexpected EOF"),
        ("tru", "unexpected EOF"),
    ],
)
def test_bad_json_is_refused_in_the_words_of_go(text, message):
    with pytest.raises(ExtenderError) as error:
        decoded(text)
    assert str(error.value) == message


def test_only_the_first_value_is_read():
    assert decoded(' {"a": 1} and more') == {"a": 1}
