"""The overlay's changes of Go's sources, chosen by the contents of the files, since patch releases differ."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# A goroutine in a system call keeps its P for this long (ns of wall time): with one P, handing it over by wall clock
# would change the order of events on a loaded machine.
_PATIENCE = "5000*1000*1000"

_EVENT_ORDER = """\tif virtual.on { // the kernel's order depends on real time: take that of the descriptors
		for i := int32(1); i < n; i++ {
			for j := i; j > 0 && virtualFD(&events[j]) < virtualFD(&events[j-1]); j-- {
				events[j], events[j-1] = events[j-1], events[j]
			}
		}
	}
"""
_FD_OF_POINTER = """func virtualFD(ev *PKG.EpollEvent) uintptr {
	if *(**uintptr)(unsafe.Pointer(&ev.Data)) == &netpollEventFd {
		return 0
	}
	tp := *(*taggedPointer)(unsafe.Pointer(&ev.Data))
	return (*pollDesc)(tp.pointer()).fd
}

"""
_FD_UNPACKED = """func virtualFD(ev *linux.EpollEvent) uintptr {
	pd, _ := netpollUnpackData(ev)
	if pd == nil {
		return 0
	}
	return pd.fd
}

"""
_PARK = """\tif virtual.on {
		for {
			if !virtualClaim() {
				stopm()
				goto top
			}
			list, delta := netpoll(0)
			if list.empty() {
				if !virtualPark() {
					stopm()
					goto top
				}
				list, delta = netpoll(0)
			}
			now = nanotime()
			sched.lastpoll.Store(now)
			lock(&sched.lock)
			pp, _ := pidleget(now)
			virtual.claimed = pp == nil
			unlock(&sched.lock)
			if pp == nil { // another thread runs: it gets the events
				injectglist(&list)
				netpollAdjustWaiters(delta)
				virtualUnclaim()
				continue
			}
			acquirep(pp)
			pp.schedtick = (pp.schedtick/61 + 1) * 61 // every 61st tick is special: begin each turn at the same phase
			if !list.empty() {
				gp := list.pop()
				injectglist(&list)
				netpollAdjustWaiters(delta)
				casgstatus(gp, _Gwaiting, _Grunnable)
				return gp, false, false
			}
			if wasSpinning {
				mp.becomeSpinning()
			}
			goto top
		}
	}

"""
# A P whose first system call is still running has no time of its beginning: without it the P would be taken at once.
_PATIENT = (
    "if virtual.on && pd.syscallwhen == 0 {{\n{indent}\tpd.syscallwhen = now\n{indent}}}\n"
    f"{{indent}}if virtual.on && pd.syscallwhen+{_PATIENCE} > now "
)


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement in a file; `old` must occur exactly once."""

    old: str
    new: str


def edits_of(file: str, text: str) -> list[Edit]:
    """Returns the edits of one of Go's files (below src), given its text."""
    return list(_EDITS[file](text))


def _before(mark: str, added: str) -> Edit:
    return Edit(mark, added + mark)


def _after(mark: str, added: str) -> Edit:
    return Edit(mark, mark + added)


def _clock_stub(text: str) -> Iterator[Edit]:
    yield Edit("//go:linkname time_now time.now\nfunc time_now() (sec int64, nsec int32, mono int64)\n", "")


def _clock_assembly(text: str) -> Iterator[Edit]:
    yield Edit("time·now<ABIInternal>", "·time_now_real<ABIInternal>")


def _timers(text: str) -> Iterator[Edit]:
    condition = "virtual.on && bubble == nil" if "check(now int64, bubble " in text else "virtual.on"
    yield Edit(
        "\tif now == 0 {\n\t\tnow = nanotime()\n\t}\n\n\t// If this is the local P",
        f"\trnow = now\n\tif {condition} {{\n\t\tnow = virtual.now.Load()\n\t}} else if now == 0 {{\n"
        "\t\tnow = nanotime()\n\t\trnow = now\n\t}\n\n\t// If this is the local P",
    )
    yield Edit("\t\treturn now, next, false\n", "\t\treturn rnow, next, false\n")
    yield Edit("\treturn now, pollUntil, ran\n", "\treturn rnow, pollUntil, ran\n")
    yield Edit("return nanotime()", "return virtualNanotime()")
    yield Edit("\t\tnow = nanotime()\n\t}\n\twhen := now + ns", "\t\tnow = virtualNanotime()\n\t}\n\twhen := now + ns")
    if "maybeRunAsync" in text:
        yield Edit("if now := nanotime(); t.when <= now", "if now := virtualNanotime(); t.when <= now")
    yield Edit("\tnow := nanotime()\n\tif t.", "\tnow := virtualNanotime()\n\tif t.")


def _poller(text: str) -> Iterator[Edit]:
    yield _before("\tvar toRun gList\n\tdelta := int32(0)\n", _EVENT_ORDER)
    package = "linux" if "linux.EpollEvent" in text else "syscall"
    unpacked = "func netpollUnpackData" in text
    yield _before("func netpollinit() {", _FD_UNPACKED if unpacked else _FD_OF_POINTER.replace("PKG", package))


def _deadlines(text: str) -> Iterator[Edit]:
    yield Edit("d += nanotime()", "d += virtualNanotime()")


def _mutexes(text: str) -> Iterator[Edit]:
    head = "func internal_sync_nanotime() int64 {\n"
    yield Edit(f"{head}\treturn nanotime()", f"{head}\treturn virtualNanotime()")


def _counters(text: str) -> Iterator[Edit]:
    """Adds a counter that the runtime lacks up to Go 1.25: of goroutines that lost their P in a system call."""
    if "nGsyscallNoP" not in text:
        yield _after("\tngsys atomic.Int32 // number of system goroutines\n", "\tnGsyscallNoP atomic.Int32\n")


def _scheduler(text: str) -> Iterator[Edit]:
    parsed, plain = "\tgodebug, parsedGodebug := getGodebugEarly()\n", "\tgodebug := getGodebugEarly()\n"
    yield _before(parsed if parsed in text else plain, "\tvirtualInit()\n")
    yield _before("\t// Poll network until next timer.\n\tif netpollinited()", _PARK)
    yield _before("\t\t\t\tif next > now {\n", "\t\t\t\tif virtual.on {\n\t\t\t\t\tnext = maxWhen\n\t\t\t\t}\n")
    # sysmon must not poll the network while the process is parked
    watch = "netpollinited() && lastpoll != 0 && lastpoll+10*1000*1000 < now {"
    yield Edit(f"if {watch}", f"if !virtual.on && {watch}")
    # nor wake the scavenger, nor may threads be created at moments of real time
    yield Edit("if scavenger.sysmonWake.Load() != 0 {", "if !virtual.on && scavenger.sysmonWake.Load() != 0 {")
    yield _after("\tmainStarted = true\n", "\tvirtualThreads()\n")
    yield Edit("pd.schedwhen+forcePreemptNS <= now", "pd.schedwhen+virtualPreemptNS() <= now")
    yield Edit("t.test() && forcegc.idle.Load()", "!virtual.on && t.test() && forcegc.idle.Load()")
    timed = "\t\tgcStart(gcTrigger{kind: gcTriggerTime, now: nanotime()})\n"
    cycle = "gcStart(gcTrigger{kind: gcTriggerCycle, n: work.cycles.Load() + 1})"
    yield _before(timed, f"\t\tif virtual.on {{\n\t\t\t{cycle}\n\t\t\tcontinue\n\t\t}}\n")
    yield from _counted_calls() if "nGsyscallNoP" not in text else _patient_calls(text)


def _patient_calls(text: str) -> Iterator[Edit]:
    yield _before(
        "\t\t// On the one hand we don't want to retake Ps if",
        "\t\t" + _PATIENT.format(indent="\t\t") + "{\n\t\t\tthread.resume()\n\t\t\tgoto done\n\t\t}\n\n",
    )
    # Of a goroutine that comes back without its P: counted as in a system call until it is in the run queue. Otherwise
    # a thread that looks in between finds nothing to do, and parks.
    found = re.search(r"\t(.*NoP.*)\n\tdropg\(\)\n\tlock\(&sched\.lock\)\n(?=\tvar pp \*p\n)", text)
    back = found[1] if found else "decGSyscallNoP(getg().m)"
    yield Edit(f"\t{back}\n\tdropg()\n\tlock(&sched.lock)\n", f"\tdropg()\n\tlock(&sched.lock)\n\t{back}\n")


def _counted_calls() -> Iterator[Edit]:
    lost, back = "sched.nGsyscallNoP.Add(1)\n", "sched.nGsyscallNoP.Add(-1)\n"
    yield _after("if s == _Psyscall && atomic.Cas(&pp.status, s, _Pgcstop) {\n", f"\t\t\t{lost}")
    yield _after("p2.runSafePointFn == 1 && atomic.Cas(&p2.status, s, _Pidle) {\n", f"\t\t\t{lost}")
    yield _after("sched.stopwait > 0 && atomic.Cas(&pp.status, _Psyscall, _Pgcstop) {\n", f"\t\t{lost}")
    yield _before("\thandoffp(releasep())\n}\n\n// The goroutine g exited", f"\t{lost}")
    yield _after("\t\t\tif atomic.Cas(&pp.status, s, _Pidle) {\n", f"\t\t\t\t{lost}")
    found = "\tlock(&sched.lock)\n\tpp, _ := pidleget(0)\n"
    yield Edit(f"{found}\tif pp != nil && sched", f"{found}\tif pp != nil {{\n\t\t{back}\t}}\n\tif pp != nil && sched")
    dropped = "\tdropg()\n\tlock(&sched.lock)\n"
    yield Edit(f"{dropped}\tvar pp *p\n", f"{dropped}\t{back}\tvar pp *p\n")
    yield _before(
        "\t\t\t// On the one hand we don't want to retake Ps if",
        "\t\t\t" + _PATIENT.format(indent="\t\t\t") + "{\n\t\t\t\tcontinue\n\t\t\t}\n",
    )


def _scavenger(text: str) -> Iterator[Edit]:
    start = "\t\tstart := nanotime()\n"
    reset = "\t\ts.timer.reset(start+sleepTime, 0)\n"
    yield Edit(start + reset, f"{start}\t\tif virtual.on {{\n\t\t\tunlock(&s.lock)\n\t\t\treturn\n\t\t}}\n{reset}")


def _processors(text: str) -> Iterator[Edit]:
    """Makes the program see one CPU, and keep to it: some set GOMAXPROCS themselves."""
    for function in ("func GOMAXPROCS(n int) int {\n", "func NumCPU() int {\n"):
        yield _after(function, "\tif virtual.on {\n\t\treturn 1\n\t}\n")


def _randomness(text: str) -> Iterator[Edit]:
    each = "\t\tfor i := range seed {\n\t\t\tseed[i] = byte(virtualRandom(&virtual.random))\n\t\t}\n"
    filled = f"\tif virtual.on {{\n{each}\t}}\n"
    yield _before("\tglobalRand.state.Init(*seed)\n", filled)
    drawn = "\tif virtual.on {\n\t\treturn virtualRandom(&virtual.random)\n\t}\n"
    yield _before("\t// Note: We avoid acquirem here so", drawn)
    if "mp.cheaprand = rand()" in text:
        yield Edit("mp.cheaprand = rand()", "mp.cheaprand = seed[0] ^ seed[1]")
    else:
        yield Edit("mp.cheaprand = uint32(rand())", "mp.cheaprand = uint32(seed[0] ^ seed[1])")
        yield Edit("mp.cheaprand64 = rand()", "mp.cheaprand64 = seed[2] ^ seed[3]")


def _selects(text: str) -> Iterator[Edit]:
    yield Edit("j := cheaprandn(uint32(norder + 1))", "j := virtualSelect(uint32(norder + 1))")


def _entropy(text: str) -> Iterator[Edit]:
    yield _after(
        "func vgetrandom(p []byte, flags uint32) (ret int, supported bool) {\n",
        "\tif virtual.on {\n\t\tfor i := range p {\n\t\t\tp[i] = byte(virtualRandom(&virtual.random))\n\t\t}\n"
        "\t\treturn len(p), true\n\t}\n",
    )


def _sockets(text: str) -> Iterator[Edit]:
    yield _after(
        "func (sd *sysDialer) doDialTCP(ctx context.Context, laddr, raddr *TCPAddr) (*TCPConn, error) {\n",
        '\tif path := virtualSocket(raddr); path != "" {\n\t\treturn sd.dialVirtual(ctx, raddr, path)\n\t}\n',
    )
    yield _after(
        "func (sl *sysListener) listenTCPProto("
        "ctx context.Context, laddr *TCPAddr, proto int) (*TCPListener, error) {\n",
        '\tif path := virtualPort(laddr); path != "" {\n\t\treturn sl.listenVirtual(ctx, laddr, path)\n\t}\n',
    )


_EDITS = {
    "runtime/timeasm.go": _clock_stub,
    "runtime/time_linux_amd64.s": _clock_assembly,
    "runtime/time.go": _timers,
    "runtime/netpoll_epoll.go": _poller,
    "runtime/netpoll.go": _deadlines,
    "runtime/sema.go": _mutexes,
    "runtime/runtime2.go": _counters,
    "runtime/proc.go": _scheduler,
    "runtime/mgcscavenge.go": _scavenger,
    "runtime/debug.go": _processors,
    "runtime/rand.go": _randomness,
    "runtime/select.go": _selects,
    "runtime/vgetrandom_linux.go": _entropy,
    "net/tcpsock_posix.go": _sockets,
}
EDITED = tuple(_EDITS)
