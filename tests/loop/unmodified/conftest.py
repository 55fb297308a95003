from __future__ import annotations

import subprocess
import sys
from platform import machine

import pytest

from wavetank.kernel.lifetime import die_with_parent
from wavetank.loop.tracing.followed import Followed
from wavetank.loop.tracing.tracing import ask_for_tracing


@pytest.fixture(autouse=True, scope="session")
def virtual_time():
    """Skips where the machine cannot put an unmodified program on virtual time."""
    if sys.platform != "linux" or machine() != "x86_64":
        pytest.skip("unmodified programs need Linux on x86-64")
    process = subprocess.Popen(["true"], preexec_fn=lambda: (die_with_parent(), ask_for_tracing()))
    try:
        Followed(process.pid, lambda program: None).end()
    except OSError as error:
        pytest.skip(f"this machine does not allow ptrace: {error}")
    finally:
        process.kill()
        process.wait()
