#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Shortens what the testing library prints: two lines for each test and one for each of its arguments, of which there are thousands.
//
// What remains is a line for each suite that has passed, one for each suite that was skipped, and everything about failures. All lines are in a file
// beside the test program, whose name ends with `.xctest.log`: the tests that started there and did not end are those that hang. `swift test
// --verbose` prints them too.
//
// The testing library writes each event with one call to the C library's `stderr`, which glibc permits to replace. Text that is not known is passed on.
#ifdef __GLIBC__

static int complete_log = -1;

static void write_all(int file, const char *text, size_t size) {
    while (file >= 0 && size > 0) {
        ssize_t written = write(file, text, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        text += written;
        size -= (size_t)written;
    }
}

static int begins(const char *text, size_t size, const char *prefix) {
    return size >= strlen(prefix) && memcmp(text, prefix, strlen(prefix)) == 0;
}

// Whether this is the first line with a command that runs what was skipped: a suite and each of its tests have the same. Called under the lock of
// the stream.
static int is_first(const char *text, size_t size) {
    static struct { char *text; size_t size; } seen[256];
    static size_t count;
    const char *command = memmem(text, size, "; to run it: ", 13);
    if (!command) return 1;
    size -= (size_t)(command - text);
    for (size_t index = 0; index < count; index++) {
        if (seen[index].size == size && memcmp(seen[index].text, command, size) == 0) return 0;
    }
    char *copy = count < sizeof seen / sizeof *seen ? malloc(size) : NULL;
    if (copy) {
        memcpy(copy, command, size);
        seen[count].text = copy;
        seen[count++].size = size;
    }
    return 1;
}

static int is_shown(const char *text, size_t size) {
    if (begins(text, size, "◇ Suite ")) return 0;
    if (begins(text, size, "◇ Test ")) return begins(text, size, "◇ Test run started");
    if (begins(text, size, "✔ Test ")) return begins(text, size, "✔ Test run with ");
    if (begins(text, size, "➜ ")) return is_first(text, size);
    return 1;
}

static ssize_t write_event(void *unused, const char *text, size_t size) {
    (void)unused;
    write_all(complete_log, text, size);
    if (is_shown(text, size)) write_all(STDERR_FILENO, text, size);
    return (ssize_t)size;
}

__attribute__((constructor)) static void shorten_output(int argc, char **argv) {
    int is_run = 0;
    for (int index = 1; index < argc; index++) {
        const char *argument = argv[index];
        if (strcmp(argument, "swift-testing") == 0) is_run = 1;
        if (strcmp(argument, "-v") == 0 || strncmp(argument, "--v", 3) == 0) return;
    }
    // The process of an exit test has the same arguments, and its output is that of the test.
    if (!is_run || getenv("SWT_EXIT_TEST_ID")) return;
    FILE *stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_event});
    if (!stream) return;
    setvbuf(stream, NULL, _IONBF, 0);
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof ".log");
    if (length > 0) {
        strcpy(path + length, ".log");
        complete_log = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    }
    stderr = stream;
}

#endif
