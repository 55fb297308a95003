from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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
