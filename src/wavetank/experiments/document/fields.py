"""The fields of the Experiment document, apart from nodes, generators and sweeps."""

from __future__ import annotations

from wavetank.cluster.releases import NEWEST, OLDEST, SERVED, version_name
from wavetank.documents.fieldtable import NONE, REQUIRED, FieldTable

TOP = FieldTable(
    ("apiVersion", "text", REQUIRED, "`wavetank.dev/v1alpha1`"),
    ("kind", "text", REQUIRED, "`Experiment`"),
    ("metadata", "mapping", "{}", "the experiment's name"),
    ("spec", "mapping", REQUIRED, "what is run"),
)

METADATA = FieldTable(
    ("name", "text", "the file's name", "names the folder of results, `out/<name>`"),
    ("annotations", "texts by name", "{}", "yours; not read"),
    ("labels", "texts by name", "{}", "yours; not read"),
)

_RELEASES = f'the release to behave like, `"{version_name(OLDEST)}"` to `"{version_name(NEWEST)}"`'

SPEC = FieldTable(
    ("cluster", "mapping", REQUIRED, "the nodes, and whatever else is there when a run begins"),
    ("workload", "mapping", REQUIRED, "the pods and jobs that are submitted"),
    ("schedulers", "list", "[{name: default}]", "what is tried: each of them under each seed"),
    ("seeds", "list, or text such as 1-5,9", "[1]", "what chance begins with; the same seed gives the same bytes"),
    ("latency", "text or mapping", "ideal", "how long things take: a preset (`ideal`, `k3s`) or distributions"),
    ("kubernetesVersion", "text", f'"{version_name(NEWEST)}"', _RELEASES),
    (
        "ties",
        "text",
        "random",
        "`random`: any of the best nodes; `exact`: the one that kube-scheduler takes at parallelism 1",
    ),
    ("faults", "list", "[]", "nodes that fail, are cordoned or drained"),
    ("horizon", "duration", NONE, "when a run ends at the latest"),
    ("controllers", "text, list or mapping", '"*"', "built-in controllers that are on, or a real controller manager"),
    ("execution", "text", "kubelet", "whose nodes run the pods: `kubelet` or `k8ssim`"),
    ("sweep", "mapping", NONE, "the scenarios in which `wavetank sweep` tries everything"),
    ("assert", "list of texts", "[]", "what must hold of the results, such as `p95_waiting_time_s < 60`"),
)

CLUSTER = FieldTable(
    ("nodes", "list", NONE, "groups of equal nodes"),
    ("file", "file", NONE, "a file of nodes and other objects"),
    ("files", "list of files", NONE, "several of them"),
    ("objects", "list of manifests", NONE, "Kubernetes objects written in place"),
    ("format", "text", "told by the content", "the format of the files"),
    ("options", "mapping", "{}", "options of that format"),
)

WORKLOAD = FieldTable(
    ("file", "file", NONE, "a file of pods or jobs"),
    ("files", "list of files", NONE, "several at once"),
    ("generator", "mapping", NONE, "pods or jobs drawn at random"),
    ("generators", "list", NONE, "several of them, merged in the order of time"),
    ("format", "text", "told by the content", "the format of the files"),
    ("lenient", "true or false", "false", "leave out and count entries that cannot be used"),
    ("options", "mapping", "{}", "options of the format, such as `podsPerJob: one`"),
    ("events", "file", NONE, "Batsim's external events, which cordon and uncordon nodes"),
    ("inflate", "mapping", NONE, "make the pods ask for a share of the cluster, all at once"),
)

SCHEDULER = FieldTable(
    ("name", "text", REQUIRED, "of its folder in the results; alone, the name of a scheduler of `wavetank schedulers`"),
    ("config", "file or mapping", NONE, "a KubeSchedulerConfiguration"),
    ("policy", "text", NONE, "a scheduler of `wavetank schedulers`, under another name or with `args`"),
    ("python", "text", NONE, "`module:Class`, a policy of yours"),
    ("volcano", "mapping", NONE, "Volcano's scheduler"),
    ("process", "mapping", NONE, "a real program in the loop"),
    ("together", "list", NONE, "several schedulers side by side on one cluster"),
    ("args", "mapping", "{}", "arguments of `policy` or `python`"),
    ("schedulerName", "text", NONE, "in a part of `together`: the pods that it is responsible for"),
)

VOLCANO = FieldTable(
    ("conf", "file or text", "the compiled-in one", "a volcano-scheduler.conf"),
    ("period", "duration", "1s", "the time between two sessions"),
    ("strict", "true or false", "true", "false: without any of Volcano's known defects"),
    ("without", "list of texts", "[]", "defects that it shall not have, by name"),
)

PROCESS = FieldTable(
    ("package", "text", NONE, "the name under which `wavetank scheduler build` built it"),
    ("binary", "file", NONE, "the program of a kube-scheduler, as it is"),
    ("command", "list of texts", NONE, "any command; `{kubeconfig}`, `{server}`, `{config}` stand for what it needs"),
    ("listen", "text", NONE, "HOST:PORT at which a program comes by itself; with `sync`"),
    ("version", "text", "required with package", f"its release of Kubernetes, such as `{SERVED.tag}`"),
    ("config", "file or mapping", NONE, "a KubeSchedulerConfiguration, which is completed"),
    ("args", "list of texts", "[]", "more arguments"),
    ("patience", "duration", "60s", "how long it may run, in real time, without getting quiet"),
    ("sync", "mapping", "{mode: lockstep}", "how it keeps step with the simulation"),
)

SYNC = FieldTable(
    (
        "mode",
        "text",
        REQUIRED,
        "`lockstep`: in turns; `timestep`: by real time, with Batkube's parameters below",
    ),
    ("timeout-value", "duration", "20ms", "real time that the scheduler has at most to decide, in each cycle"),
    ("min-delay", "duration", "0", "real time that it has at least"),
    ("base-simulation-timestep", "duration", "100ms", "the first time step without a decision"),
    ("max-simulation-timestep", "duration", "20s", "the longest one"),
    ("backoff-multiplier", "number", "2", "by which the time step grows while there is no decision"),
    ("fast-forward-on-no-pending-jobs", "true or false", "false", "jump to the next event while no pod waits"),
    ("detect-scheduler-deadlock", "true or false", "false", "end the run if it does not react to pods that wait"),
    ("scheduler-crash-timeout", "duration", "5s", "real time after which it counts as not reacting"),
    ("batsky-endpoint", "text", NONE, "where batsky-go asks for the time"),
)

MANAGER = FieldTable(
    ("package", "text", "kube-controller-manager", "the name under which `wavetank scheduler build` built it"),
    ("version", "text", REQUIRED, "its release of Kubernetes"),
    ("controllers", "text or list", "those that make pods and let them go", "what it does; all the rest is built-in"),
    ("args", "list of texts", "[]", "more arguments"),
    ("patience", "duration", "60s", "how long it may run, in real time, without getting quiet"),
)

LATENCY = FieldTable(
    ("attempt", "distribution", "0", "a scheduling attempt; the next one begins after it"),
    ("bind", "distribution", "0", "a binding at the API server; the scheduler goes on meanwhile"),
    ("patch", "distribution", "0", "a status patch, which the scheduler waits for"),
    ("delete", "distribution", "0", "a deletion, in preemption"),
    ("sync", "distribution", "0", "from the binding until the kubelet begins with the pod"),
    ("pull_check", "distribution", "0", "asking the registry for an image"),
    ("start", "distribution", "0", "creating and starting the containers"),
    ("finish", "distribution", "0", "from their end until it is in the pod's status"),
    ("bandwidth", "quantity", NONE, "bytes per second of a missing image; without it a pull takes no time"),
    ("image_bytes", "quantity", "100Mi", "size of an image that no node lists"),
)

FAULT = FieldTable(
    ("at", "duration", REQUIRED, "when it happens"),
    ("for", "duration", NONE, "after what time `fail`, `cordon` or `drain` is undone"),
    ("fail", "node, or list of nodes", NONE, "is gone, with its pods"),
    ("recover", "node, or list of nodes", NONE, "comes back"),
    ("cordon", "node, or list of nodes", NONE, "takes no new pods"),
    ("uncordon", "node, or list of nodes", NONE, "takes pods again"),
    ("drain", "node, or list of nodes", NONE, "takes no new pods, and those on it are evicted"),
)
