"""Clusters as small as a test needs them: nodes of 4 CPUs and 8Gi, pods of 1 CPU and 1Gi, release 1.35."""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

from click.testing import CliRunner

from wavetank.cli.main import cli, main

# what NodeResourcesFit and NodeResourcesBalancedAllocation give to a node that would then hold so many such pods:
# ((4 - n) / 4 + (8 - n) / 8) / 2 in percent, floored twice, and 100 less half the distance of n / 4 and n / 8
FIT = {1: 81, 2: 62, 3: 43, 4: 25}
BALANCED = {1: 93, 2: 87, 3: 81, 4: 75}


def write(path, *objects):
    path.write_text(json.dumps(list(objects)))
    return path


def explain(*args):
    """The command in this process: returns what it printed; its errors are raised."""
    done = CliRunner().invoke(cli, ["explain", *map(str, args)], standalone_mode=False, catch_exceptions=False)
    if done.exception:
        raise done.exception
    return done.stdout


def explained(folder, cluster, pods, *args, choices=None):
    """The attempts in the JSON of the command, in their order."""
    files = ["--cluster", write(folder / "cluster.json", *cluster), "--pods", write(folder / "pods.json", *pods)]
    if choices is not None:
        (folder / "choices.json").write_text(json.dumps(choices))
        files += ["--choices", folder / "choices.json"]
    return json.loads(explain(*files, "--kubernetes-version", "1.35", "-o", "json", *args))["pods"]


def table(folder, cluster, pods, *args):
    """The printed tables of the command."""
    files = ["--cluster", write(folder / "cluster.json", *cluster), "--pods", write(folder / "pods.json", *pods)]
    return explain(*files, "--kubernetes-version", "1.35", *args)


class Done(NamedTuple):
    status: int
    stdout: str
    stderr: str


def wavetank(*args):
    """The whole command line in this process, with its errors as a user sees them."""
    stdout, stderr = io.StringIO(), io.StringIO()
    argv, sys.argv = sys.argv, ["wavetank", *map(str, args)]
    try:
        with redirect_stdout(stdout), redirect_stderr(stderr):
            main()
    except SystemExit as ended:
        return Done(int(ended.code or 0), stdout.getvalue(), stderr.getvalue())
    finally:
        sys.argv = argv
    raise AssertionError("main always exits")
