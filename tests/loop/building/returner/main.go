// Command returner has a goroutine that comes back from a system call while another one runs, which then waits for it.
package main

import (
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

const (
	call   = 50 * time.Millisecond  // of real time
	work   = 150 * time.Millisecond // of real time
	second = time.Second            // of virtual time
)

func main() {
	done := make(chan bool)
	go func() {
		length := syscall.NsecToTimespec(int64(call))
		syscall.Nanosleep(&length, nil)
		time.Sleep(second)
		close(done)
	}()
	runtime.Gosched()
	for begun := realTime(); realTime() < begun+int64(work); {
	}
	<-done
}

// realTime reads the clock of the kernel, which the overlay does not touch.
func realTime() int64 {
	var now syscall.Timespec
	const monotonic = 1
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, monotonic, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}
