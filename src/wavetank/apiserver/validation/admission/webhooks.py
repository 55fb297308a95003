"""MutatingWebhookConfigurations and ValidatingWebhookConfigurations."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from wavetank.apiserver.fielderrors import duplicate, invalid, required, unsupported
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.admission.expressions import AUTHORIZER, check_conditions, variables_of
from wavetank.apiserver.validation.admission.rules import FAILURE_POLICIES, MATCH_POLICIES, check_rule
from wavetank.apiserver.validation.errors import Document, Errors, structs
from wavetank.apiserver.validation.metadata import check_metadata, check_selector

_REVIEWS = ("v1", "v1beta1")
_NO_SIDE_EFFECTS = ("None", "NoneOnDryRun")
_SIDE_EFFECTS = ("None", "NoneOnDryRun", "Some", "Unknown")
_REINVOCATIONS = ("IfNeeded", "Never")
_LONGEST_TIMEOUT_S = 30
_HIGHEST_PORT = 65535
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_URL_FORM = "; desired format: https://host[/path]"


@dataclass(frozen=True)
class _Strictness:
    """What must hold for new webhooks, and for changed ones only if it held before."""

    conditions: bool = True
    side_effects: bool = True
    versions: bool = True
    unique_names: bool = True


def check_webhooks(configuration: Document) -> Errors:
    """Checks a new configuration of either kind."""
    yield from _check(configuration, _Strictness())


def check_webhooks_update(new: Document, old: Document) -> Errors:
    """Checks a changed configuration: what was wrong with the old one may stay wrong."""
    before, after = old.get("webhooks") or [], new.get("webhooks") or []
    strictness = _Strictness(
        conditions=[each.get("matchConditions") for each in before] != [each.get("matchConditions") for each in after],
        side_effects=all(each.get("sideEffects") in _NO_SIDE_EFFECTS for each in before),
        versions=all(set(_REVIEWS) & set(each.get("admissionReviewVersions") or ()) for each in before),
        unique_names=len({each.get("name") for each in before}) == len(before),
    )
    yield from _check(new, strictness)


def _check(configuration: Document, strictness: _Strictness) -> Errors:
    yield from check_metadata(configuration["metadata"], False, names.subdomain_problems)
    seen: set[str] = set()
    for index, hook in enumerate(configuration.get("webhooks") or ()):
        path, name = f"webhooks[{index}]", hook.get("name") or ""
        yield from _check_name(name, f"{path}.name")
        yield from _check_choices(hook, path, strictness)
        yield from _check_selectors(hook, path)
        yield from _check_client(hook.get("clientConfig") or {}, f"{path}.clientConfig")
        if strictness.conditions:
            variables = {**variables_of(), **AUTHORIZER}
            yield from check_conditions(hook.get("matchConditions") or [], f"{path}.matchConditions", variables)
        stated = hook.get("admissionReviewVersions") or []
        yield from _check_versions(stated, f"{path}.admissionReviewVersions", strictness.versions)
        if strictness.unique_names and name and name in seen:
            yield duplicate(f"{path}.name", name)
        seen.add(name)


def _check_name(name: str, path: str) -> Errors:
    if not name:
        yield required(path)
    elif problems := names.subdomain_problems(name):
        yield invalid(path, name, ",".join(problems))
    elif name.count(".") < 2:
        yield invalid(path, name, "should be a domain with at least three segments separated by dots")


def _check_choices(hook: Document, path: str, strictness: _Strictness) -> Errors:
    for where, rule in structs(hook, path, "rules"):
        yield from check_rule(rule, where)
    for name, choices in (("failurePolicy", FAILURE_POLICIES), ("matchPolicy", MATCH_POLICIES)):
        if hook.get(name) is not None and hook[name] not in choices:
            yield unsupported(f"{path}.{name}", hook[name], choices)
    allowed = _NO_SIDE_EFFECTS if strictness.side_effects else _SIDE_EFFECTS
    effects = hook.get("sideEffects")
    if effects is None:
        yield required(f"{path}.sideEffects", f"must specify one of {', '.join(allowed)}")
    elif effects not in allowed:
        yield unsupported(f"{path}.sideEffects", effects, allowed)
    timeout = hook.get("timeoutSeconds")
    if timeout is not None and not 1 <= timeout <= _LONGEST_TIMEOUT_S:
        yield invalid(f"{path}.timeoutSeconds", timeout, "the timeout value must be between 1 and 30 seconds")
    again = hook.get("reinvocationPolicy")
    if again is not None and again not in _REINVOCATIONS:
        yield unsupported(f"{path}.reinvocationPolicy", again, _REINVOCATIONS)


def _check_selectors(hook: Document, path: str) -> Errors:
    for name in ("namespaceSelector", "objectSelector"):
        yield from check_selector(hook.get(name), f"{path}.{name}")


def _check_client(client: Document, path: str) -> Errors:
    url, service = client.get("url"), client.get("service")
    if (url is None) == (service is None):
        yield required(path, "exactly one of url or service is required")
    elif url is not None:
        yield from _check_url(url, f"{path}.url")
    else:
        yield from _check_service(service or {}, f"{path}.service")


def _check_url(url: str, path: str) -> Errors:
    try:
        parts = urlsplit(url)
    except ValueError as error:
        yield required(path, f"url must be a valid URL: {error}{_URL_FORM}")
        return
    # a webhook that is tried on the same machine needs no certificate here
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        yield invalid(path, parts.scheme, f"'https' is the only allowed URL scheme{_URL_FORM}")
    user, at, host = parts.netloc.rpartition("@")
    if not host:
        yield invalid(path, host, f"host must be specified{_URL_FORM}")
    if at:
        yield invalid(path, user, f"user information is not permitted in the URL{_URL_FORM}")
    if parts.fragment:
        yield invalid(path, parts.fragment, f"fragments are not permitted in the URL{_URL_FORM}")
    if parts.query:
        yield invalid(path, parts.query, f"query parameters are not permitted in the URL{_URL_FORM}")


def _check_service(service: Document, path: str) -> Errors:
    for name in ("name", "namespace"):
        if not service.get(name):
            yield required(f"{path}.{name}")
    port = service.get("port", 443)
    if not 1 <= port <= _HIGHEST_PORT:
        yield invalid(f"{path}.port", port, "port is not valid: must be between 1 and 65535, inclusive")
    below = service.get("path")
    if below is None:
        return
    segments = below[1:].removesuffix("/").split("/")  # without its first character, whatever it is
    if not below.startswith("/"):
        yield invalid(f"{path}.path", below, "must start with a '/'")
    if below in ("", "/"):
        return
    for index, segment in enumerate(segments):
        if not segment:
            yield invalid(f"{path}.path", below, f"segment[{index}] may not be empty")
        elif problems := names.subdomain_problems(segment):
            yield invalid(f"{path}.path", below, f"segment[{index}]: {'; '.join(problems)}")


def _check_versions(versions: list[str], path: str, known: bool) -> Errors:
    if not versions:
        yield required(path, f"must specify one of {', '.join(_REVIEWS)}")
        return
    for index, version in enumerate(versions):
        if version in versions[:index]:
            yield invalid(f"{path}[{index}]", version, "duplicate version")
        else:
            yield from (invalid(f"{path}[{index}]", version, each) for each in names.label_1035_problems(version))
    if known and not set(_REVIEWS) & set(versions):
        yield invalid(path, versions, f"must include at least one of {', '.join(_REVIEWS)}")
