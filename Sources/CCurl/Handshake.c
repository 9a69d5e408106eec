#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CCurl.h"

#ifdef __linux__
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

// The part of OpenSSL's ABI, unchanged since 1.1.0, that tells what a handshake agrees on. It is looked up in the library that
// libcurl itself was linked with: a process may have loaded another one, too.
typedef void (*info_callback)(const void *ssl, int where, int value);
static void (*set_info_callback)(void *context, info_callback callback);
static int (*set_context_data)(void *context, int index, void *data);
static void *(*get_context_data)(const void *context, int index);
static void *(*get_context)(const void *ssl);
static void (*get_alpn)(const void *ssl, const unsigned char **name, unsigned int *count);
static pthread_once_t once = PTHREAD_ONCE_INIT;

enum {
    // `SSL_CTX_set_app_data`: the index that OpenSSL leaves to applications.
    application_index = 0,
    handshake_start = 0x10,
    handshake_done = 0x20,
    read_alert = 0x4004,
    fatal = 2,
    close_notify = 0,
};

static void look_up(void) {
    void *curl = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_NOLOAD);
    if (!curl) return;
    get_context = dlsym(curl, "SSL_get_SSL_CTX");
    set_context_data = dlsym(curl, "SSL_CTX_set_ex_data");
    get_context_data = dlsym(curl, "SSL_CTX_get_ex_data");
    get_alpn = dlsym(curl, "SSL_get0_alpn_selected");
    set_info_callback = dlsym(curl, "SSL_CTX_set_info_callback");
}

int ccurl_can_watch_handshakes(void) {
    pthread_once(&once, look_up);
    return get_context && set_context_data && get_context_data && get_alpn && set_info_callback;
}

static int is(const unsigned char *name, unsigned int count, const char *other) {
    return count == strlen(other) && memcmp(name, other, count) == 0;
}

static void observe(const void *ssl, int where, int value) {
    void *context = get_context(ssl);
    struct ccurl_handshake *handshake = context ? get_context_data(context, application_index) : NULL;
    if (!handshake) return;
    if (where & handshake_start) handshake->has_begun = 1;
    if (where == read_alert && value >> 8 == fatal) handshake->alert = value & 0xFF;
    if (where == read_alert && (value & 0xFF) == close_notify) handshake->has_ended = 1;
    if (where & handshake_done) {
        const unsigned char *name = NULL;
        unsigned int count = 0;
        get_alpn(ssl, &name, &count);
        handshake->is_done = 1;
        handshake->protocol = !name || count == 0         ? CALPN_NONE
                              : is(name, count, "http/1.1") ? CALPN_HTTP1
                              : is(name, count, "h2")       ? CALPN_HTTP2
                                                            : CALPN_OTHER;
    }
}

// libcurl calls this for each new connection, before its handshake.
static int set_up(void *easy, void *context, void *handshake) {
    (void)easy;
    set_context_data(context, application_index, handshake);
    set_info_callback(context, observe);
    return CCURLE_OK;
}

extern int curl_easy_setopt(void *easy, int option, ...);

int ccurl_easy_watch_handshake(void *easy, struct ccurl_handshake *handshake) {
    if (!ccurl_can_watch_handshakes()) return CCURLE_NOT_BUILT_IN;
    int result = curl_easy_setopt(easy, CCURLOPT_SSL_CTX_DATA, handshake);
    return result ? result : curl_easy_setopt(easy, CCURLOPT_SSL_CTX_FUNCTION, set_up);
}
#else
int ccurl_can_watch_handshakes(void) { return 0; }
int ccurl_easy_watch_handshake(void *easy, struct ccurl_handshake *handshake) {
    (void)easy;
    (void)handshake;
    return CCURLE_NOT_BUILT_IN;
}
#endif
