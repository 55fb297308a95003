from __future__ import annotations

import time
from pathlib import Path

from wavetank.cli.commands.run import show_results
from wavetank.experiments.session import Session, write_session
from wavetank.report.page.html import write_report
from wavetank.results.recording.recorder import Recorder
from wavetank.simulation.served.cluster import ServedCluster, ServedSetting
from wavetank.version import __version__


class SessionRecording:
    """Records a served session, and writes its results and report at the end.

    `recorder` is an observer of the served cluster; call `begin` as soon as that is made.
    """

    def __init__(self, out: Path) -> None:
        self.recorder = Recorder()
        self._out = out

    def begin(self, served: ServedCluster) -> None:
        """Counts time from now on."""
        self._served = served
        self._start = served.clock.now
        self._begun = time.monotonic()

    def write(self, setting: ServedSetting) -> None:
        """Writes the results, and prints the summary and where they are."""
        schedulers = self._served.world.schedulers
        self.recorder.ended(self._served.clock.now)
        session = Session(
            self.recorder,
            self._start,
            schedulers[0][0] if schedulers else "",
            setting.latency.name,
            setting.version,
            setting.seed,
            sum(each.attempts for _, each in schedulers),
            time.monotonic() - self._begun,
        )
        result = write_session(session, self._out, __version__, write_report)
        show_results(self._out, result.warnings)
