from __future__ import annotations

from wavetank.cluster.objects.groupkinds import SERVICE_ACCOUNT
from wavetank.controllers.serviceaccounts.pernamespace import PerNamespaceObject


class ServiceAccounts(PerNamespaceObject):
    """The serviceaccount-controller: a ServiceAccount `default` in every namespace."""

    kind = SERVICE_ACCOUNT
    name = "default"
