from __future__ import annotations

from typing import Any

from wavetank.apiserver.admission.attributes import Attributes, Document
from wavetank.apiserver.admission.plugin import Plugin
from wavetank.apiserver.validation.pods.pods import MIRROR
from wavetank.cluster.objects.groupkinds import SERVICE_ACCOUNT
from wavetank.cluster.objects.resource import Resource

_MOUNTED_AT = "/var/run/secrets/kubernetes.io/serviceaccount"
_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
_TOKEN_S = 3607  # an unusual value, by which kubelets recognize a token that the pod did not ask for


class ServiceAccount(Plugin):
    """Gives every pod a service account, and the account's token as a volume."""

    name = "ServiceAccount"

    def mutate(self, attributes: Attributes) -> None:
        """Completes a new pod; refuses it if its account does not exist."""
        if not attributes.is_write_of("Pod", "CREATE"):
            return
        metadata, spec = attributes.document["metadata"], attributes.document["spec"]
        if MIRROR in (metadata.get("annotations") or {}):
            if spec.get("serviceAccountName"):
                raise attributes.refused("a mirror pod may not reference service accounts")
            return
        name = spec.get("serviceAccountName") or "default"
        account = self.store.find(SERVICE_ACCOUNT, attributes.namespace, name)
        if account is None:
            where = f"{attributes.namespace}/{name}"
            raise attributes.refused(f'error looking up service account {where}: serviceaccount "{name}" not found')
        spec["serviceAccountName"] = spec["serviceAccount"] = name
        if _mounts_token(spec, account):
            self._mount(spec)
        secrets = account.manifest.get("imagePullSecrets")
        if secrets and not spec.get("imagePullSecrets"):
            spec["imagePullSecrets"] = [{"name": secret.get("name", "")} for secret in secrets]

    def _mount(self, spec: Document) -> None:
        volume = f"kube-api-access-{_suffix(self.store.version)}"
        containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
        without = [one for one in containers if not _is_mounted(one)]
        for container in without:
            mount = {"name": volume, "readOnly": True, "mountPath": _MOUNTED_AT}
            container["volumeMounts"] = [*(container.get("volumeMounts") or ()), mount]
        if without:
            spec["volumes"] = [*(spec.get("volumes") or ()), {"name": volume, "projected": _token_volume()}]


def _mounts_token(spec: Document, account: Resource) -> bool:
    for owner in (spec, account.manifest):
        if owner.get("automountServiceAccountToken") is not None:
            return bool(owner["automountServiceAccountToken"])
    return True


def _is_mounted(container: Document) -> bool:
    return any(mount.get("mountPath") == _MOUNTED_AT for mount in container.get("volumeMounts") or ())


def _token_volume() -> dict[str, Any]:
    namespace = {"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}
    sources = [
        {"serviceAccountToken": {"expirationSeconds": _TOKEN_S, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"downwardAPI": {"items": [namespace]}},
    ]
    return {"sources": sources, "defaultMode": 0o644}


def _suffix(version: int) -> str:
    """Returns five letters that differ from write to write, the same in every run."""
    letters = ""
    number = version * 7_919 + 104_729  # primes, so that consecutive suffixes look different
    for _ in range(5):
        number, digit = divmod(number, len(_ALPHABET))
        letters += _ALPHABET[digit]
    return letters
