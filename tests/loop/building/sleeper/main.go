// Command sleeper sleeps, asks a server and collects garbage in ten goroutines; it prints how many sleeps were inexact.
package main

import (
	"fmt"
	"io"
	"log"
	"math/rand"
	"net/http"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	goroutines = 10
	sleeps     = 50
	tolerance  = 100 * time.Microsecond // what looking at the clock adds
)

func main() {
	var inexact atomic.Int64
	var group sync.WaitGroup
	for number := range goroutines {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := range sleeps {
				wanted := time.Duration(rand.Intn(5000)+1) * time.Millisecond
				begun := time.Now()
				time.Sleep(wanted)
				if slept := time.Since(begun); slept < wanted || slept > wanted+tolerance {
					inexact.Add(1)
				}
				if i%10 == number {
					ask(fmt.Sprintf("%s/%d/%d", os.Args[1], number, i))
				}
				if i == 5*number {
					runtime.GC()
				}
			}
		}()
	}
	group.Wait()
	fmt.Println("inexact:", inexact.Load())
}

func ask(url string) {
	answer, err := http.Get(url)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		log.Fatal(err)
	}
}
