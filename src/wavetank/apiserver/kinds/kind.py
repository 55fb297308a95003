"""A kind as the API server knows it: its names, verbs, subresources and schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wavetank.cluster.objects.groupkinds import NAMESPACE, GroupKind

if TYPE_CHECKING:
    from wavetank.apiserver.custom.customtype import CustomType
    from wavetank.apiserver.schemas.schema import Schema


@dataclass(frozen=True, slots=True)
class Subresource:
    """A path below an object, such as `scale`; its documents may be of another kind than the object's."""

    name: str
    group: str
    version: str
    kind: str
    verbs: tuple[str, ...]
    schema: Schema = field(repr=False, compare=False)

    @property
    def api_version(self) -> str:
        """Returns the apiVersion of the documents, "v1" or "autoscaling/v1"."""
        return _api_version(self.group, self.version)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind in one served version; the store holds all versions of a kind under one GroupKind.

    `custom` says how documents of custom resources are read and served; None for built-in kinds.
    `features` are the feature gates that are on.
    """

    group: str
    version: str
    kind: str
    plural: str
    singular: str
    namespaced: bool
    verbs: tuple[str, ...]
    schema: Schema = field(repr=False, compare=False)
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: Mapping[str, Subresource] = field(default_factory=dict, compare=False)
    custom: CustomType | None = field(default=None, repr=False, compare=False)
    features: frozenset[str] = field(default=frozenset(), repr=False, compare=False)

    @property
    def list_kind(self) -> str:
        """Returns the kind of a list of such objects."""
        return self.custom.list_kind if self.custom is not None else f"{self.kind}List"

    @property
    def api_version(self) -> str:
        """Returns "v1" or "apps/v1"."""
        return _api_version(self.group, self.version)

    @property
    def group_kind(self) -> GroupKind:
        """Returns the kind with its group: "Pod", "Deployment.apps"."""
        return f"{self.kind}.{self.group}" if self.group else self.kind

    def namespace_of(self, namespace: str, name: str) -> str:
        """Returns the namespace that a request is about, given that of its path; a Namespace counts as in itself."""
        return name if self.group_kind == NAMESPACE else namespace

    @property
    def resource(self) -> str:
        """Returns what error messages call it: "pods", "deployments.apps"."""
        return f"{self.plural}.{self.group}" if self.group else self.plural


def _api_version(group: str, version: str) -> str:
    return f"{group}/{version}" if group else version
