from __future__ import annotations

import gc
import secrets
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wavetank.apiserver.admission.chain import ALL_PLUGINS, DEFAULT_PLUGINS
from wavetank.apiserver.clock.pacing import Pacing, parse_speed
from wavetank.apiserver.features import read_features
from wavetank.apiserver.http.authentication import Authenticator
from wavetank.apiserver.http.kubeconfig import Access, write_kubeconfig
from wavetank.apiserver.http.server import App as ServedApp
from wavetank.apiserver.http.server import listen, make_server
from wavetank.apiserver.http.tls import Authority
from wavetank.apiserver.http.webhooks import HttpWebhooks
from wavetank.apiserver.http.websocket import WatchProtocol
from wavetank.cli.activity import Activity, ShownApp
from wavetank.cli.addresses import is_loopback, own_addresses, url_of, warn_of_network
from wavetank.cli.console import console, errors
from wavetank.cli.options import read_flags, read_scheduler
from wavetank.cli.outputoptions import settings
from wavetank.cli.sessionstate import check_state_alone, open_state, state_options
from wavetank.cluster.manifests import load_documents, read_text
from wavetank.cluster.releases import NEWEST, SERVED, Version, version_name
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.controllers.descriptors import check_flags, read_names
from wavetank.errors import InputError
from wavetank.experiments.document.structures.nodegroups import make_groups
from wavetank.experiments.document.structures.nodepools import make_provisioning
from wavetank.experiments.document.structures.servednodes import ServedNodesDocument
from wavetank.experiments.document.structures.values import parse_version
from wavetank.experiments.kernels import compile_kernels
from wavetank.results.write.outfolder import check_out
from wavetank.scheduling.attachable import Attachable
from wavetank.simulation.latency.model import parse_latency
from wavetank.simulation.latency.presets import PRESETS
from wavetank.simulation.metrics.document import MetricsSpec
from wavetank.simulation.metrics.setting import MetricsSetting
from wavetank.simulation.served.cluster import ServedCluster, ServedSetting
from wavetank.ui.login import OneTimeLogin
from wavetank.ui.served import make_app
from wavetank.workloads.open import open_cluster

if TYPE_CHECKING:
    from wavetank.cli.sessionrecording import SessionRecording

KUBECONFIG = Path("wavetank.kubeconfig")

_EXAMPLES = """\b
Examples:
  wavetank serve --cluster nodes.yaml
  wavetank serve --cluster nodes.yaml --speed 60 --scheduler best-fit
  wavetank serve --cluster nodes.yaml --scheduler none      # and attach one of your own
  wavetank serve --node-groups groups.yaml --speed 10       # machines, and perhaps the cluster autoscaler
  wavetank serve --bare --port 8001 --token secret          # nothing happens unless a client does it
  export KUBECONFIG=$PWD/wavetank.kubeconfig; kubectl get nodes
  wavetank clock advance 1h
  wavetank serve --cluster nodes.yaml --record out/session  # a report of what clients did, at the end
  wavetank serve --cluster nodes.yaml --state ~/cluster     # goes on where it stopped when it is started again
"""


@click.command(name="serve", epilog=_EXAMPLES)
@click.option("--cluster", multiple=True, type=click.Path(path_type=Path), help="A file with nodes; may be repeated.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8001,
    show_default=True,
    help="The port to listen on; 0 picks a free one.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--scheduler",
    default="default",
    show_default=True,
    metavar="NAME|CONFIG.yaml|MODULE:CLASS|none",
    help="The scheduler, or none to attach your own.",
)
@click.option(
    "--kubernetes-version",
    "release",
    metavar="VERSION",
    default=version_name(NEWEST),
    show_default=True,
    help=f"The Kubernetes release of the scheduler, as in `wavetank run`; the API is always that of {SERVED.name}.",
)
@click.option("--own-pods-only", is_flag=True, help="The scheduler leaves pods with another schedulerName to others.")
@click.option(
    "--controllers",
    metavar="LIST|none",
    default="*",
    show_default=True,
    help="The enabled controllers, as for kube-controller-manager: *,-deployment-controller enables all but one.",
)
@click.option(
    "--controller-flags",
    metavar="LIST",
    default="",
    help="Flags of kube-controller-manager for the pod autoscaler: horizontal-pod-autoscaler-sync-period=30s.",
)
@click.option(
    "--kubelets",
    type=click.Choice(["on", "off"]),
    default="on",
    show_default=True,
    help="Simulated kubelets, which run bound pods.",
)
@click.option(
    "--metrics",
    type=click.Choice(["on", "off"]),
    default="on",
    show_default=True,
    help="The metrics APIs, for kubectl top and autoscalers.",
)
@click.option(
    "--metrics-file",
    type=click.Path(path_type=Path),
    help="A YAML file with loads of pods, custom and external metrics.",
)
@click.option(
    "--node-groups",
    type=click.Path(path_type=Path),
    help="A YAML file with nodeGroups and autoscaler (machines of Cluster API) or nodePools, as in an Experiment.",
)
@click.option(
    "--latency",
    metavar="PRESET",
    default="ideal",
    show_default=True,
    help=f"The latency model: {' or '.join(PRESETS)}.",
)
@click.option(
    "--kubeconfig",
    type=click.Path(path_type=Path),
    default=KUBECONFIG,
    show_default=True,
    help="The kubeconfig file to write.",
)
@click.option("--bare", is_flag=True, help="Only the API: no scheduler, no kubelets, no controllers.")
@click.option(
    "--admission",
    type=click.Choice(["simple", "full"]),
    default="simple",
    show_default=True,
    help="full: the admission plugins of a real server; pods need service accounts, and new nodes are not ready.",
)
@click.option(
    "--authorization",
    type=click.Choice(["allow", "rbac"]),
    default="allow",
    show_default=True,
    help="rbac: roles restrict users; the user of the token may do everything.",
)
@click.option(
    "--feature-gates", metavar="LIST", default="", help="Feature gates, as for kube-apiserver: HPAScaleToZero=true."
)
@click.option(
    "--webhook-service",
    "webhook_services",
    metavar="NAMESPACE/NAME=URL",
    multiple=True,
    help="Where webhooks of a Service are, e.g. my-system/webhook-service=https://127.0.0.1:9443.  [repeatable]",
)
@click.option("--speed", metavar="N|max", default="1", show_default=True, help="Simulated seconds per real second.")
@click.option("--paused", is_flag=True, help="Start with the clock paused; `wavetank clock resume` starts it.")
@click.option("--token", metavar="T", help="The token that clients need.  [default: a random one]")
@click.option("--no-auth", is_flag=True, help="Accept requests without a token.")
@click.option(
    "--tls/--http",
    default=True,
    show_default=True,
    help="HTTPS with a certificate that the kubeconfig trusts, or plain HTTP, to which not every client sends a token.",
)
@click.option(
    "--record",
    metavar="OUT",
    type=click.Path(path_type=Path),
    help="Write results and a report of the session into the folder OUT at its end (Ctrl-C or SIGTERM).",
)
@state_options
def command(
    cluster: tuple[Path, ...],
    port: int,
    host: str,
    scheduler: str,
    release: str,
    own_pods_only: bool,
    controllers: str,
    controller_flags: str,
    kubelets: str,
    metrics: str,
    metrics_file: Path | None,
    node_groups: Path | None,
    latency: str,
    kubeconfig: Path,
    bare: bool,
    admission: str,
    authorization: str,
    feature_gates: str,
    webhook_services: tuple[str, ...],
    speed: str,
    paused: bool,
    token: str | None,
    no_auth: bool,
    tls: bool,
    record: Path | None,
    state: Path | None,
    state_sync: str,
) -> None:
    """Serve the Kubernetes API of a simulated cluster, for kubectl, schedulers and other clients."""
    if token is not None and no_auth:
        raise click.UsageError("--token and --no-auth cannot be used together")
    if token is not None and not token.strip():
        raise click.UsageError("--token: expected a text")
    check_state_alone(state, record, node_groups)
    if record is not None:
        check_out(record)
    secret = None if no_auth else token or secrets.token_urlsafe(24)
    pace = _speed(speed)
    guard = Authenticator(secret, host)
    version = _version(release)
    setting = _setting(cluster, scheduler, version, controllers, kubelets == "on", latency, bare)
    plugins = ALL_PLUGINS if admission == "full" else DEFAULT_PLUGINS
    features = read_features(feature_gates, source="--feature-gates")
    setting = replace(
        setting, plugins=plugins, rbac=authorization == "rbac", metrics=metrics == "on", features=features
    )
    setting = replace(setting, flags=_read_flags(controller_flags), own_pods_only=own_pods_only)
    setting = replace(setting, webhooks=_webhooks(webhook_services))
    if node_groups is not None:
        if bare:
            raise click.UsageError("--node-groups and --bare cannot be used together")
        setting = _with_node_groups(setting, node_groups)
    if metrics_file is not None:
        setting = replace(setting, measured=_read_metrics(metrics_file))
    if setting.schedulers:
        compile_kernels()  # which would keep clients waiting later
    recording = _recording(record)
    activity = None if settings.quiet else Activity(errors, settings.verbose)
    recorder = None if recording is None else recording.recorder
    observers = [each for each in (recorder, activity) if each is not None]
    authority = Authority()
    setting = replace(setting, authority=authority)
    kept = None if state is None else open_state(state, state_sync)
    gc.freeze()  # modules are not looked at when clusters that were replaced by going back are freed
    served = ServedCluster(setting, guard.authenticate, observers=observers, state=kept)
    if recording is not None:
        recording.begin(served)
    pacing = Pacing(served.clock, pace, paused)
    login = OneTimeLogin(secret)
    again = None if activity is None else lambda made: activity.join(made.world.context)
    barrier = "the session is recorded (--record)" if recording is not None else ""
    barrier = barrier or ("the state is kept (--state)" if kept is not None else "")
    keep = None if kept is None else kept.journal.commit
    app: ServedApp = make_app(served, guard, pacing, secret, login, again, barrier, keep)
    if activity is not None:
        app = ShownApp(app, activity, pacing)
    with ExitStack() as stack:
        if kept is not None:
            stack.callback(kept.close)
            kept.journal.commit()
        listening = stack.enter_context(listen(host, port))
        certificate, local = None, is_loopback(host)
        if tls:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            certificate = authority.issue(folder, host, *own_addresses(host))
        warn_of_network("--host", host, secret=secret is not None, tls=tls)
        access = Access(url_of(host, listening, tls), secret, authority.certificate if tls else None)
        write_kubeconfig(kubeconfig, access)
        # browsers do not know the authority: on loopback the page needs none
        server = make_server(app, certificate, WatchProtocol, plain_too=local)
        _announce(access, kubeconfig, login.link(f"{url_of(host, listening, tls and not local)}/ui/"))
        server.serve_on(listening)
    if recording is not None:
        recording.write(setting)


def _recording(out: Path | None) -> SessionRecording | None:
    if out is None:
        return None
    from wavetank.cli.sessionrecording import SessionRecording  # with the report, a tenth of the start

    return SessionRecording(out)


def _webhooks(services: tuple[str, ...]) -> HttpWebhooks:
    """Reads NAMESPACE/NAME=URL of the Services of webhooks."""
    urls: dict[str, str] = {}
    for text in services:
        name, found, url = text.partition("=")
        if not found or name.count("/") != 1 or not url.startswith(("http://", "https://")):
            raise InputError(f"expected NAMESPACE/NAME=URL, got {text!r:.80}", source="--webhook-service")
        urls[name] = url
    return HttpWebhooks(urls)


def _read_flags(text: str) -> dict[str, str]:
    """Reads name=value,name=value; what the controllers would refuse later is refused at once."""
    flags = read_flags(text)
    try:
        check_flags(flags)
    except InputError as error:
        raise error.inside(source="--controller-flags") from None
    return flags


def _with_node_groups(setting: ServedSetting, file: Path) -> ServedSetting:
    try:
        read = ServedNodesDocument.read(_only_document(file), "")
        groups = make_groups(read.node_groups, "nodeGroups")
        provisioning = make_provisioning(read.node_pools, read.provisioner, "")
        if read.autoscaler is not None:
            Options.from_flags(read.autoscaler, "autoscaler")
    except InputError as error:
        raise (error if error.source else error.inside(source=str(file))) from None
    given = replace(setting, autoscaler_flags=read.autoscaler, provisioning=provisioning)
    return given if provisioning is not None and not groups else replace(given, node_groups=groups)


def _only_document(file: Path) -> object:
    documents = load_documents(read_text(file), str(file))
    if len(documents) != 1:
        raise InputError(f"expected one document, found {len(documents)}", source=str(file))
    return documents[0]


def _read_metrics(file: Path) -> MetricsSetting:
    document = _only_document(file)
    try:
        return MetricsSpec.read(document, "").setting(file.parent)
    except InputError as error:
        raise (error if error.source else error.inside(source=str(file))) from None


def _speed(text: str) -> float | None:
    try:
        return parse_speed(text)
    except InputError as error:
        raise InputError(error.message, source="--speed") from None


def _version(text: str) -> Version:
    try:
        return parse_version(text, "")
    except InputError as error:
        raise InputError(error.message, source="--kubernetes-version") from None


def _setting(
    cluster: tuple[Path, ...],
    scheduler: str,
    version: Version,
    controllers: str,
    kubelets: bool,
    latency: str,
    bare: bool,
) -> ServedSetting:
    files = open_cluster(list(cluster)) if cluster else None
    if bare:
        return ServedSetting(files, version=version)
    try:
        model = parse_latency(latency, "")
    except InputError as error:
        raise InputError(error.message, source="--latency") from None
    return ServedSetting(files, _schedulers(scheduler, version), kubelets, _controllers(controllers), model, version)


def _controllers(text: str) -> frozenset[str]:
    try:
        return read_names(text)
    except InputError as error:
        raise InputError(error.message, source="--controllers") from None


def _schedulers(scheduler: str, version: Version) -> tuple[Attachable, ...]:
    return () if scheduler == "none" else read_scheduler(scheduler, version)


def _announce(access: Access, kubeconfig: Path, page: str) -> None:
    """Prints where the server is; it listens already, and answers a moment later."""
    console.print(f"serving:    {access.server}", soft_wrap=True, highlight=False)
    console.print(f"kubeconfig: {kubeconfig}", soft_wrap=True, highlight=False)
    console.print(f"page:       {page}", soft_wrap=True, highlight=False)
    console.print(f"try:        kubectl --kubeconfig {kubeconfig} get nodes", soft_wrap=True, highlight=False)
    console.print("Ctrl-C ends it", highlight=False)
    console.file.flush()
