"""helm, as people use it: a chart is installed, upgraded, rolled back and uninstalled."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.apiserver.clients.programs import go_install, needs_builds
from tests.apiserver.serving import Served
from tests.support.waiting import PATIENCE_S

pytestmark = needs_builds

DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"

FILES = {
    "Chart.yaml": "{apiVersion: v2, name: shop, version: 0.1.0}\n",
    "values.yaml": "replicas: 1\nimage: nginx:1\n",
    "crds/ponds.yaml": """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ponds.example.com}
spec:
  group: example.com
  names: {kind: Pond, plural: ponds}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
""",
    "templates/deployment.yaml": """
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec: {containers: [{name: c, image: {{ .Values.image | quote }}}]}
""",
    "templates/pond.yaml": "{apiVersion: example.com/v1, kind: Pond, metadata: {name: deep}}\n",
    "templates/hook.yaml": """
apiVersion: batch/v1
kind: Job
metadata:
  name: prepare
  annotations: {helm.sh/hook: pre-install, helm.sh/hook-delete-policy: hook-succeeded}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: c, image: busybox, command: ["true"]}]}
""",
    "templates/NOTES.txt": "{{ .Values.replicas }} replicas of {{ .Values.image }}\n",
}

Helm = Callable[..., str]


@pytest.fixture
def helm(served: Served, tmp_path: Path) -> Helm:
    """Returns a function that calls helm in a folder with a chart."""
    binary = go_install("helm.sh/helm/v3", "v3.21.0", "./cmd/helm")
    for name, text in FILES.items():
        path = tmp_path / "chart" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    environment = {**os.environ, "HOME": str(tmp_path), "KUBECONFIG": str(served.kubeconfig)}

    def call(*words: str) -> str:
        done = subprocess.run(
            [binary, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=10 * PATIENCE_S
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return call


def deployment(served: Served) -> dict[str, Any]:
    spec: dict[str, Any] = served.ask("GET", f"{DEPLOYMENTS}/mine").json["spec"]
    return {"replicas": spec["replicas"], "image": spec["template"]["spec"]["containers"][0]["image"]}


def test_a_release_is_installed_upgraded_rolled_back_and_uninstalled(helm: Helm, served: Served) -> None:
    wait = ("--wait", "--timeout", "5m")
    assert "1 replicas of nginx:1" in helm("install", "mine", "chart", *wait)
    assert deployment(served) == {"replicas": 1, "image": "nginx:1"}
    assert served.ask("GET", "/apis/example.com/v1/namespaces/default/ponds/deep").status == 200
    assert served.ask("GET", "/apis/batch/v1/namespaces/default/jobs/prepare").status == 404

    helm("upgrade", "mine", "chart", "--set", "replicas=3,image=nginx:2", *wait)
    assert deployment(served) == {"replicas": 3, "image": "nginx:2"}
    helm("rollback", "mine", "1", *wait)
    assert deployment(served) == {"replicas": 1, "image": "nginx:1"}
    history = json.loads(helm("history", "mine", "-o", "json"))
    assert [each["status"] for each in history] == ["superseded", "superseded", "deployed"]

    helm("uninstall", "mine", *wait)
    assert json.loads(helm("list", "-o", "json")) == []
    assert served.ask("GET", f"{DEPLOYMENTS}/mine").status == 404
    assert served.ask("GET", "/apis/example.com/v1/namespaces/default/ponds").json["items"] == []
