#include "CLoop.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>

// The numbers of libcurl's stable ABI that are used here, so that no development package is needed.
enum {
    CURL_GLOBAL_ALL = 3,
    CURLOPT_WRITEDATA = 10001,
    CURLOPT_URL = 10002,
    CURLOPT_WRITEFUNCTION = 20011,
    CURLOPT_CAINFO = 10065,
    CURLOPT_NOSIGNAL = 99,
    CURLOPT_PRIVATE = 10103,
    CURLOPT_PIPEWAIT = 237,
    CURLOPT_BUFFERSIZE = 98,
    CURLMOPT_SOCKETFUNCTION = 20001,
    CURLMOPT_TIMERFUNCTION = 20004,
    CURLMOPT_MAXCONNECTS = 6,
    CURLINFO_RESPONSE_CODE = 0x200002,
    CURLINFO_PRIVATE = 0x100015,
    CURLMSG_DONE = 1,
    CURLE_OK = 0,
    CURL_POLL_IN = 1,
    CURL_POLL_OUT = 2,
    CURL_POLL_REMOVE = 4,
    CURL_CSELECT_IN = 1,
    CURL_CSELECT_OUT = 2,
    CURL_CSELECT_ERR = 4,
    CURL_SOCKET_TIMEOUT = -1,
};

extern int curl_global_init(long flags);
extern const char *curl_version(void);
extern void *curl_easy_init(void);
extern int curl_easy_setopt(void *easy, int option, ...);
extern int curl_easy_perform(void *easy);
extern void curl_easy_cleanup(void *easy);
extern int curl_easy_getinfo(void *easy, int info, ...);
extern void *curl_multi_init(void);
extern int curl_multi_add_handle(void *multi, void *easy);
extern int curl_multi_remove_handle(void *multi, void *easy);
extern int curl_multi_setopt(void *multi, int option, ...);
extern int curl_multi_assign(void *multi, int socket, void *socket_context);
extern int curl_multi_socket_action(void *multi, int socket, int events, int *running);

struct message {
    int kind;
    void *easy;
    union {
        void *whatever;
        int code;
    } data;
};
extern struct message *curl_multi_info_read(void *multi, int *left);

static atomic_long completed;
static int poller;
static void *multi;
// When libcurl wants to be called without an event, in nanoseconds; 0 for never.
static int64_t deadline;

long cloop_completed(void) { return atomic_load_explicit(&completed, memory_order_relaxed); }

const char *cloop_libcurl(void) { return curl_version(); }

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int watch(void *easy, int socket, int what, void *context, void *known) {
    struct epoll_event event = {.data.fd = socket};
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(poller, EPOLL_CTL_DEL, socket, &event);
        return 0;
    }
    if (what & CURL_POLL_IN) event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
    epoll_ctl(poller, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
    if (!known) curl_multi_assign(multi, socket, &poller);
    return 0;
}

static int set_timer(void *multi, long milliseconds, void *context) {
    deadline = milliseconds < 0 ? 0 : now() + milliseconds * 1000000;
    return 0;
}

static size_t receive(char *bytes, size_t size, size_t count, void *received) {
    *(long *)received += size * count;
    return size * count;
}

// Counts what has ended and sends it anew.
static int renew(long body_bytes) {
    struct message *message;
    int left;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->kind != CURLMSG_DONE) continue;
        void *easy = message->easy;
        int code = message->data.code;
        long status = 0;
        long *received = NULL;
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, &received);
        if (code != CURLE_OK || status != 200 || *received != body_bytes) return 0;
        atomic_fetch_add_explicit(&completed, 1, memory_order_relaxed);
        *received = 0;
        curl_multi_remove_handle(multi, easy);
        curl_multi_add_handle(multi, easy);
    }
    return 1;
}

int cloop_run(const char *url, int concurrency, long body_bytes, const char *authority) {
    struct epoll_event events[256];
    int running;
    poller = epoll_create1(EPOLL_CLOEXEC);
    long *received = calloc(concurrency, sizeof(long));
    if (curl_global_init(CURL_GLOBAL_ALL) || poller < 0 || !received || !(multi = curl_multi_init())) return 0;
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)concurrency);
    for (int index = 0; index < concurrency; index++) {
        void *easy = curl_easy_init();
        if (!easy) return 0;
        curl_easy_setopt(easy, CURLOPT_URL, url);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        if (authority) {
            curl_easy_setopt(easy, CURLOPT_CAINFO, authority);
            // Each request first waits whether the connection that is being made can be shared, as it can with HTTP/2.
            curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
        }
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, received + index);
        curl_easy_setopt(easy, CURLOPT_PRIVATE, received + index);
        curl_multi_add_handle(multi, easy);
    }
    for (;;) {
        int wait = -1;
        if (deadline) {
            int64_t left = deadline - now();
            wait = left > 0 ? (int)((left + 999999) / 1000000) : 0;
        }
        int count = epoll_wait(poller, events, 256, wait);
        for (int index = 0; index < count; index++) {
            int mask = 0;
            if (events[index].events & EPOLLIN) mask |= CURL_CSELECT_IN;
            if (events[index].events & EPOLLOUT) mask |= CURL_CSELECT_OUT;
            if (events[index].events & (EPOLLERR | EPOLLHUP)) mask |= CURL_CSELECT_ERR;
            curl_multi_socket_action(multi, events[index].data.fd, mask, &running);
        }
        if (deadline && deadline <= now()) {
            deadline = 0;
            curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
        }
        if (!renew(body_bytes)) return 1;
    }
}

// The bytes of the last body that `cloop_connect` or `cloop_download` has received.
static long downloaded;

void *cloop_connect(const char *url, const char *authority) {
    void *easy = curl_global_init(CURL_GLOBAL_ALL) ? NULL : curl_easy_init();
    if (!easy) return NULL;
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_CAINFO, authority);
    // As the curl command line does.
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 102400L);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &downloaded);
    if (curl_easy_perform(easy) == CURLE_OK) return easy;
    curl_easy_cleanup(easy);
    return NULL;
}

long cloop_download(void *easy, const char *url) {
    long status = 0;
    if (!easy) return 0;
    downloaded = 0;
    curl_easy_setopt(easy, CURLOPT_URL, url);
    int code = curl_easy_perform(easy);
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_cleanup(easy);
    return code == CURLE_OK && status == 200 ? downloaded : 0;
}
