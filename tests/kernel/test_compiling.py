from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = """
import sys
import numpy as np
from wavetank.kernel.compiling import compiled

@compiled()
def halves(numbers, by):
    found = np.empty(len(numbers), np.int64)
    for i in range(len(numbers)):
        found[i] = _half(numbers[i], by)
    return found

@compiled()
def _half(number, by):
    return number // by

print(halves(np.arange(4), 2), end=" ")
try:
    halves(np.arange(4), 0)
except ZeroDivisionError as error:
    print(error, end=" ")
print("numba.np.arraymath" in sys.modules)
"""


def test_what_is_on_disk_is_loaded_without_what_compiles(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(_PROGRAM)
    outputs = [subprocess.check_output([sys.executable, program], text=True) for _ in range(2)]
    assert outputs == ["[0 0 1 1] integer division by zero True\n", "[0 0 1 1] integer division by zero False\n"]


def test_arguments_of_another_kind_are_compiled_for(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(_PROGRAM + "print(halves(np.arange(4.0), 2.0))")
    outputs = [subprocess.check_output([sys.executable, program], text=True) for _ in range(2)]
    assert [output.splitlines()[1] for output in outputs] == ["[0 0 1 1]"] * 2


_WITHOUT_PRIVATE_PARTS = {
    "no runtime": "import numba.core.runtime as runtime; del runtime.rtsys",
    "no cache": "import numba.core.ccallback, numba.core.caching as caching; del caching.FunctionCache",
    "a runtime of another kind": "import wavetank.kernel.numbacache as own; own.rtsys = None",
    "a dispatcher of another kind": """
made = numba.njit
def njit(cache=False):
    return lambda function: made(cache=True)(function) if cache else function
numba.njit = njit
""",
}


@pytest.mark.parametrize("change", _WITHOUT_PRIVATE_PARTS.values(), ids=_WITHOUT_PRIVATE_PARTS)
def test_a_numba_without_its_private_parts_gives_the_same_results(tmp_path: Path, change: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"import numba\n{change}\n{_PROGRAM}")
    outputs = [subprocess.check_output([sys.executable, program], text=True) for _ in range(2)]
    assert {output.rsplit(maxsplit=1)[0] for output in outputs} == {"[0 0 1 1] integer division by zero"}
    assert list(tmp_path.rglob("*.nbc")), "the compiled code is kept on disk"
