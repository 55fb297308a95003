"""`wavetank k8ssim-server` as K8sSim's client meets it: GET with a JSON body."""

import http.client
import json
import re
import subprocess
import sys
from contextlib import closing

import pytest
import yaml


@pytest.fixture
def server():
    program = [sys.executable, "-m", "wavetank", "k8ssim-server", "--port", "0"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        yield re.search(r"http://(127\.0\.0\.1):(\d+)", process.stdout.readline()).groups()
        process.terminate()
        assert process.wait(10) == 0


def ask(server, path, method="GET", **given):
    with closing(http.client.HTTPConnection(server[0], int(server[1]), timeout=30)) as connection:
        connection.request(method, path, json.dumps(given), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


def test_k8ssims_client_is_answered(server):
    amounts = {"cpu": 4, "memory": "8Gi", "pods": 110}
    nodes = {"cluster": [{"metadata": {"name": "n"}, "status": {"allocatable": amounts, "capacity": amounts}}]}
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}
    metadata = {"name": "p", "annotations": {"simSpec": "- seconds: 2\n"}}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}
    texts = {"nodes": yaml.safe_dump(nodes), "workload": yaml.safe_dump([{"pod": pod, "startTime": 0}])}
    status, state = ask(server, "/reset", **texts)
    assert (status, state["done"]) == (200, False)
    status, state = ask(server, "/step", "POST", action=2)
    assert state["pods"][0]["spec"]["nodeName"] == "n"
    status, state = ask(server, "/step", action=2)
    assert state["done"]
    assert ask(server, "/step", action="two") == (400, {"error": "action: expected a number, got 'two'"})
    assert ask(server, "/")[0] == 404


@pytest.mark.parametrize(
    "headers", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "http://["}]
)
def test_a_web_page_of_another_site_is_refused(server, headers):
    with closing(http.client.HTTPConnection(server[0], int(server[1]), timeout=30)) as connection:
        connection.request("POST", "/reset", "{}", headers)
        assert connection.getresponse().status == 403


def test_a_server_on_the_network_warns_that_there_is_no_token():
    program = [sys.executable, "-m", "wavetank", "k8ssim-server", "--port", "0", "--host", "0.0.0.0"]
    with subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr.readline() == "warning: --host 0.0.0.0 without a token: anyone there can use it\n"
        process.terminate()
        assert process.wait(10) == 0
