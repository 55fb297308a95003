"""Scripts of containers are run in simulated time."""

from __future__ import annotations

import pytest

from wavetank.kernel.durations import SECOND
from wavetank.nodes.commands import CommandRun, Surroundings, command_of

DEFAULT = 99 * SECOND


def run(script: str, **variables: str) -> CommandRun:
    return command_of({"command": ["sh", "-c", script]}, DEFAULT, Surroundings(tuple(variables.items())))


def printed(script: str, **variables: str) -> list[str]:
    return [line for _, line in run(script, **variables).output]


@pytest.mark.parametrize(
    ("script", "lines"),
    [
        pytest.param("echo a b", ["a b"], id="words"),
        pytest.param("echo 'a  b' \"c  d\"", ["a  b c  d"], id="quotes keep blanks"),
        pytest.param("x=1; echo $x ${x}2 '$x' \"$x\" ${y:-z}", ["1 12 $x 1 z"], id="variables"),
        pytest.param("echo $(echo inner) `echo old`", ["inner old"], id="commands"),
        pytest.param("echo $((2 * (3 + 4))) $(expr 7 % 2)", ["14 1"], id="arithmetic"),
        pytest.param("if [ 1 -eq 2 ]; then echo a; elif true; then echo b; else echo c; fi", ["b"], id="if"),
        pytest.param("for i in 1 2 $(seq 3 4); do echo $i; done", ["1", "2", "3", "4"], id="for"),
        pytest.param("i=0; while [ $i -lt 2 ]; do echo $i; i=$((i + 1)); done", ["0", "1"], id="while"),
        pytest.param("until false; do echo x; break; done", ["x"], id="until and break"),
        pytest.param("true && echo yes || echo no", ["yes"], id="and"),
        pytest.param("false && echo yes || echo no", ["no"], id="or"),
        pytest.param("! false && echo yes", ["yes"], id="not"),
        pytest.param("echo a > /tmp/f; echo b >> /tmp/f; cat /tmp/f", ["a", "b"], id="files"),
        pytest.param("[ -f /tmp/f ] || echo none; touch /tmp/f; [ -f /tmp/f ] && echo one", ["none", "one"], id="test"),
        pytest.param("echo hi | cat", ["hi"], id="a pipe"),
        pytest.param("echo gone > /dev/null; echo err >&2", ["err"], id="devices"),
        pytest.param("{ echo a; (echo b); } # a comment", ["a", "b"], id="groups"),
        pytest.param("seq 3 > /f; wc -l /f | awk '{print $1}'", ["3"], id="columns"),
        pytest.param("echo a b | grep a; echo c | grep -q a || echo none", ["a b", "none"], id="grep"),
        pytest.param("f() { echo in f; }\nf; f", ["in f", "in f"], id="functions"),
        pytest.param("printf '%s-%d\\n' a 1", ["a-1"], id="printf"),
    ],
)
def test_a_script_prints(script: str, lines: list[str]) -> None:
    assert printed(script) == lines


def test_time_goes_on_with_sleep_only() -> None:
    ran = run("echo a; sleep 2; echo b; sleep 1m; exit 3")
    assert ran.output == ((0, "a"), (2 * SECOND, "b"))
    assert (ran.duration, ran.exit_code, ran.heeds) == (62 * SECOND, 3, False)


def test_variables_come_from_the_container() -> None:
    script = "if [ $(expr ${INDEX} % 2) -ne 0 ]; then exit 1; else exit 0; fi"
    assert [run(script, INDEX=str(index)).exit_code for index in range(4)] == [0, 1, 0, 1]


def test_a_loop_without_an_end_runs_for_ever() -> None:
    ran = run("while true; do echo polo; sleep 2; done")
    assert ran.duration is None
    assert ran.output[:2] == ((0, "polo"), (2 * SECOND, "polo"))


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("if ./ready; then exit 1; fi", id="a condition"),
        pytest.param("./check || exit 1", id="an or"),
        pytest.param("case $1 in a) exit 1;; esac", id="case"),
        pytest.param("cat <<END\nEND\nexit 1", id="a here-document"),
        pytest.param("exit $(./code)", id="a program's output"),
        pytest.param("echo 'no end", id="not a script"),
        pytest.param("echo $((1 / 0)); exit 1", id="a division by zero"),
        pytest.param("echo $((2 ** 99999999)); exit 1", id="a power"),
    ],
)
def test_a_script_that_cannot_be_read_runs_for_the_default(script: str) -> None:
    ran = run(script)
    assert (ran.duration, ran.exit_code) == (DEFAULT, 0)


def test_background_commands_take_time_only_if_they_are_waited_for() -> None:
    assert run("sleep 10 & exit 0").duration == 0
    assert run("sleep 10 & sleep 3; wait").duration == 10 * SECOND


def test_a_trap_makes_a_script_heed_signals() -> None:
    assert run("trap 'exit 0' TERM; sleep 100").heeds


def test_references_in_a_command_are_expanded_without_a_shell() -> None:
    container = {"command": ["echo", "$(A) $(B) $$(A)"]}
    assert command_of(container, None, Surroundings((("A", "a"),))).output == ((0, "a $(B) $(A)"),)


def test_the_last_output_is_the_message_of_an_error_if_the_policy_says_so() -> None:
    ran = run("echo why; exit 1")
    assert ran.message_of(1, "FallbackToLogsOnError") == "why"
    assert ran.message_of(1, "File") == ran.message_of(0, "FallbackToLogsOnError") == ""
