// Virtual time for a whole process, in turns with a simulator. Added to package runtime by wavetank's build overlay.
//
// It is on if the environment has WAVETANK_TIME=<fd>:<start, ns since 1970>:<seed>:<tick, ns>:<gc, bytes>.
// fd:   one end of a stream socket in blocking mode, inherited from the simulator.
// tick: how far each time.Now() moves the clock, so that stamps taken at one instant keep their order.
// gc:   with GOGC=off, collect garbage only between turns, when the heap has passed this size and has doubled.
//
// When nothing in the process can proceed (no goroutine can run, no network event is pending, no system call is running)
// it writes {its time, its next timer} and blocks until it reads {the new time}.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

var virtual struct {
	on      bool
	claimed bool // a thread polls for the process or has parked it; guarded by sched.lock
	fd      int32
	tick    int64
	gc      uint64
	now     atomic.Int64
	random  atomic.Uint64
	selects atomic.Uint64
}

const virtualPrefix = "WAVETANK_TIME="

// virtualNanotime is the clock of timers, deadlines and package time.
//
//go:nosplit
func virtualNanotime() int64 {
	if virtual.on {
		return virtual.now.Load()
	}
	return nanotime()
}

//go:linkname time_now time.now
func time_now() (sec int64, nsec int32, mono int64) {
	if !virtual.on {
		return time_now_real()
	}
	mono = virtual.now.Add(virtual.tick)
	return mono / 1e9, int32(mono % 1e9), mono
}

func time_now_real() (sec int64, nsec int32, mono int64)

// virtualRandom is SplitMix64.
//
//go:nosplit
func virtualRandom(state *atomic.Uint64) uint64 {
	z := state.Add(-0x61c8864680b583eb)
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// virtualSelect draws the order of a select's cases from a stream of its own: other draws come at other times.
//
//go:nosplit
func virtualSelect(n uint32) uint32 {
	if virtual.on {
		return uint32((uint64(uint32(virtualRandom(&virtual.selects))) * uint64(n)) >> 32)
	}
	return cheaprandn(n)
}

// virtualPreemptNS is how long a goroutine may run before another gets a turn: by wall clock, so practically forever.
func virtualPreemptNS() int64 {
	if virtual.on {
		return 3600e9
	}
	return forcePreemptNS
}

// virtualInit reads the setting from the raw environment; it runs before anything random is drawn.
func virtualInit() {
	for n := argc + 1; argv_index(argv, n) != nil; n++ {
		s := gostringnocopy(argv_index(argv, n))
		if len(s) < len(virtualPrefix) || s[:len(virtualPrefix)] != virtualPrefix {
			continue
		}
		var field [5]int64
		i := 0
		for _, c := range []byte(s[len(virtualPrefix):]) {
			if c != ':' {
				field[i] = field[i]*10 + int64(c-'0')
			} else if i++; i == len(field) {
				break
			}
		}
		virtual.fd = int32(field[0])
		virtual.now.Store(field[1])
		virtual.random.Store(uint64(field[2])*2 + 1)
		virtual.selects.Store(uint64(field[2])*2 + 2)
		virtual.tick = field[3]
		virtual.gc = uint64(field[4])
		virtual.on = true
		return
	}
}

// virtualSpares is how many threads are started in advance: more than ever run or wait in a system call at once.
const virtualSpares = 8

// virtualThreads starts threads in advance. At which moment the runtime lacks one depends on real time; starting it then
// would move everything that is allocated later, and so change the order of maps that are keyed by addresses.
func virtualThreads() {
	if !virtual.on {
		return
	}
	systemstack(func() {
		for i := 0; i < virtualSpares; i++ {
			newm(virtualThread, nil, -1)
		}
	})
	for {
		lock(&sched.lock)
		idle := sched.nmidle
		unlock(&sched.lock)
		if idle >= virtualSpares {
			return
		}
		osyield()
	}
}

// virtualThread is an idle thread, until startm finds it.
//
//go:nowritebarrierrec
func virtualThread() {
	lock(&sched.lock)
	mput(getg().m)
	unlock(&sched.lock)
	mPark()
}

// virtualClaim is called by a thread without a P that has found nothing to do. It returns false if another thread is
// already here: that one sees whatever this thread leaves.
//
//go:nowritebarrierrec
func virtualClaim() bool {
	lock(&sched.lock)
	first := !virtual.claimed
	virtual.claimed = true
	unlock(&sched.lock)
	return first
}

// virtualUnclaim lets the next thread that finds nothing to do decide.
//
//go:nowritebarrierrec
func virtualUnclaim() {
	lock(&sched.lock)
	virtual.claimed = false
	unlock(&sched.lock)
}

// virtualPark is called by the thread that has claimed it, after it has polled the network in vain. If no other thread
// has anything to do, it hands over to the simulator and returns true when resumed. Otherwise it gives up its claim:
// another thread calls it later.
//
//go:nowritebarrierrec
func virtualPark() bool {
	lock(&sched.lock)
	calls := sched.nGsyscallNoP.Load()
	if sig.state.Load() == sigReceiving {
		calls-- // os/signal's receiver waits in a system call forever
	}
	if calls != 0 || sched.npidle.Load() != gomaxprocs || sched.nmspinning.Load() != 0 ||
		!sched.runq.empty() || sched.gcwaiting.Load() {
		virtual.claimed = false
		unlock(&sched.lock)
		return false
	}
	if virtual.gc != 0 && gcphase == _GCoff && forcegc.idle.Load() {
		if heap := gcController.heapLive.Load(); heap > virtual.gc && heap > 2*gcController.heapMarked {
			virtual.claimed = false
			unlock(&sched.lock)
			lock(&forcegc.lock)
			forcegc.idle.Store(false)
			var list gList
			list.push(forcegc.g)
			injectglist(&list)
			unlock(&forcegc.lock)
			return false
		}
	}
	unlock(&sched.lock)

	var report [2]int64
	report[0] = virtual.now.Load()
	report[1] = timeSleepUntil()
	size := int32(unsafe.Sizeof(report))
	if write1(uintptr(virtual.fd), noescape(unsafe.Pointer(&report)), size) != size {
		exit(98)
	}
	var now int64
	for {
		n := read(virtual.fd, noescape(unsafe.Pointer(&now)), 8)
		if n == 8 {
			break
		}
		if n != -_EINTR {
			exit(97) // the simulator is gone
		}
	}
	if now > virtual.now.Load() {
		virtual.now.Store(now)
	}
	return true
}
