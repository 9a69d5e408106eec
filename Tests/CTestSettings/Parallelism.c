#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Limits how many tests run at the same time, before the testing library reads its environment.
//
// Without a limit it starts all of them at once. Beside other processes that use the processors, each test then takes as long as all together,
// and requests in them exceed their timeouts. Most tests wait rather than compute, so there are several for each processor.
__attribute__((constructor)) static void limit_parallel_tests(void) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    long width = processors > 2 ? 4 * processors : 8;
    char text[24];
    snprintf(text, sizeof text, "%ld", width);
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", text, 0);
}
