"""What an error quotes from the log of a program."""

from __future__ import annotations

from pathlib import Path

import pytest

from wavetank.loop.processes.process import tail_of

RAISED_AGAIN = """\
I0101 started
panic: invalid memory address [recovered, repanicked]
[signal SIGSEGV]

goroutine 441 [running]:
k8s.io/apimachinery/pkg/util/runtime.handleCrash(...)
\truntime.go:114 +0x1a9
panic({0x1d6e520?, 0x356a5e0?})
\truntime/panic.go:860 +0x13a
example.org/queue.(*Cohort).Root(0x23?)
\tcohort.go:41 +0xe
example.org/queue.Order(...)
\torder.go:105
main.main()
"""


@pytest.mark.parametrize(
    ("log", "tail"),
    [
        pytest.param(
            "".join(f"line {i}\n" for i in range(7)), "line 2 | line 3 | line 4 | line 5 | line 6", id="lines"
        ),
        pytest.param(
            RAISED_AGAIN,
            "panic: invalid memory address [recovered, repanicked] | example.org/queue.(*Cohort).Root(0x23?) | "
            "cohort.go:41 +0xe | example.org/queue.Order(...) | order.go:105",
            id="a panic that was recovered and raised again",
        ),
        pytest.param(
            "up\npanic: no\n\ngoroutine 1\nmain.main()\n", "panic: no | goroutine 1 | main.main()", id="a panic"
        ),
    ],
)
def test_the_end_of_a_log_or_the_cause_of_a_panic(tmp_path: Path, log: str, tail: str) -> None:
    (tmp_path / "log").write_text(log)
    assert tail_of(tmp_path / "log") == tail
