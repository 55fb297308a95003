"""The parts of ptrace that are needed, for Linux on x86-64."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress
from ctypes import c_ulonglong
from platform import machine

from wavetank.errors import InputError

_TRACEME, _CONT, _GETREGS, _SETREGS, _DETACH = 0, 7, 12, 13, 17
_SETOPTIONS, _GETEVENTMSG, _SEIZE, _INTERRUPT = 0x4200, 0x4201, 0x4206, 0x4207
_TRACEFORK, _TRACEVFORK, _EXITKILL = 1 << 1, 1 << 2, 1 << 20
_EVENT_FORK, _EVENT_VFORK, _EVENT_STOP = 1, 2, 128
_WALL = 0x4000_0000
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
        os.waitpid(self.tid, _WALL)
        _ptrace(_GETREGS, self.tid, None, ctypes.byref(during))
        self.poke(place, code)
        _ptrace(_SETREGS, self.tid, None, ctypes.byref(before))
        return _signed(during.rax)

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


def end_wait(tid: int, number: int, outcome: int) -> bool:
    """Ends the system call in which a thread waits, as if its timeout were over; False if it no longer waits there."""
    try:
        _ptrace(_SEIZE, tid)
    except OSError:
        return False  # it has ended, or is traced by another process
    _ptrace(_INTERRUPT, tid)
    _, status = os.waitpid(tid, _WALL)
    if not os.WIFSTOPPED(status):
        return False
    registers = _Registers()
    _ptrace(_GETREGS, tid, None, ctypes.byref(registers))
    waits = _signed(registers.orig_rax) == number and _signed(registers.rax) in _INTERRUPTED
    if waits:
        registers.rax = outcome & (1 << 64) - 1
        _ptrace(_SETREGS, tid, None, ctypes.byref(registers))
    stopped_by = 0 if status >> 16 == _EVENT_STOP else os.WSTOPSIG(status)
    _ptrace(_DETACH, tid, None, stopped_by)
    return waits


class Followed:
    """A program that is traced from its first instruction on, with all that it starts, until it is released."""

    def __init__(self, pid: int) -> None:
        os.waitpid(pid, _WALL)
        _ptrace(_SETOPTIONS, pid, None, _TRACEFORK | _TRACEVFORK | _EXITKILL)
        self.pids = [pid]
        self.ended: int | None = None  # status of the first process, if it has ended

    def first(self) -> Stopped:
        """Returns the program at its first instruction."""
        return Stopped(self.pids[0])

    def go_on(self, thread: Stopped, number: int = 0) -> None:
        """Continues a stopped program, with a signal if one was meant for it."""
        _ptrace(_CONT, thread.tid, None, number)

    def next_exec(self) -> Stopped | None:
        """Returns a program that has just called exec and is stopped at its first instruction, if there is any."""
        for pid in list(self.pids):
            ended, status = _poll(pid)
            if not ended:
                continue
            if not os.WIFSTOPPED(status):
                self._forget(pid, status)
            elif os.WSTOPSIG(status) == signal.SIGTRAP and not status >> 16:  # a plain SIGTRAP is the end of an exec
                return Stopped(pid)
            else:
                self._go_on_after(pid, status)
        return None

    def _forget(self, pid: int, status: int) -> None:
        if pid == self.pids[0]:
            self.ended = status
        else:
            self.pids.remove(pid)

    def _go_on_after(self, pid: int, status: int) -> None:
        number, event = os.WSTOPSIG(status), status >> 16
        if event in (_EVENT_FORK, _EVENT_VFORK):
            child = c_ulonglong()
            _ptrace(_GETEVENTMSG, pid, None, ctypes.byref(child))
            self.pids.append(child.value)
        _ptrace(_CONT, pid, None, 0 if event or number == signal.SIGSTOP else number)

    def release(self) -> None:
        """Stops tracing; later execs are not seen."""
        for pid in self.pids:
            with suppress(OSError):  # it has ended in the meantime
                _libc.syscall(_TGKILL, pid, pid, signal.SIGSTOP)  # to this thread only: otherwise all would stop
                while True:
                    _, status = os.waitpid(pid, _WALL)
                    if not os.WIFSTOPPED(status) or os.WSTOPSIG(status) == signal.SIGSTOP:
                        break
                    self._go_on_after(pid, status)
                _restart_whole(pid)
                _ptrace(_DETACH, pid, None, 0)


def _restart_whole(tid: int) -> None:
    """Restarts an interrupted wait from the beginning; the kernel would continue it, but not show how much is left."""
    registers = _Registers()
    _ptrace(_GETREGS, tid, None, ctypes.byref(registers))
    if _signed(registers.rax) == _RESTART_BLOCK:
        registers.rax = _RESTART & (1 << 64) - 1
        _ptrace(_SETREGS, tid, None, ctypes.byref(registers))


def _poll(pid: int) -> tuple[int, int]:
    try:
        return os.waitpid(pid, _WALL | os.WNOHANG)
    except ChildProcessError:
        return pid, 0
