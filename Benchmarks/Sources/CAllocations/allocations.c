#include "allocations.h"
#include <stddef.h>

extern void *__libc_malloc(size_t);

// Per thread, so that threads do not share a cache line.
static _Thread_local unsigned long count;

// The `malloc` of the executable precedes that of the C library.
void *malloc(size_t size) {
    count++;
    return __libc_malloc(size);
}

unsigned long allocations_of_thread(void) { return count; }
