from __future__ import annotations

from wavetank.files import TemporaryFolder
from wavetank.loop.processes.controllermanager import launch_manager, manager_participant
from wavetank.loop.processes.definition import ManagerDefinition
from wavetank.loop.turns.lockstep import Lockstep
from wavetank.loop.turns.participant import Handle
from wavetank.simulation.served.cluster import ServedCluster


class AttachedManager:
    """A real controller manager in lockstep with a served cluster whose clock is at 0.

    It has connected and read the cluster when this is made. `handle` answers its requests, `seed` determines its random
    numbers. `close` it in any case.
    """

    def __init__(self, served: ServedCluster, definition: ManagerDefinition, handle: Handle, seed: int) -> None:
        self._folder = TemporaryFolder()
        lockstep = Lockstep(served.store)
        self._participant = manager_participant(served.store, handle, lockstep.wake)
        try:
            launch_manager(definition, self._participant, self._folder.path / "manager", seed)
            lockstep.begin([self._participant])
            lockstep.settle()
        except BaseException:
            self.close()
            raise
        lockstep.open()

    @property
    def log(self) -> str:
        """Returns what the program has logged so far."""
        file = self._folder.path / "manager" / "log"
        return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""

    def close(self) -> None:
        """Ends the program and deletes its files."""
        self._participant.close()
        self._folder.remove()
