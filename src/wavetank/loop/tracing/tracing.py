"""The parts of ptrace that are needed, for Linux on x86-64."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from ctypes import c_ulonglong
from platform import machine

from wavetank.errors import InputError

_TRACEME, _CONT, _GETREGS, _SETREGS = 0, 7, 12, 13
_SETOPTIONS, _GETEVENTMSG = 0x4200, 0x4201
_TRACEFORK, _TRACEVFORK, _TRACECLONE, _EXITKILL = 1 << 1, 1 << 2, 1 << 3, 1 << 20
WALL = 0x4000_0000
_TGKILL = 234
_TRAP = b"\x0f\x05\xcc"  # syscall; int3
# Results of an interrupted system call: EINTR, and the kernel's internal codes for calls that it will restart.
_RESTART, _RESTART_BLOCK = -514, -516
_INTERRUPTED = frozenset({-4, -512, -513, _RESTART, _RESTART_BLOCK})

_libc = ctypes.CDLL(None, use_errno=True)


def check_machine() -> None:
    """Raises an InputError on machines where unmodified programs cannot run on virtual time."""
    if sys.platform != "linux" or machine() != "x86_64":
        here = f"{sys.platform} on {machine()}"
        problem = f"programs as they are can only be put on virtual time by Linux on x86-64, and this is {here}"
        raise InputError(f"{problem}; build it with `wavetank scheduler build`, or use sync: {{mode: timestep}}")


class _Registers(ctypes.Structure):
    _fields_ = tuple(
        (name, c_ulonglong)
        for name in (
            *("r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx", "rdx", "rsi", "rdi"),
            *("orig_rax", "rip", "cs", "eflags", "rsp", "ss", "fs_base", "gs_base", "ds", "es", "fs", "gs"),
        )
    )


def ask_for_tracing() -> None:
    """Makes the parent the tracer from the next exec on; to be called between fork and exec."""
    _libc.ptrace(_TRACEME, 0, None, None)


def _ptrace(request: int, tid: int, address: object = None, data: object = None) -> None:
    if _libc.ptrace(request, tid, address, data) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"ptrace: {os.strerror(number)}")


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


class Stopped:
    """A thread that is stopped by ptrace."""

    def __init__(self, tid: int) -> None:
        self.tid = tid

    def call(self, number: int, *arguments: int) -> int:
        """Makes it perform a system call; returns the result, a negative error number if it failed."""
        before, during = _Registers(), _Registers()
        for registers in (before, during):
            _ptrace(_GETREGS, self.tid, None, ctypes.byref(registers))
        place = before.rip
        code = self.peek(place, len(_TRAP))
        self.poke(place, _TRAP)
        during.rax, during.orig_rax = number, c_ulonglong(-1).value
        for name, argument in zip(("rdi", "rsi", "rdx", "r10", "r8", "r9"), arguments, strict=False):
            setattr(during, name, argument & (1 << 64) - 1)
        _ptrace(_SETREGS, self.tid, None, ctypes.byref(during))
        _ptrace(_CONT, self.tid)
        os.waitpid(self.tid, WALL)
        _ptrace(_GETREGS, self.tid, None, ctypes.byref(during))
        self.poke(place, code)
        _ptrace(_SETREGS, self.tid, None, ctypes.byref(before))
        return _signed(during.rax)

    @property
    def stack(self) -> int:
        """Returns the address of its stack, which grows downwards."""
        return int(self._registers().rsp)

    def peek(self, address: int, size: int) -> bytes:
        """Reads its memory."""
        with open(f"/proc/{self.tid}/mem", "rb", buffering=0) as memory:
            memory.seek(address)
            return memory.read(size)

    def poke(self, address: int, content: bytes) -> None:
        """Writes its memory, including code."""
        with open(f"/proc/{self.tid}/mem", "r+b", buffering=0) as memory:
            memory.seek(address)
            memory.write(content)

    def follow(self) -> None:
        """Traces everything that it starts, too; all of it ends with the tracer."""
        _ptrace(_SETOPTIONS, self.tid, None, _TRACEFORK | _TRACEVFORK | _TRACECLONE | _EXITKILL)

    def started(self) -> int:
        """Returns the thread that it has just started."""
        tid = c_ulonglong()
        _ptrace(_GETEVENTMSG, self.tid, None, ctypes.byref(tid))
        return tid.value

    def end_call(self, number: int, outcome: int) -> bool:
        """Ends the interrupted system call with a result; False if it is not in that call."""
        registers = self._registers()
        waits = _signed(registers.orig_rax) == number and _signed(registers.rax) in _INTERRUPTED
        if waits:
            registers.rax = outcome & (1 << 64) - 1
            _ptrace(_SETREGS, self.tid, None, ctypes.byref(registers))
        return waits

    def restart_whole(self) -> None:
        """Restarts an interrupted wait from its beginning; the kernel would continue it, but not show the time left."""
        registers = self._registers()
        if _signed(registers.rax) == _RESTART_BLOCK:
            registers.rax = _RESTART & (1 << 64) - 1
            _ptrace(_SETREGS, self.tid, None, ctypes.byref(registers))

    def go_on(self, number: int = 0) -> None:
        """Continues it, with a signal if one was meant for it."""
        _ptrace(_CONT, self.tid, None, number)

    def _registers(self) -> _Registers:
        registers = _Registers()
        _ptrace(_GETREGS, self.tid, None, ctypes.byref(registers))
        return registers


def ask_to_stop(pid: int, tid: int) -> None:
    """Sends SIGSTOP to one traced thread: it stops when the signal reaches it, the others of its process do not."""
    _libc.syscall(_TGKILL, pid, tid, signal.SIGSTOP)
