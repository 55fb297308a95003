"""Waits in many ways and prints how long each took by its own clocks: python sleeper.py PORT."""

import asyncio
import queue
import select
import socket
import sys
import threading
import time
from contextlib import suppress

connection = socket.create_connection(("127.0.0.1", int(sys.argv[-1])))
never = threading.Event()


def receive(seconds):
    connection.settimeout(seconds)
    with suppress(TimeoutError):
        connection.recv(1)


def take(seconds):
    with suppress(queue.Empty):
        queue.Queue().get(timeout=seconds)


def timer(seconds):
    done = threading.Event()
    threading.Timer(seconds, done.set).start()
    done.wait()


WAYS = {
    "time.sleep": time.sleep,
    "Event.wait": never.wait,
    "select": lambda seconds: select.select([connection], [], [], seconds),
    "poll": lambda seconds: select.poll().poll(seconds * 1000),
    "Queue.get": take,
    "asyncio.sleep": lambda seconds: asyncio.run(asyncio.sleep(seconds)),
    "recv with a timeout": receive,
    "Timer": timer,
}

for way, wait in WAYS.items():
    for seconds in (0.5, 3600):
        before = time.time(), time.monotonic()
        wait(seconds)
        elapsed = time.time() - before[0], time.monotonic() - before[1]
        print(way, seconds, *(round(each, 3) for each in elapsed), flush=True)
