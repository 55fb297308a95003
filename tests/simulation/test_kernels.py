from __future__ import annotations

from wavetank.experiments.kernels import are_compiled, compile_kernels


def test_once_compiled_they_are_found_on_the_disk() -> None:
    compile_kernels()
    assert are_compiled()
