// Command addresses prints in which order maps keyed by addresses list their values, after its threads have been busy.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"time"
)

type thing struct {
	number int
	filler [9000]byte // pages of its own, beside those of threads
}

func main() {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt) // its receiver holds a thread
	things := make(map[*thing]int)
	var guard sync.Mutex
	var group sync.WaitGroup
	for number := range 40 {
		group.Add(1)
		go func() {
			defer group.Done()
			for range 20 {
				time.Sleep(time.Duration(number%5+1) * time.Second)
			}
			guard.Lock()
			defer guard.Unlock()
			made := &thing{number: number}
			things[made] = number
		}()
	}
	group.Wait()
	for made, number := range things {
		fmt.Printf("%d at %p, ", number, made)
	}
	fmt.Printf("%d CPU\n", runtime.GOMAXPROCS(runtime.NumCPU()))
}
