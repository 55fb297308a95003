"""Volcano's Jobs: PodGroups and pods, dependencies, policies, retries, phases, as in Volcano 1.15."""

from random import Random

import pytest

from tests.support.clusters import Cluster
from wavetank.cluster.objects.pod import FAILED, PENDING, RUNNING, SUCCEEDED
from wavetank.cluster.objects.podbehavior import PodBehavior
from wavetank.controllers.descriptors import start_controllers
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.storeclient import StoreClient

JOBS, GROUPS = "Job.batch.volcano.sh", "PodGroup.scheduling.volcano.sh"


def a_task(name="worker", replicas=2, **more):
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "500m", "memory": "1Gi"}}}
    template = {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [container], "restartPolicy": "Never"}}
    return {"name": name, "replicas": replicas, "template": template, **more}


def a_job(*tasks, labels=None, annotations=None, **spec):
    metadata = {"name": "train", "namespace": "default", "labels": labels or {}, "annotations": annotations or {}}
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": metadata,
        "spec": {"tasks": list(tasks) or [a_task()], **spec},
    }


class VolcanoJobCluster(Cluster):
    """A cluster with Volcano's job controller on it, whose scheduler and kubelets the test plays."""

    def __init__(self, job=None):
        super().__init__()
        self.told = []
        client = StoreClient(self.store, Random(0), lambda pod: None)
        context = ControllerContext(self.store, client, record_event=lambda about, *what: self.told.append(what[:3]))
        start_controllers(context, ["volcano-job-controller"])
        self.create(job or a_job())
        self.run()

    @property
    def job(self):
        return self.store.get(JOBS, "default", "train")

    @property
    def status(self):
        return self.job.manifest.get("status") or {}

    @property
    def phase(self):
        return self.status["state"]["phase"]

    @property
    def group(self):
        return self.store.find(GROUPS, "default", f"train-{self.job.uid}")

    @property
    def pods(self):
        return {pod.name: pod for pod in self.store.list("Pod") if pod.deleted is None}

    def enqueue(self, phase="Inqueue"):
        new = self.group.copy()
        new.manifest = {**new.manifest, "status": {"phase": phase}}
        if hasattr(new, "status"):
            new.status = {"phase": phase}
        self.store.update(new)
        self.run()

    def set(self, phase, *names, exit_code=0):
        for name in names or list(self.pods):
            new = self.store.get("Pod", "default", name).copy()
            new.phase, new.node_name = phase, "n"
            new.behavior = PodBehavior(0, exit_code)
            self.store.update(new)
        self.run()

    def remove_deleted(self):
        for pod in list(self.store.list("Pod")):
            if pod.deleted is not None:
                self.store.delete(pod)
        self.run()

    def start_job(self):
        """Lets the job run: as many pods as it asks for."""
        self.enqueue()
        self.set(RUNNING)
        return self


def test_pods_are_made_when_the_scheduler_has_let_the_group_in():
    cluster = VolcanoJobCluster()
    assert cluster.phase == "Pending"
    assert not cluster.pods
    cluster.enqueue("Pending")
    assert not cluster.pods
    cluster.enqueue("Inqueue")
    assert list(cluster.pods) == ["train-worker-0", "train-worker-1"]
    assert cluster.status["pending"] == 2
    assert cluster.status["taskStatusCount"] == {"worker": {"phase": {"Pending": 2}}}


def test_a_pod_is_marked_as_volcano_does():
    cluster = VolcanoJobCluster(
        a_job(queue="q", annotations={"volcano.sh/preemptable": "false"}, priorityClassName="high")
    )
    cluster.enqueue()
    pod = cluster.pods["train-worker-1"]
    marks = {"volcano.sh/task-index": "1", "volcano.sh/task-spec": "worker", "volcano.sh/job-name": "train"}
    assert dict(pod.annotations) == {
        **marks,
        "volcano.sh/queue-name": "q",
        "scheduling.k8s.io/group-name": f"train-{cluster.job.uid}",
        "volcano.sh/job-version": "0",
        "volcano.sh/template-uid": "train-worker",
        "volcano.sh/job-retry-count": "0",
        "volcano.sh/preemptable": "false",
    }
    assert pod.labels == {"app": "x", **marks, "volcano.sh/queue-name": "q", "volcano.sh/job-namespace": "default"}
    (owner,) = pod.manifest["metadata"]["ownerReferences"]
    assert (owner["apiVersion"], owner["kind"], owner["uid"]) == ("batch.volcano.sh/v1alpha1", "Job", cluster.job.uid)
    assert pod.spec.scheduler_name == "volcano"
    assert pod.spec.priority_class == "high"


@pytest.mark.parametrize(
    ("tasks", "needed", "expected"),
    [
        pytest.param([a_task(replicas=3)], None, {"cpu": "1500m", "memory": "3Gi"}, id="all by default"),
        pytest.param([a_task(replicas=3)], 2, {"cpu": "1", "memory": "2Gi"}, id="the first two"),
        pytest.param(
            [a_task("a", 2, minAvailable=1), a_task("b", 2, minAvailable=1)],
            3,
            {"cpu": "1500m", "memory": "3Gi"},
            id="what the tasks need, and one more",
        ),
    ],
)
def test_the_group_asks_for_what_the_job_needs_at_least(tasks, needed, expected):
    cluster = VolcanoJobCluster(a_job(*tasks, **({} if needed is None else {"minAvailable": needed})))
    spec = cluster.group.manifest["spec"]
    assert spec["minResources"] == expected
    total = sum(task.get("minAvailable", task["replicas"]) for task in tasks)
    assert spec["minMember"] == (total if needed is None else needed)
    assert spec["queue"] == "default"


def test_a_job_runs_and_completes():
    cluster = VolcanoJobCluster().start_job()
    assert cluster.phase == "Running"
    assert cluster.status["running"] == 2
    cluster.set(SUCCEEDED, "train-worker-0")
    assert cluster.phase == "Running"
    cluster.set(SUCCEEDED, "train-worker-1")
    assert cluster.phase == "Completed"
    assert cluster.status["succeeded"] == 2
    assert [condition["status"] for condition in cluster.status["conditions"]] == ["Pending", "Running", "Completed"]
    assert cluster.group is None
    assert len(cluster.pods) == 2  # for people to look at


@pytest.mark.parametrize(
    ("spec", "succeed", "phase"),
    [
        pytest.param({"minAvailable": 2}, 2, "Completed", id="all"),
        pytest.param({"minAvailable": 2}, 1, "Failed", id="one is not enough"),
        pytest.param({"minAvailable": 1, "minSuccess": 1}, 1, "Completed", id="minSuccess"),
    ],
)
def test_a_job_fails_if_too_few_pods_succeed(spec, succeed, phase):
    cluster = VolcanoJobCluster(a_job(a_task(minAvailable=spec["minAvailable"]), **spec)).start_job()
    for i in range(2):
        cluster.set(SUCCEEDED if i < succeed else FAILED, f"train-worker-{i}")
    assert cluster.phase == phase


def test_dependencies_hold_tasks_back_until_the_others_run():
    cluster = VolcanoJobCluster(
        a_job(a_task("master", 1), a_task("worker", 2, dependsOn={"name": ["master"]}), minAvailable=1)
    )
    cluster.enqueue()
    assert list(cluster.pods) == ["train-master-0"]
    cluster.set(RUNNING)
    assert list(cluster.pods) == ["train-master-0", "train-worker-0", "train-worker-1"]


@pytest.mark.parametrize(("iteration", "made"), [("any", True), ("all", False)])
def test_a_task_waits_for_any_or_all_of_several(iteration, made):
    waiting = a_task("c", 1, dependsOn={"name": ["a", "b"], "iteration": iteration})
    cluster = VolcanoJobCluster(a_job(a_task("a", 1), a_task("b", 1), waiting, minAvailable=1))
    cluster.enqueue()
    cluster.set(RUNNING, "train-a-0")
    assert ("train-c-0" in cluster.pods) is made


@pytest.mark.parametrize(
    ("action", "phases"),
    [
        pytest.param("AbortJob", ["Aborting", "Aborted"], id="abort"),
        pytest.param("TerminateJob", ["Terminating", "Terminated"], id="terminate"),
        pytest.param("CompleteJob", ["Completing", "Completed"], id="complete"),
        pytest.param("RestartJob", ["Restarting", "Restarting"], id="restart: until the new group is let in"),
    ],
)
def test_a_policy_of_the_job_says_what_a_failed_pod_means(action, phases):
    cluster = VolcanoJobCluster(a_job(policies=[{"event": "PodFailed", "action": action}])).start_job()
    cluster.set(FAILED, "train-worker-0", exit_code=1)
    seen = [cluster.phase]
    cluster.remove_deleted()
    assert [*seen, cluster.phase] == phases
    assert ("Normal", "ExecuteAction", f"Start to execute action {action} ") in cluster.told
    if action == "RestartJob":
        assert cluster.status["retryCount"] == 1
        cluster.enqueue()
        assert cluster.phase == "Pending"
        assert [pod.phase for pod in cluster.pods.values()] == [PENDING, PENDING]
        assert cluster.pods["train-worker-0"].annotations["volcano.sh/job-version"] == "1"


def test_restarts_end_after_max_retry():
    cluster = VolcanoJobCluster(a_job(policies=[{"event": "PodFailed", "action": "RestartJob"}], maxRetry=2))
    for _ in range(2):
        cluster.start_job()
        cluster.set(FAILED, "train-worker-0", exit_code=1)
        cluster.remove_deleted()
    assert cluster.phase == "Failed"
    assert cluster.status["retryCount"] == 2


def test_only_a_task_is_restarted():
    tasks = [a_task("a", 1), a_task("b", 1, policies=[{"event": "PodFailed", "action": "RestartTask"}])]
    cluster = VolcanoJobCluster(a_job(*tasks, minAvailable=1)).start_job()
    before = cluster.pods["train-a-0"].uid
    cluster.set(FAILED, "train-b-0", exit_code=1)
    cluster.remove_deleted()
    cluster.enqueue()
    assert cluster.pods["train-a-0"].uid == before
    assert cluster.pods["train-b-0"].phase == PENDING


def test_the_task_has_the_first_word_and_an_exit_code_may_decide():
    policies = [{"event": "PodFailed", "action": "AbortJob"}]
    own = [{"exitCode": 3, "action": "CompleteJob"}]
    for code, phase in ((3, "Completed"), (1, "Aborted")):
        cluster = VolcanoJobCluster(a_job(a_task(policies=own), policies=policies)).start_job()
        cluster.set(FAILED, "train-worker-0", exit_code=code)
        cluster.remove_deleted()
        assert cluster.phase == phase


def test_the_completion_of_a_task_may_complete_the_job():
    master = a_task("master", 1, policies=[{"event": "TaskCompleted", "action": "CompleteJob"}])
    cluster = VolcanoJobCluster(a_job(master, a_task("worker", 2))).start_job()
    cluster.set(SUCCEEDED, "train-master-0")
    assert cluster.phase == "Completing"
    assert list(cluster.pods) == ["train-master-0"]  # the workers are told to stop
    cluster.remove_deleted()
    assert cluster.phase == "Completed"


def test_an_evicted_pod_is_made_again_unless_a_policy_says_otherwise():
    for policies, phase in (([], "Pending"), ([{"event": "PodEvicted", "action": "TerminateJob"}], "Terminated")):
        cluster = VolcanoJobCluster(a_job(policies=policies)).start_job()
        cluster.store.delete(cluster.pods["train-worker-0"])
        cluster.run()
        cluster.remove_deleted()
        assert cluster.phase == phase
    assert not cluster.pods


@pytest.mark.parametrize(("retries", "phase"), [(None, "Aborting"), (5, "Running"), (-1, "Running")])
def test_a_task_has_failed_when_its_containers_were_restarted_too_often(retries, phase):
    task = a_task(**({} if retries is None else {"maxRetry": retries}))
    cluster = VolcanoJobCluster(a_job(task, policies=[{"event": "TaskFailed", "action": "AbortJob"}])).start_job()
    new = cluster.pods["train-worker-0"].copy()
    new.restarts = 3
    cluster.store.update(new)
    cluster.run()
    assert cluster.phase == phase


def test_a_pod_that_waits_too_long():
    policies = [{"event": "PodPending", "action": "AbortJob", "timeout": "30s"}]
    cluster = VolcanoJobCluster(a_job(policies=policies))
    cluster.enqueue()
    cluster.run(20)
    cluster.set(RUNNING, "train-worker-0", "train-worker-1")
    cluster.run(20)
    assert cluster.phase == "Running"
    cluster = VolcanoJobCluster(a_job(policies=policies))
    cluster.enqueue()
    cluster.run(31)
    cluster.remove_deleted()
    assert cluster.phase == "Aborted"


def test_a_finished_job_lives_for_its_time():
    cluster = VolcanoJobCluster(a_job(ttlSecondsAfterFinished=60)).start_job()
    cluster.set(SUCCEEDED)
    cluster.run(59)
    assert cluster.phase == "Completed"
    cluster.run(2)
    assert cluster.store.find(JOBS, "default", "train") is None


def test_scaling_down_deletes_and_scaling_up_makes_pods():
    cluster = VolcanoJobCluster(a_job(a_task(replicas=3), minAvailable=1)).start_job()
    for replicas in (1, 2):
        new = cluster.job.copy()
        new.manifest = {**new.manifest, "spec": {**new.manifest["spec"], "tasks": [a_task(replicas=replicas)]}}
        cluster.store.update(new)
        cluster.run()
        cluster.remove_deleted()
        assert len(cluster.pods) == replicas


def test_plugins_env_and_svc():
    cluster = VolcanoJobCluster(a_job(plugins={"env": [], "svc": []}))
    cluster.enqueue()
    spec = cluster.pods["train-worker-1"].manifest["spec"]
    assert spec["containers"][0]["env"] == [
        {"name": "VK_TASK_INDEX", "value": "1"},
        {"name": "VC_TASK_INDEX", "value": "1"},
    ]
    assert (spec["hostname"], spec["subdomain"]) == ("train-worker-1", "train")
    assert cluster.store.get("Service", "default", "train").manifest["spec"]["clusterIP"] == "None"
    assert cluster.status["controlledResources"] == {"plugin-env": "env", "plugin-svc": "svc"}


@pytest.mark.parametrize(
    ("job", "message"),
    [
        pytest.param(
            a_job(a_task("a", dependsOn={"name": ["b"]}), a_task("b", dependsOn={"name": ["a"]})),
            "job has dependencies between tasks, but doesn't form a directed acyclic graph(DAG);"
            " these wait for each other: a, b;",
            id="a circle",
        ),
        pytest.param(
            a_job(a_task("a", dependsOn={"name": ["z"]})),
            "task a depends on task z, which is not in the job;",
            id="an unknown dependency",
        ),
        pytest.param(a_job(a_task("a"), a_task("a")), "duplicated task name a;", id="twins"),
        pytest.param(
            a_job(minAvailable=9),
            "job 'minAvailable' should not be greater than total replicas in tasks;",
            id="more than there are",
        ),
        pytest.param(a_job(plugins={"nope": []}), "unable to find job plugin: nope;", id="an unknown plugin"),
        pytest.param(
            a_job(policies=[{"event": "PodFaild", "action": "AbortJob"}]),
            'spec.policies: Invalid value: "PodFaild": invalid policy event',
            id="an unknown event",
        ),
        pytest.param(a_job(policies=[{"action": "AbortJob"}]), "either event and exitCode should be", id="no event"),
        pytest.param(
            a_job(a_task(replicas=-1)), "spec.tasks[0].replicas: expected a whole number from 0", id="minus one"
        ),
    ],
)
def test_what_volcanos_admission_refuses_fails_at_once(job, message):
    cluster = VolcanoJobCluster(job)
    assert cluster.phase == "Failed"
    assert message in cluster.status["state"]["message"]
    assert cluster.told[0][1] == "InvalidJob"
    assert not cluster.pods
