// GET after GET with net/http and its usual transport, which keeps as many connections as there are requests at a time.
//
//	main URL LEVEL SECONDS BODY-BYTES [AUTHORITY]
//
// Prints requests per second, and microseconds of this process's user and system time per request, as `bench load` does. A fifth
// of the time goes ahead unmeasured, over TLS no less than 0.3 seconds.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
)

var completed atomic.Int64

func main() {
	if len(os.Args) < 5 {
		fail("URL LEVEL SECONDS BODY-BYTES [AUTHORITY]")
	}
	level, err := strconv.Atoi(os.Args[2])
	check(err)
	seconds, err := strconv.ParseFloat(os.Args[3], 64)
	check(err)
	bytes, err := strconv.Atoi(os.Args[4])
	check(err)

	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns = level
	transport.MaxIdleConnsPerHost = level
	if len(os.Args) > 5 {
		authority, err := os.ReadFile(os.Args[5])
		check(err)
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(authority) {
			fail("no certificate in " + os.Args[5])
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	span := time.Duration(seconds * float64(time.Second))
	warm := span / 5
	if transport.TLSClientConfig != nil && warm < 300*time.Millisecond {
		warm = 300 * time.Millisecond
	}
	client := &http.Client{Transport: transport}
	for i := 0; i < level; i++ {
		go send(client, os.Args[1], bytes)
	}

	wait(warm, 0)
	start, before, count := time.Now(), processor(), completed.Load()
	wait(span, count)
	elapsed, used, requests := time.Since(start), processor()-before, float64(completed.Load()-count)
	if requests == 0 {
		fail("no request has ended")
	}
	fmt.Println(requests/elapsed.Seconds(), used.Seconds()/requests*1e6)
}

// Sends one request after the other, indefinitely.
func send(client *http.Client, url string, bytes int) {
	for {
		response, err := client.Get(url)
		check(err)
		body, err := io.ReadAll(response.Body)
		check(err)
		check(response.Body.Close())
		if response.StatusCode != 200 || len(body) != bytes {
			fail(fmt.Sprintf("status %d with %d bytes", response.StatusCode, len(body)))
		}
		completed.Add(1)
	}
}

// Waits so long, and on a busy machine up to 20 seconds longer until more than so many requests have ended.
func wait(span time.Duration, count int64) {
	time.Sleep(span)
	for i := 0; i < 400 && completed.Load() <= count; i++ {
		time.Sleep(50 * time.Millisecond)
	}
}

// The user and system time of this process so far.
func processor() time.Duration {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func check(err error) {
	if err != nil {
		fail(err.Error())
	}
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, "bench: "+message)
	os.Exit(1)
}
