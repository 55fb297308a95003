from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import click
import yaml

from wavetank.batchoperator.applications.simulated.definitions import application_definitions
from wavetank.batchoperator.applications.simulated.operator import FLAVORS, SimulatedOperator
from wavetank.batchoperator.applications.work import parse_work
from wavetank.batchoperator.client.remote.client import RemoteClient
from wavetank.batchoperator.client.remote.connection import Connection, UnreachableError
from wavetank.batchoperator.client.remote.kubeconfig import default_path, read_server
from wavetank.batchoperator.esi.interface import Interface
from wavetank.batchoperator.esi.runtimes import ThreadedRuntime
from wavetank.batchoperator.extender.server import ExtenderServer
from wavetank.batchoperator.operator import BatchOperator, required_objects
from wavetank.batchoperator.realtime import RealTimeLoop
from wavetank.batchoperator.reconcilers.context import OperatorContext, OperatorOptions
from wavetank.cli.addresses import warn_of_network
from wavetank.cli.console import console, print_json
from wavetank.cli.externalscheduler import InterfaceOptions, interface_options, read_address
from wavetank.cli.outputoptions import json_option
from wavetank.cluster.objects.groupkinds import NODE
from wavetank.cluster.store.errors import AlreadyExistsError, ApiError
from wavetank.errors import InputError

_EXAMPLES = """\b
Examples:
  wavetank operator install --print > batch-operator.yaml
  wavetank operator install --kubeconfig wavetank.kubeconfig
  wavetank operator run --kubeconfig wavetank.kubeconfig
  wavetank operator run --extender 127.0.0.1:8090 --simulate-applications --work 90s
  wavetank operator run --interface 127.0.0.1:8082 --token secret
  wavetank operator simulate experiment.yaml --speed 60
"""


@click.group(name="operator", epilog=_EXAMPLES)
def command() -> None:
    """Queue Spark and Flink jobs on reserved slots of a cluster, simulated or real.

    The batch operator keeps testbeds (ghost pods that reserve slots), runs Schedulings (queues of
    jobs) and BatchJobs, and answers the extender calls of kube-scheduler.
    """


def _cluster_options(function: Callable[..., None]) -> Callable[..., None]:
    for option in (
        click.option("--context", help="The context of the kubeconfig.  [default: its current one]"),
        click.option(
            "--kubeconfig",
            type=click.Path(path_type=Path),
            help="The cluster.  [default: $KUBECONFIG, or ~/.kube/config]",
        ),
    ):
        function = option(function)
    return function


@command.command(epilog=_EXAMPLES)
@_cluster_options
@click.option("--print", "only_print", is_flag=True, help="Print the objects as YAML; no cluster is needed.")
@click.option("--applications", is_flag=True, help="Also the definitions of Spark and Flink applications.")
@json_option
def install(kubeconfig: Path | None, context: str | None, only_print: bool, applications: bool, as_json: bool) -> None:
    """Create the definitions and priority classes that the operator needs.

    Objects that exist already are left as they are. The definitions of SparkApplication,
    FlinkCluster and FlinkDeployment come with their own operators; --applications creates open
    ones, for clusters on which applications are simulated.
    """
    objects = [*required_objects(), *(application_definitions() if applications else ())]
    if only_print and as_json:
        print_json(objects)
        return
    if only_print:
        click.echo(yaml.safe_dump_all(objects, sort_keys=False), nl=False)
        return
    client = _connect(kubeconfig, context)
    outcomes = []
    for document in objects:
        outcomes.append({"kind": document["kind"], "name": _name(document), "outcome": _create(client, document)})
        if not as_json:
            console.print("{kind} {name}: {outcome}".format_map(outcomes[-1]), highlight=False)
    if as_json:
        print_json(outcomes)


@command.command(epilog=_EXAMPLES)
@_cluster_options
@click.option("--extender", default="127.0.0.1:8090", show_default=True, help="The address of the extender: HOST:PORT.")
@click.option(
    "--form",
    type=click.Choice(["labels", "spec"]),
    default="labels",
    show_default=True,
    help="How claims and creation requests are written.",
)
@click.option(
    "--scheduler-name",
    default="external-scheduler",
    show_default=True,
    help="The schedulerName of pods that go into slots.",
)
@click.option("--simulate-applications", is_flag=True, help="Also simulate the Spark and Flink operators.")
@click.option("--work", default="60s", show_default=True, help="The run time of simulated applications.")
@interface_options
def run(
    kubeconfig: Path | None,
    context: str | None,
    extender: str,
    form: Any,
    scheduler_name: str,
    simulate_applications: bool,
    work: str,
    interface: str,
    namespace: str,
    api_group: str,
    token: str | None,
    no_auth: bool,
) -> None:
    """Run the operator on a cluster until Ctrl-C.

    kube-scheduler must be configured with the printed extender, for a profile with the scheduler
    name. Claims are read in both published forms. External schedulers use the printed interface.
    """
    host, port = read_address(extender, "--extender")
    time = parse_work(work)
    client = _connect(kubeconfig, context)
    _reach(client)
    loop = RealTimeLoop(client)
    options = OperatorOptions(form=form, scheduler_name=scheduler_name)
    operator = BatchOperator(OperatorContext(client, loop.clock, options))
    if simulate_applications:
        for flavor in FLAVORS:
            SimulatedOperator(client, loop.clock, flavor, time)
    with ExitStack() as stack:
        stack.callback(client.close)
        server = ExtenderServer(host, port, operator.extender.call, client.lock)
        stack.callback(server.close)
        warn_of_network("--extender", host, secret=False)
        click.echo(f"extender:  {server.url}")
        served = InterfaceOptions(interface, namespace, api_group, token, no_auth).listen(partial(Interface, client))
        served.serve(ThreadedRuntime(loop, client.lock))


@command.command(epilog=_EXAMPLES)
@click.argument("experiment", type=click.Path(path_type=Path))
@click.option(
    "--scheduler",
    metavar="NAME",
    help="One of the experiment's schedulers.  [default: only kube-scheduler with the operator's extender]",
)
@click.option("--seed", type=click.IntRange(min=0), help="The seed.  [default: the experiment's first]")
@click.option("--speed", metavar="N|max", default="1", show_default=True, help="Simulated seconds per real second.")
@interface_options
def simulate(
    experiment: Path,
    scheduler: str | None,
    seed: int | None,
    speed: str,
    interface: str,
    namespace: str,
    api_group: str,
    token: str | None,
    no_auth: bool,
) -> None:
    """Serve the interface of a simulated operator.

    The operator is that of the experiment, whose clock follows yours.
    External schedulers, and the page in a browser, work with the simulated cluster as with a real
    one. Nothing is recorded; `wavetank run` does that.
    """
    from wavetank.cli.simulatedoperator import serve_experiment  # takes a second to import

    serve_experiment(
        experiment, scheduler, seed, speed, InterfaceOptions(interface, namespace, api_group, token, no_auth)
    )


def _connect(kubeconfig: Path | None, context: str | None) -> RemoteClient:
    return RemoteClient(Connection(read_server(kubeconfig or default_path(), context)))


def _reach(client: RemoteClient) -> None:
    """Asks the server for a node; InputError if there is no answer, since the operator would wait without a word."""
    try:
        client.get(NODE, "", "any")
    except UnreachableError as error:
        client.close()
        raise InputError(str(error)) from None
    except ApiError:
        pass  # it may have no right to read nodes


def _create(client: RemoteClient, document: dict[str, Any]) -> str:
    try:
        client.create(document)
    except AlreadyExistsError:
        return "exists"
    except ApiError as error:
        raise InputError(f"{document['kind']} {_name(document)} cannot be created: {error}") from None
    return "created"


def _name(document: dict[str, Any]) -> str:
    return str(document["metadata"]["name"])
