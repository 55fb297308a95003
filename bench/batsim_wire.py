"""Job events per second on the wire of `wavetank batsim`, with a trivial scheduler in another process.

    python bench/batsim_wire.py [--jobs 20000] [--together 1]

`--together` jobs are submitted, and end, at the same instant, so they share messages. A job event is a JOB_SUBMITTED or
a JOB_COMPLETED. Beside it stand what the scheduler alone takes to read and answer the same messages, and the bare round
trips of ZeroMQ between two processes: with one event in a message nothing can be faster than that. With `--pybatsim
PROGRAM` the scheduler is pybatsim's filler.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import subprocess
import tempfile
import time
from pathlib import Path

import zmq

from wavetank.batsim.run import BatsimRun, simulate
from wavetank.batsim.sockets import Requester

MACHINES = 64
PLATFORM = """<platform version="4.1"><zone id="z" routing="Full"><host id="master_host" speed="1f"/>
<cluster id="c" prefix="n" suffix="" radical="0-63" speed="1Gf"/></zone></platform>"""


def schedule(endpoint: str, seconds: multiprocessing.Queue[float]) -> None:
    """Starts each job at once on the machine of its number."""
    socket = zmq.Context().socket(zmq.REP)
    socket.bind(endpoint)
    spent, over = 0.0, False
    while not over:
        text = socket.recv()
        began = time.process_time()
        message = json.loads(text)
        answers = []
        for event in message["events"]:
            if event["type"] == "JOB_SUBMITTED":
                job = event["data"]["job_id"]
                alloc = str(int(job[3:]) % MACHINES)
                data = {"job_id": job, "alloc": alloc}
                answers.append({"timestamp": message["now"], "type": "EXECUTE_JOB", "data": data})
            over = over or event["type"] == "SIMULATION_ENDS"
        answer = json.dumps({"now": message["now"], "events": answers})
        spent += time.process_time() - began
        socket.send_string(answer)
    seconds.put(spent)


def echo(endpoint: str) -> None:
    """Sends back what it receives, until it is told to stop."""
    socket = zmq.Context().socket(zmq.REP)
    socket.bind(endpoint)
    while (text := socket.recv()) != b"stop":
        socket.send(text)


def round_trips(endpoint: str, number: int = 5000) -> float:
    """Returns how many messages of 200 bytes are answered in a second."""
    other = multiprocessing.Process(target=echo, args=(endpoint,))
    other.start()
    socket = zmq.Context().socket(zmq.REQ)
    socket.connect(endpoint)
    socket.send(b" " * 200)
    socket.recv()
    began = time.perf_counter()
    for _ in range(number):
        socket.send(b" " * 200)
        socket.recv()
    speed = number / (time.perf_counter() - began)
    socket.send(b"stop")
    other.join()
    return speed


def write_inputs(folder: Path, jobs: int, together: int) -> tuple[Path, Path]:
    """Writes a platform and a workload of jobs that are over before their machine is needed again."""
    platform, workload = folder / "p.xml", folder / "w.json"
    platform.write_text(PLATFORM)
    rows = [{"id": i, "subtime": 1 + i // together * 0.01, "res": 1, "profile": "d"} for i in range(jobs)]
    workload.write_text(json.dumps({"nb_res": 1, "jobs": rows, "profiles": {"d": {"type": "delay", "delay": 0.004}}}))
    return platform, workload


def main() -> None:
    """Measures once and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=20_000)
    parser.add_argument("--together", type=int, default=1)
    parser.add_argument("--pybatsim", help="the program pybatsim")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, endpoint = Path(name), "tcp://127.0.0.1:28773"
        run = BatsimRun(*_files(folder, arguments), prefix=str(folder / "x"), schedule_trace=False)
        seconds: multiprocessing.Queue[float] = multiprocessing.Queue()
        other: subprocess.Popen[bytes] | multiprocessing.Process
        if arguments.pybatsim:
            command = [arguments.pybatsim, "fillerSched", "-s", endpoint, "-t", "60000", "-v", "error"]
            other = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        else:
            other = multiprocessing.Process(target=schedule, args=(endpoint, seconds))
            other.start()
        with Requester(endpoint, 30) as scheduler:
            began, used = time.perf_counter(), time.process_time()
            simulate(run, scheduler)
            wall, used = time.perf_counter() - began, time.process_time() - used
        events = 2 * arguments.jobs
        print(f"{events / wall:,.0f} job events/s on the wire ({events / used:,.0f} per CPU second of the simulator)")
        if not arguments.pybatsim:
            print(f"{events / seconds.get():,.0f} job events per CPU second of the scheduler alone")
        other.kill()
    print(f"{round_trips('tcp://127.0.0.1:28774'):,.0f} bare round trips/s")


def _files(folder: Path, arguments: argparse.Namespace) -> tuple[Path, list[Path]]:
    platform, workload = write_inputs(folder, arguments.jobs, arguments.together)
    return platform, [workload]


if __name__ == "__main__":
    main()
