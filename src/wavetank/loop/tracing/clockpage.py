from __future__ import annotations

import ctypes
import mmap
import os
import struct

from wavetank.cluster.objects.resource import EPOCH_SECONDS
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.loop.tracing.tracing import Stopped

PAGE = 0x7E00_0000_0000  # address of the page in programs, far from their own memory
_CODE_PAGE = PAGE + mmap.PAGESIZE
# clock.S, assembled
CODE = bytes.fromhex(
    "8d47fe83f801762f85ff782b48b80000000000"
    "7e0000b901000000f0480fc1084889c831d2b900ca9a3b48f7f1488906488956"
    "0831c0c3b8e40000000f05c34885ff742848b800000000007e0000488b0031d2"
    "b9e803000048f7f131d2b940420f0048f7f14889074889570831c0c348b80000"
    "0000007e0000488b0031d2b900ca9a3b48f7f14885ff7403488907c3"
)
_FUNCTIONS = {b"__vdso_clock_gettime": 0, b"__vdso_gettimeofday": 0x3F, b"__vdso_time": 0x6F}
_JUMP = struct.Struct("<2sQ2s")  # movabs rax, address; jmp rax

_OPEN, _CLOSE, _MMAP = 2, 3, 9
_SHARED, _PRIVATE, _FIXED, _ANONYMOUS = 1, 2, 0x10, 0x20
_READ_WRITE, _READ_EXECUTE = 3, 5
_AUXV_VDSO = 33
_BELOW_STACK = 512  # bytes: far enough from what it may have there
_VDSO_SIZE = 4 * mmap.PAGESIZE
_EPOCH = EPOCH_SECONDS * SECOND


class ClockPage:
    """The clock of unmodified programs: a page of memory that they share with this process.

    `install` maps it into a program that is stopped at its first instruction, and redirects the vDSO's clock functions
    to code that reads it. It costs nothing afterwards.
    """

    def __init__(self, now: Nanoseconds) -> None:
        self._fd = os.memfd_create("wavetank-clock")
        os.ftruncate(self._fd, mmap.PAGESIZE)
        self._memory = mmap.mmap(self._fd, mmap.PAGESIZE)
        self._time = ctypes.c_uint64.from_buffer(self._memory)
        self._time.value = _EPOCH + now

    @property
    def now(self) -> Nanoseconds:
        """Returns the time that programs see, including the nanoseconds that their reads have added."""
        return self._time.value - _EPOCH

    def advance(self, now: Nanoseconds) -> None:
        """Advances the clock; never moves it back."""
        self._time.value = max(self._time.value, _EPOCH + now)

    def install(self, program: Stopped) -> None:
        """Puts a program on this clock; OSError if that fails."""
        path = program.stack - _BELOW_STACK
        program.poke(path, f"/proc/{os.getpid()}/fd/{self._fd}\0".encode())
        fd = program.call(_OPEN, path, os.O_RDWR)
        mapped = program.call(_MMAP, PAGE, mmap.PAGESIZE, _READ_WRITE, _SHARED | _FIXED, fd, 0)
        program.call(_CLOSE, fd)
        flags = _PRIVATE | _FIXED | _ANONYMOUS
        coded = program.call(_MMAP, _CODE_PAGE, mmap.PAGESIZE, _READ_EXECUTE, flags, -1, 0)
        if (mapped, coded) != (PAGE, _CODE_PAGE):
            raise OSError(-min(mapped, coded), "the clock cannot be mapped into it")
        program.poke(_CODE_PAGE, CODE)
        vdso = _vdso_address(program.tid)
        for name, place in _clock_functions(program.peek(vdso, _VDSO_SIZE)).items():
            program.poke(vdso + place, _JUMP.pack(b"\x48\xb8", _CODE_PAGE + _FUNCTIONS[name], b"\xff\xe0"))

    def close(self) -> None:
        """Unmaps the page."""
        del self._time
        self._memory.close()
        os.close(self._fd)


def _vdso_address(pid: int) -> int:
    with open(f"/proc/{pid}/auxv", "rb") as file:
        for key, value in struct.iter_unpack("<QQ", file.read()):
            if key == _AUXV_VDSO:
                return int(value)
    raise OSError("it has no vDSO: the kernel was started without")


def _clock_functions(image: bytes) -> dict[bytes, int]:
    """Finds the clock functions in a vDSO, an ELF file in memory: name → offset; OSError if one is missing."""
    headers, count = struct.unpack_from("<Q", image, 32)[0], struct.unpack_from("<H", image, 56)[0]
    segments = [struct.unpack_from("<IIQQ", image, headers + 56 * i) for i in range(count)]
    base = next(address for kind, _, _, address in segments if kind == 1)
    dynamic = next(offset for kind, _, offset, _ in segments if kind == 2)
    tables: dict[int, int] = {}
    for key, value in struct.iter_unpack("<QQ", image[dynamic : dynamic + 16 * 32]):
        if key == 0:
            break
        tables.setdefault(key, value - base)
    names, symbols = tables[5], tables[6]
    found: dict[bytes, int] = {}
    for place in range(symbols, names, 24):  # the table of names follows that of symbols
        name, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", image, place)
        text = image[names + name : image.index(b"\0", names + name)]
        if text in _FUNCTIONS:
            found[text] = value - base
    if len(found) != len(_FUNCTIONS):
        raise OSError(f"only {len(found)} of the vDSO's {len(_FUNCTIONS)} clock functions were found")
    return found
