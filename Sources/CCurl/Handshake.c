#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "Handshake.h"

#ifdef __linux__
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

// The part of OpenSSL's ABI, unchanged since 1.1.0, that reports the result of a handshake. The functions are looked up in the library
// that libcurl was linked with, because the process may have loaded another OpenSSL as well.
typedef void (*info_callback)(const void *ssl, int where, int value);
static void (*set_info_callback)(void *context, info_callback callback);
static long (*control)(void *context, int command, long argument, void *pointer);
static long (*control_connection)(void *ssl, int command, long argument, void *pointer);
typedef void (*message_callback)(int is_sent, int version, int kind, const void *bytes, size_t count, void *ssl, void *argument);
static void (*set_message_callback)(void *context, message_callback callback);
static int (*set_context_data)(void *context, int index, void *data);
static void *(*get_context_data)(const void *context, int index);
static void *(*get_context)(const void *ssl);
static void (*get_alpn)(const void *ssl, const unsigned char **name, unsigned int *count);
static int (*set_alpn)(void *context, const unsigned char *names, unsigned int count);
// The part that is needed to check the names of a certificate, also unchanged since 1.1.0. `GENERAL_NAME` and its stack are opaque.
typedef int (*verify_callback)(int is_good, void *store);
static int (*get_verify_mode)(const void *context);
static void (*set_verify)(void *context, int mode, verify_callback callback);
static int (*get_depth)(const void *store);
static void *(*get_certificate)(const void *store);
static void (*set_error)(void *store, int error);
static int (*get_error)(const void *store);
static int (*get_ssl_index)(void);
static void *(*get_store_data)(const void *store, int index);
static void *(*get_extension)(const void *certificate, int name, int *is_critical, int *index);
static int (*count_of)(const void *stack);
static void *(*element_of)(const void *stack, int index);
static void *(*get_value)(const void *name, int *kind);
static void (*free_names)(void *names);
static pthread_once_t once = PTHREAD_ONCE_INIT;

enum {
    // The index that OpenSSL reserves for applications (`SSL_CTX_set_app_data`).
    application_index = 0,
    // SSL_CTRL_SET_READ_AHEAD and SSL_CTRL_CLEAR_MODE, and SSL_MODE_AUTO_RETRY.
    set_read_ahead = 41,
    clear_mode = 78,
    auto_retry = 4,
    // The types of records that carry no data: ChangeCipherSpec, alerts and messages of the handshake protocol (RFC 8446 §5.1).
    first_control_record = 20,
    last_control_record = 22,
    // After how many messages without data between them a connection is no longer read ahead.
    messages_read_ahead = 16,
    handshake_start = 0x10,
    handshake_done = 0x20,
    read_alert = 0x4004,
    fatal = 2,
    close_notify = 0,
    // The values of NID_subject_alt_name, GEN_DNS, GEN_IPADD and X509_V_ERR_HOSTNAME_MISMATCH.
    alternative_name = 85,
    host_name = 2,
    address = 7,
    hostname_mismatch = 62,
};

static void look_up(void) {
    void *curl = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_NOLOAD);
    if (!curl) return;
    get_context = dlsym(curl, "SSL_get_SSL_CTX");
    control = dlsym(curl, "SSL_CTX_ctrl");
    control_connection = dlsym(curl, "SSL_ctrl");
    set_message_callback = dlsym(curl, "SSL_CTX_set_msg_callback");
    set_context_data = dlsym(curl, "SSL_CTX_set_ex_data");
    get_context_data = dlsym(curl, "SSL_CTX_get_ex_data");
    get_alpn = dlsym(curl, "SSL_get0_alpn_selected");
    set_alpn = dlsym(curl, "SSL_CTX_set_alpn_protos");
    set_info_callback = dlsym(curl, "SSL_CTX_set_info_callback");
    get_verify_mode = dlsym(curl, "SSL_CTX_get_verify_mode");
    set_verify = dlsym(curl, "SSL_CTX_set_verify");
    get_depth = dlsym(curl, "X509_STORE_CTX_get_error_depth");
    get_certificate = dlsym(curl, "X509_STORE_CTX_get_current_cert");
    set_error = dlsym(curl, "X509_STORE_CTX_set_error");
    get_error = dlsym(curl, "X509_STORE_CTX_get_error");
    get_ssl_index = dlsym(curl, "SSL_get_ex_data_X509_STORE_CTX_idx");
    get_store_data = dlsym(curl, "X509_STORE_CTX_get_ex_data");
    get_extension = dlsym(curl, "X509_get_ext_d2i");
    count_of = dlsym(curl, "OPENSSL_sk_num");
    element_of = dlsym(curl, "OPENSSL_sk_value");
    get_value = dlsym(curl, "GENERAL_NAME_get0_value");
    free_names = dlsym(curl, "GENERAL_NAMES_free");
    ccurl_limits_look_up(curl);
}

struct ccurl_handshake *ccurl_handshake_of(const void *ssl) {
    void *context = get_context(ssl);
    return context ? get_context_data(context, application_index) : NULL;
}

int ccurl_can_watch_handshakes(void) {
    pthread_once(&once, look_up);
    return get_context && set_context_data && get_context_data && get_alpn && set_alpn && set_info_callback;
}

int ccurl_can_check_names(void) {
    return ccurl_can_watch_handshakes() && get_verify_mode && set_verify && get_depth && get_certificate && set_error && get_error
           && get_ssl_index && get_store_data && get_extension && count_of && element_of && get_value && free_names;
}

// Returns whether a certificate has a host or an address among its subject alternative names (RFC 9525 §6.3). libcurl compares the names
// with the host.
static int has_names(const void *certificate) {
    void *names = certificate ? get_extension(certificate, alternative_name, NULL, NULL) : NULL;
    int found = 0;
    for (int index = 0; names && index < count_of(names); index += 1) {
        int kind = -1;
        get_value(element_of(names, index), &kind);
        if (kind == host_name || kind == address) found = 1;
    }
    if (names) free_names(names);
    return found;
}

// OpenSSL calls this for each certificate of the chain; the server's certificate has depth 0.
static int verify(int is_good, void *store) {
    if (is_good && (get_depth(store) != 0 || has_names(get_certificate(store)))) return is_good;
    void *ssl = get_store_data(store, get_ssl_index());
    struct ccurl_handshake *handshake = ssl ? ccurl_handshake_of(ssl) : NULL;
    if (!is_good) {
        if (handshake && handshake->context == get_context(ssl)) handshake->verify_result = get_error(store);
        return is_good;
    }
    set_error(store, hostname_mismatch);
    if (handshake) handshake->lacks_names = 1;
    return 0;
}

static int is(const unsigned char *name, unsigned int count, const char *other) {
    return count == strlen(other) && memcmp(name, other, count) == 0;
}

static void observe(const void *ssl, int where, int value) {
    struct ccurl_handshake *handshake = ccurl_handshake_of(ssl);
    if (!handshake || (handshake->context && handshake->context != get_context(ssl))) return;
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
                              : is(name, count, "h3")       ? CALPN_HTTP3
                                                            : CALPN_OTHER;
    }
}

// OpenSSL calls this for each message of TLS itself. Reading returns after each of them, as it would not with SSL_MODE_AUTO_RETRY; but it goes on
// while bytes are left that were read ahead. So a peer that sends nothing else is not read ahead.
static void receive(int is_sent, int version, int kind, const void *bytes, size_t size, void *ssl, void *argument) {
    (void)argument;
    if (is_sent || kind < first_control_record || kind > last_control_record) return;
    if (kind == last_control_record) ccurl_limits_receive(ssl, version, bytes, size);
    struct ccurl_handshake *handshake = ccurl_handshake_of(ssl);
    if (!handshake || !handshake->is_done) return;
    handshake->messages += 1;
    if (handshake->messages == messages_read_ahead && control_connection) control_connection(ssl, set_read_ahead, 0, NULL);
}

extern int curl_easy_getinfo(void *easy, int info, ...);

// Offers the protocols of the record to the server, and HTTP/1.1 to an HTTPS proxy. Fails if memory ran out.
static int offer(void *easy, void *context, const struct ccurl_handshake *handshake) {
    static const unsigned char names[] = "\2h2\10http/1.1";
    enum { http2_size = 3, http1_size = 9 };
    if (!handshake->offer) return CCURLE_OK;
    int offers_http1 = handshake->offer & COFFER_HTTP1, offers_http2 = handshake->offer & COFFER_HTTP2;
    if (handshake->has_secure_proxy) {
        // The handshake of the server follows the one of the proxy, once the proxy has opened the tunnel.
        long status = 0;
        curl_easy_getinfo(easy, CCURLINFO_HTTP_CONNECTCODE, &status);
        if (status < 200 || status > 299) offers_http1 = 1, offers_http2 = 0;
    }
    const unsigned char *first = offers_http2 ? names : names + http2_size;
    unsigned int size = (offers_http2 ? http2_size : 0) + (offers_http1 ? http1_size : 0);
    return set_alpn(context, first, size) == 0 ? CCURLE_OK : CCURLE_OUT_OF_MEMORY;
}

// libcurl calls this for each new connection, before its handshake.
static int set_up(void *easy, void *context, void *handshake) {
    struct ccurl_handshake *state = handshake;
    ccurl_limits_set(context);
    if (set_message_callback) set_message_callback(context, receive);
    if (easy != state->owner) {
        // A name server, which libcurl verifies whatever the policy of the handle is.
        if (ccurl_can_check_names()) set_verify(context, get_verify_mode(context), verify);
        return CCURLE_OK;
    }
    set_context_data(context, application_index, handshake);
    // Also what was observed of an older connection, which libcurl closed meanwhile, or of the proxy.
    state->has_begun = state->is_done = state->protocol = state->alert = state->has_ended = 0;
    state->verify_result = state->lacks_names = state->refusal = 0;
    state->messages = 0;
    state->context = context;
    set_info_callback(context, observe);
    if (control && ((struct ccurl_handshake *)handshake)->reads_ahead) control(context, set_read_ahead, 1, NULL);
    if (control && set_message_callback) control(context, clear_mode, auto_retry, NULL);
    // libcurl falls back to the subject's common name, which RFC 9525 §6.3 forbids. The mode that libcurl has set is kept: since 8.17 the
    // handshake continues whatever the callback returns, and libcurl checks the verification result afterwards.
    if (ccurl_can_check_names() && ((struct ccurl_handshake *)handshake)->checks_names) {
        set_verify(context, get_verify_mode(context), verify);
    }
    return offer(easy, context, state);
}

extern int curl_easy_setopt(void *easy, int option, ...);

int ccurl_easy_watch_handshake(void *easy, struct ccurl_handshake *handshake) {
    if (!ccurl_can_watch_handshakes()) return CCURLE_NOT_BUILT_IN;
    int result = curl_easy_setopt(easy, CCURLOPT_SSL_CTX_DATA, handshake);
    return result ? result : curl_easy_setopt(easy, CCURLOPT_SSL_CTX_FUNCTION, set_up);
}
#else
int ccurl_refusal(int version, const void *message, size_t size) {
    (void)version, (void)message, (void)size;
    return CREFUSAL_NONE;
}
int ccurl_can_watch_handshakes(void) { return 0; }
int ccurl_can_check_names(void) { return 0; }
int ccurl_easy_watch_handshake(void *easy, struct ccurl_handshake *handshake) {
    (void)easy;
    (void)handshake;
    return CCURLE_NOT_BUILT_IN;
}
#endif
