from __future__ import annotations

from typing import Any

import pytest

from tests.workloads.inputs import a_manifest
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.workloads.manifests.behavior import behavior_of

FOREVER = None


def a_pod_running(*commands: list[str], init: list[list[str]] | None = None, **annotations: str) -> dict[str, Any]:
    spec = {"containers": [{"name": "c", "command": command} for command in commands]}
    if init:
        spec["initContainers"] = [{"name": "i", "command": command} for command in init]
    named = {f"wavetank.dev/{name.replace('_', '-')}": value for name, value in annotations.items()}
    return a_manifest(spec=spec) | {"metadata": {"name": "a", "annotations": named}}


@pytest.mark.parametrize(
    ("command", "seconds"),
    [
        pytest.param(["sleep", "30"], 30, id="seconds"),
        pytest.param(["/bin/sleep", "1.5m"], 90, id="minutes"),
        pytest.param(["sleep", "1h", "30s"], 3630, id="several times add up"),
        pytest.param(["sleep", "infinity"], FOREVER, id="infinity"),
        pytest.param(["sleep", "9999999999"], FOREVER, id="longer than any run"),
        pytest.param(["sleep", "$TIME"], FOREVER, id="a time that is not known"),
        pytest.param(["sh", "-c", "sleep 30"], 30, id="in a shell"),
        pytest.param(["/bin/bash", "-c", "echo hi; sleep 10 && sleep 5; exit 1"], 15, id="a script's sleeps add up"),
        pytest.param(["sh", "-c", "exec sleep 7"], 7, id="exec"),
        pytest.param(["sh", "-c", "while true; do sleep 1; done"], FOREVER, id="a loop"),
        pytest.param(["sh", "-c", "sleep 5 & wait"], 5, id="in the background"),
        pytest.param(["sh", "-c", "echo sleep 5"], 0, id="only talking of sleep"),
        pytest.param(["sh", "-ec", "echo 'sleep 5; sleep 6'; sleep 1"], 1, id="in quotation marks"),
        pytest.param(["sh", "-c", "python train.py; echo done"], FOREVER, id="a program that is not known"),
        pytest.param(["sh", "-c", "echo 'no end"], FOREVER, id="not a script"),
        pytest.param(["true"], 0, id="true"),
        pytest.param(["nginx"], FOREVER, id="a server"),
        pytest.param([], FOREVER, id="the image's own command"),
    ],
)
def test_a_container_sleeps_as_its_command_says(command: list[str], seconds: float | None) -> None:
    expected = None if seconds is None else seconds * SECOND
    assert behavior_of(a_pod_running(command)).duration == expected


@pytest.mark.parametrize(
    ("command", "code"),
    [
        pytest.param(["true"], 0, id="true"),
        pytest.param(["/bin/false"], 1, id="false"),
        pytest.param(["sh", "-c", "exit 3"], 3, id="exit"),
        pytest.param(["sh", "-c", "sleep 5; exit 2; sleep 7"], 2, id="after a sleep"),
        pytest.param(["sh", "-c", "false && exit 4"], 1, id="what fails ends an and-list"),
        pytest.param(["sh", "-c", "false; true"], 0, id="the last command counts"),
        pytest.param(["bash", "-c", "./train.sh\nexit 9"], 9, id="after a program that is not known"),
    ],
)
def test_a_container_ends_as_its_command_says(command: list[str], code: int) -> None:
    assert behavior_of(a_pod_running(command), default=SECOND).exit_code == code


def test_the_first_exit_code_that_is_not_0_is_the_pods() -> None:
    assert behavior_of(a_pod_running(["true"], ["sh", "-c", "exit 5"], ["false"])).exit_code == 5


def test_an_annotation_says_how_a_pod_ends_whatever_its_command() -> None:
    assert behavior_of(a_pod_running(["false"], exit_code="0")).exit_code == 0
    assert behavior_of(a_pod_running(["false"], duration="1m")).exit_code == 0


@pytest.mark.parametrize(
    ("pod", "seconds"),
    [
        pytest.param(a_pod_running(["sleep", "1"], ["sleep", "3"]), 3, id="the longest container counts"),
        pytest.param(a_pod_running(["sleep", "1"], ["nginx"]), FOREVER, id="one without an end"),
        pytest.param(
            a_pod_running(["sleep", "1"], init=[["sleep", "2"], ["sleep", "4"]]), 7, id="after the init containers"
        ),
        pytest.param(
            a_pod_running(["sleep", "1"], init=[["setup"]]), 1, id="an init container that tells nothing is quick"
        ),
        pytest.param(
            a_pod_running(["sleep", "1"], init=[["sleep", "inf"]]), FOREVER, id="an init container without an end"
        ),
        pytest.param(a_pod_running(["sleep", "1"], duration="2m"), 120, id="the annotation beats the command"),
    ],
)
def test_a_pod_takes_as_long_as_its_containers(pod: dict[str, Any], seconds: int | None) -> None:
    assert behavior_of(pod).duration == (None if seconds is None else seconds * SECOND)


def test_a_container_in_args_and_a_sidecar() -> None:
    sidecar = {"name": "s", "command": ["proxy"], "restartPolicy": "Always"}
    spec = {"containers": [{"name": "c", "command": ["sleep"], "args": ["5"]}], "initContainers": [sidecar]}
    assert behavior_of(a_manifest(spec=spec)).duration == 5 * SECOND


def test_a_default_is_for_containers_that_tell_nothing() -> None:
    assert behavior_of(a_pod_running(["work"]), default=9).duration == 9
    assert behavior_of(a_pod_running(["sleep", "infinity"]), default=9).duration is None


def test_annotations_say_how_it_ends() -> None:
    run = behavior_of(a_pod_running(["sleep", "1"], exit_code="3", termination="500ms"))
    assert (run.exit_code, run.termination) == (3, SECOND // 2)


@pytest.mark.parametrize(
    ("annotations", "message"),
    [
        pytest.param(
            {"duration": "soon"}, "metadata.annotations.wavetank.dev/duration: expected a duration", id="when"
        ),
        pytest.param({"exit_code": "256"}, "wavetank.dev/exit-code: expected an exit code, 0 to 255", id="code"),
        pytest.param({"termination": "-1s"}, "wavetank.dev/termination: a duration cannot be negative", id="end"),
    ],
)
def test_a_bad_annotation_is_refused(annotations: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        behavior_of(a_pod_running(["sleep", "1"], **annotations))
    assert message in str(caught.value)
