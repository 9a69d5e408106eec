#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// Ends the tests when a file descriptor is closed that is not open: by then, its number may be that of another test's file or socket, which would be
// closed instead. Such a test fails at random, far from the mistake. The backtrace shows the second `close`.
//
// The sanitizers replace `close` themselves.
#if defined(__GLIBC__) && !__has_feature(thread_sanitizer) && !__has_feature(address_sanitizer)

int close(int descriptor) {
    long result = syscall(SYS_close, descriptor);
    if (result < 0 && errno == EBADF) {
        fprintf(stderr, "error: file descriptor %d is closed, but not open: was it closed twice?\n", descriptor);
        abort();
    }
    return (int)result;
}

#endif
