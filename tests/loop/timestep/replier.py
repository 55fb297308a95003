from __future__ import annotations

import json
import threading
from contextlib import suppress

import zmq


class Replier(threading.Thread):
    """A scheduler's side of batsky-go's protocol: a ZeroMQ REP socket that reports these timers in turn."""

    def __init__(self, timers, last=b"done"):
        super().__init__(daemon=True)
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.REP)
        self.disconnections = self.socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        self.endpoint = f"tcp://127.0.0.1:{self.socket.bind_to_random_port('tcp://127.0.0.1')}"
        self.timers, self.last = timers, last
        self.heard = []
        self.start()

    def run(self):
        with self.socket, suppress(zmq.ContextTerminated):
            for timers in self.timers:
                for answer in (json.dumps(timers).encode(), self.last):
                    self.heard.append(self.socket.recv())
                    self.socket.send(answer)
            self.socket.recv()  # stays connected until it is stopped

    def is_left(self):
        """Waits until the client disconnects; False if it does not within ten seconds."""
        return bool(self.disconnections.poll(10_000))

    def stop(self):
        self.disconnections.close()
        self.context.term()
        self.join(10)
