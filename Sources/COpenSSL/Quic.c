#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "Library.h"
#include "COpenSSLQuic.h"
#include "QUICFunctions.h"

#ifdef __linux__
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#define CONSTANT(name, value) OSSL_##name = value,
enum { QUIC_CONSTANTS(CONSTANT) };
#undef CONSTANT

enum {
    // The most datagrams of one system call.
    batch = 32,
    first_version = 0x30500000,
    crypto_error = 0x100,
};

_Static_assert(sizeof(copenssl_quic_item) == (sizeof(void *) == 8 ? 32 : 24), "SSL_POLL_ITEM");

#define MEMBER(result, name, parameters) result(*name) parameters;
static struct {
    QUIC_FUNCTIONS(MEMBER)
} functions;
#undef MEMBER

static struct bio_method_st *method;
static const char *failure = "OpenSSL was not loaded";

// MARK: Datagrams

static int raise_system(int error) {
    functions.ERR_new();
    functions.ERR_set_debug("Quic.c", 0, "datagrams");
    functions.ERR_set_error(OSSL_ERR_LIB_SYS, error, NULL);
    return 0;
}

static openssl_datagram *element(openssl_datagram *datagrams, size_t stride, size_t index) {
    return (openssl_datagram *)((char *)datagrams + index * stride);
}

static void prepare(
    struct mmsghdr *headers, struct iovec *parts, openssl_datagram *datagrams, size_t stride, size_t count) {
    memset(headers, 0, count * sizeof *headers);
    for (size_t index = 0; index < count; index += 1) {
        openssl_datagram *datagram = element(datagrams, stride, index);
        parts[index] = (struct iovec){datagram->data, datagram->data_len};
        headers[index].msg_hdr.msg_iov = &parts[index];
        headers[index].msg_hdr.msg_iovlen = 1;
    }
}

// Whether an error of the socket says only that an earlier datagram has not arrived. Anybody on the network may have sent the ICMP message, so that
// it ends a handshake at most; later, silence ends the connection.
static int is_passing(const copenssl_quic *quic, int error) {
    switch (error) {
    case ECONNREFUSED:
    case EHOSTUNREACH:
    case ENETUNREACH: return quic->tls.is_ready;
    case ENOBUFS:
    case ENOMEM: return 1;
    default: return 0;
    }
}

static int receive(
    struct bio_st *bio, openssl_datagram *datagrams, size_t stride, size_t count, uint64_t flags, size_t *moved) {
    (void)flags;
    copenssl_quic *quic = openssl.BIO_get_data(bio);
    struct mmsghdr headers[batch];
    struct iovec parts[batch];
    *moved = 0;
    if (quic->is_flushing) return raise_system(EAGAIN);
    if (quic->input_budget <= 0) {
        quic->has_more_input = 1;
        return raise_system(EAGAIN);
    }
    if (count > batch) count = batch;
    if (count > (size_t)quic->input_budget) count = (size_t)quic->input_budget;
    prepare(headers, parts, datagrams, stride, count);
    int result;
    do result = recvmmsg(quic->tls.descriptor, headers, (unsigned int)count, MSG_DONTWAIT, NULL);
    while (result < 0 && errno == EINTR);
    if (result < 0) {
        int error = errno;
        if (error == EAGAIN || error == EWOULDBLOCK) {
            quic->is_drained = 1;
            quic->has_more_input = 0;
            return raise_system(EAGAIN);
        }
        // There may be datagrams behind the error.
        if (is_passing(quic, error)) {
            quic->input_budget -= 1;
            quic->has_more_input = 1;
            return raise_system(EAGAIN);
        }
        quic->tls.system_error = error;
        return raise_system(error);
    }
    for (int index = 0; index < result; index += 1) {
        openssl_datagram *datagram = element(datagrams, stride, (size_t)index);
        datagram->data_len = headers[index].msg_len;
        datagram->flags = 0;
    }
    if ((size_t)result < count) {
        quic->is_drained = 1;
    } else {
        quic->has_more_input = 1;
    }
    quic->input_budget -= result;
    quic->idle_datagrams += (unsigned int)result;
    quic->has_moved = 1;
    *moved = (size_t)result;
    return 1;
}

static int transmit(
    struct bio_st *bio, openssl_datagram *datagrams, size_t stride, size_t count, uint64_t flags, size_t *moved) {
    (void)flags;
    copenssl_quic *quic = openssl.BIO_get_data(bio);
    struct mmsghdr headers[batch];
    struct iovec parts[batch];
    *moved = 0;
    if (quic->output_budget <= 0) {
        quic->has_more_output = 1;
        return raise_system(EAGAIN);
    }
    if (count > batch) count = batch;
    if (count > (size_t)quic->output_budget) count = (size_t)quic->output_budget;
    prepare(headers, parts, datagrams, stride, count);
    int result;
    do result = sendmmsg(quic->tls.descriptor, headers, (unsigned int)count, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (result < 0 && errno == EINTR);
    if (result < 0) {
        int error = errno;
        if (error == EAGAIN || error == EWOULDBLOCK) {
            quic->is_full = 1;
            return raise_system(EAGAIN);
        }
        if (!is_passing(quic, error)) {
            quic->tls.system_error = error;
            return raise_system(error);
        }
        // The datagram counts as lost, and is repeated when no acknowledgement has arrived.
        result = 1;
    }
    quic->output_budget -= result;
    quic->has_moved = 1;
    *moved = (size_t)result;
    return 1;
}

static long control(struct bio_st *bio, int command, long number, void *pointer) {
    (void)bio, (void)number, (void)pointer;
    return command == OSSL_BIO_CTRL_FLUSH;
}

// MARK: The library

static void load(void) {
    static char text[192];
    failure = copenssl_load_failure();
    if (failure) return;
    if (openssl.OpenSSL_version_num() < first_version) {
        snprintf(text, sizeof text, "HTTP/3 needs OpenSSL 3.5 or later, and this is %s", copenssl_version());
        failure = text;
        return;
    }
#define USE(result, name, parameters) \
    if (!(*(void **)&functions.name = copenssl_function(#name))) { \
        snprintf(text, sizeof text, "%s was built without QUIC: it has no function %s", copenssl_version(), #name); \
        failure = text; \
        return; \
    }
    QUIC_FUNCTIONS(USE)
#undef USE
    struct bio_method_st *made = openssl.BIO_meth_new(OSSL_BIO_TYPE_SOURCE_SINK | 126, "datagrams");
    if (!made) {
        failure = "no memory for QUIC";
        return;
    }
    openssl.BIO_meth_set_ctrl(made, control);
    functions.BIO_meth_set_recvmmsg(made, receive);
    functions.BIO_meth_set_sendmmsg(made, transmit);
    method = made;
}

const char *copenssl_quic_failure(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return failure;
}

const struct ssl_method_st *copenssl_quic_method(void) {
    return copenssl_quic_failure() ? NULL : functions.OSSL_QUIC_client_method();
}

// MARK: Connections

static void begin_call(void) {
    // What an earlier call has left behind would be taken for an error of this one.
    if (openssl.ERR_peek_error()) openssl.ERR_clear_error();
}

// Sets the address of the server. OpenSSL keeps the tokens of a server under its address (RFC 9000 §8.1.3), and without one drops packets that contain a
// token, with all of their other frames.
static int set_address(copenssl_quic *quic, struct ssl_st *ssl) {
    struct sockaddr_storage peer;
    socklen_t size = sizeof peer;
    if (getpeername(quic->tls.descriptor, (struct sockaddr *)&peer, &size)) return 0;
    struct bio_addr_st *address = functions.BIO_ADDR_new();
    int is_made = 0;
    if (address && peer.ss_family == AF_INET) {
        struct sockaddr_in *place = (struct sockaddr_in *)&peer;
        is_made = functions.BIO_ADDR_rawmake(address, AF_INET, &place->sin_addr, sizeof place->sin_addr, place->sin_port);
    } else if (address && peer.ss_family == AF_INET6) {
        struct sockaddr_in6 *place = (struct sockaddr_in6 *)&peer;
        is_made = functions.BIO_ADDR_rawmake(address, AF_INET6, &place->sin6_addr, sizeof place->sin6_addr, place->sin6_port);
    }
    int is_set = is_made == 1 && functions.SSL_set1_initial_peer_addr(ssl, address) == 1;
    functions.BIO_ADDR_free(address);
    return is_set;
}

int copenssl_quic_open(
    copenssl_quic *quic, copenssl_policy *policy, const char *name, const unsigned char *address, size_t address_size,
    const unsigned char *protocols, unsigned int protocols_size, copenssl_session *session, uint64_t idle_milliseconds) {
    struct ssl_st *ssl = copenssl_prepare(&quic->tls, policy, method, quic, name, address, address_size, protocols, protocols_size, session);
    int is_set = ssl && set_address(quic, ssl) && functions.SSL_set_blocking_mode(ssl, 0) == 1
                 && functions.SSL_set_default_stream_mode(ssl, OSSL_SSL_DEFAULT_STREAM_MODE_NONE) == 1
                 && functions.SSL_set_incoming_stream_policy(ssl, OSSL_SSL_INCOMING_STREAM_POLICY_ACCEPT, 0) == 1
                 && functions.SSL_set_value_uint(
                        ssl, OSSL_SSL_VALUE_CLASS_GENERIC, OSSL_SSL_VALUE_EVENT_HANDLING_MODE,
                        OSSL_SSL_VALUE_EVENT_HANDLING_MODE_EXPLICIT)
                        == 1
                 && functions.SSL_set_value_uint(
                        ssl, OSSL_SSL_VALUE_CLASS_FEATURE_REQUEST, OSSL_SSL_VALUE_QUIC_IDLE_TIMEOUT, idle_milliseconds)
                        == 1;
    openssl.ERR_clear_error();
    if (!is_set) copenssl_close(&quic->tls, 0);
    return is_set;
}

// Records how a connection has ended.
static void note_close(copenssl_quic *quic) {
    openssl_close_info info = {0};
    if (quic->is_closed || functions.SSL_get_conn_close_info(quic->tls.ssl, &info, sizeof info) != 1) return;
    quic->is_closed = 1;
    quic->close_code = info.error_code;
    quic->is_closed_here = (info.flags & OSSL_SSL_CONN_CLOSE_FLAG_LOCAL) != 0;
    quic->is_transport_error = (info.flags & OSSL_SSL_CONN_CLOSE_FLAG_TRANSPORT) != 0;
    size_t size = info.reason ? info.reason_len : 0;
    if (size >= sizeof quic->close_reason) size = sizeof quic->close_reason - 1;
    if (size) memcpy(quic->close_reason, info.reason, size);
    quic->close_reason[size] = 0;
    // An alert of TLS (RFC 9001 §4.8).
    if (quic->is_transport_error && !quic->is_closed_here && info.error_code >= crypto_error && info.error_code < crypto_error + 256)
        quic->tls.alert = (int)(info.error_code - crypto_error);
}

static int fail(copenssl_quic *quic) {
    note_close(quic);
    if (!quic->tls.reason && openssl.ERR_peek_error())
        quic->tls.reason = copenssl_reason(copenssl_take_error(quic->tls.text, COPENSSL_TEXT_SIZE));
    // OpenSSL says only that the connection has ended.
    if (quic->tls.alert) snprintf(quic->tls.text, COPENSSL_TEXT_SIZE, "alert %s", functions.SSL_alert_desc_string_long(quic->tls.alert));
    openssl.ERR_clear_error();
    return COPENSSL_FAILED;
}

// Continues the handshake. Returns one of the results of `copenssl_quic_turn`.
static int shake(copenssl_quic *quic) {
    begin_call();
    int result = openssl.SSL_do_handshake(quic->tls.ssl);
    if (result == 1) {
        quic->tls.is_ready = 1;
        return COPENSSL_DONE;
    }
    switch (openssl.SSL_get_error(quic->tls.ssl, result)) {
    case OSSL_SSL_ERROR_WANT_READ:
    case OSSL_SSL_ERROR_WANT_WRITE: return COPENSSL_WANTS_READ;
    default: return fail(quic);
    }
}

int copenssl_quic_turn(copenssl_quic *quic) {
    quic->input_budget = COPENSSL_DATAGRAMS_IN;
    quic->output_budget = COPENSSL_DATAGRAMS_OUT;
    quic->is_drained = quic->is_full = quic->has_more_input = quic->has_more_output = quic->has_moved = 0;
    // The first call begins the connection, without which there are no events.
    if (!quic->tls.is_ready && shake(quic) == COPENSSL_FAILED) return COPENSSL_FAILED;
    begin_call();
    functions.SSL_handle_events(quic->tls.ssl);
    openssl.ERR_clear_error();
    if (!quic->tls.is_ready) {
        int result = shake(quic);
        if (result != COPENSSL_DONE) return result;
    }
    // One call receives as many datagrams as OpenSSL has room for, or as the budget permits.
    if (quic->idle_datagrams > COPENSSL_MAXIMUM_IDLE_DATAGRAMS) return COPENSSL_FAILED;
    note_close(quic);
    return quic->is_closed ? COPENSSL_FAILED : COPENSSL_DONE;
}

void copenssl_quic_flush(copenssl_quic *quic) {
    begin_call();
    // What has arrived meanwhile is received in the next turn.
    quic->is_flushing = 1;
    functions.SSL_handle_events(quic->tls.ssl);
    quic->is_flushing = 0;
    openssl.ERR_clear_error();
}

int64_t copenssl_quic_timeout(copenssl_quic *quic) {
    struct timeval time = {0};
    int is_infinite = 1;
    if (functions.SSL_get_event_timeout(quic->tls.ssl, &time, &is_infinite) != 1) {
        openssl.ERR_clear_error();
        return -1;
    }
    return is_infinite ? -1 : (int64_t)time.tv_sec * 1000000 + time.tv_usec;
}

void copenssl_quic_close(copenssl_quic *quic, uint64_t code) {
    if (!quic->tls.ssl) return;
    if (!quic->is_closed && !quic->tls.system_error) {
        openssl_shutdown arguments = {code, NULL};
        quic->output_budget = COPENSSL_DATAGRAMS_OUT;
        // Nothing is received any more.
        quic->is_flushing = 1;
        begin_call();
        functions.SSL_shutdown_ex(
            quic->tls.ssl,
            OSSL_SSL_SHUTDOWN_FLAG_RAPID | OSSL_SSL_SHUTDOWN_FLAG_NO_STREAM_FLUSH | OSSL_SSL_SHUTDOWN_FLAG_NO_BLOCK, &arguments,
            sizeof arguments);
        functions.SSL_handle_events(quic->tls.ssl);
    }
    copenssl_close(&quic->tls, 0);
}

// MARK: Streams

static void *identify(struct ssl_st *stream, uint64_t *number) {
    if (stream) *number = functions.SSL_get_stream_id(stream);
    openssl.ERR_clear_error();
    return stream;
}

void *copenssl_quic_open_stream(copenssl_quic *quic, int is_unidirectional, uint64_t *number) {
    uint64_t flags = OSSL_SSL_STREAM_FLAG_NO_BLOCK | (is_unidirectional ? OSSL_SSL_STREAM_FLAG_UNI : 0);
    begin_call();
    return identify(functions.SSL_new_stream(quic->tls.ssl, flags), number);
}

void *copenssl_quic_accept_stream(copenssl_quic *quic, uint64_t *number) {
    begin_call();
    return identify(functions.SSL_accept_stream(quic->tls.ssl, OSSL_SSL_ACCEPT_STREAM_NO_BLOCK), number);
}

static uint64_t value(struct ssl_st *ssl, uint32_t name) {
    uint64_t value = 0;
    if (functions.SSL_get_value_uint(ssl, OSSL_SSL_VALUE_CLASS_GENERIC, name, &value) != 1) {
        openssl.ERR_clear_error();
        return 0;
    }
    return value;
}

uint64_t copenssl_quic_available(copenssl_quic *quic) {
    return value(quic->tls.ssl, OSSL_SSL_VALUE_QUIC_STREAM_BIDI_LOCAL_AVAIL);
}

uint64_t copenssl_quic_unacknowledged(void *stream) { return value(stream, OSSL_SSL_VALUE_STREAM_WRITE_BUF_USED); }

long copenssl_quic_read(copenssl_quic *quic, void *stream, void *bytes, size_t count) {
    size_t read = 0;
    begin_call();
    if (functions.SSL_read_ex(stream, bytes, count, &read) == 1) {
        quic->idle_datagrams = 0;
        return (long)read;
    }
    int error = openssl.SSL_get_error(stream, 0);
    openssl.ERR_clear_error();
    switch (error) {
    case OSSL_SSL_ERROR_WANT_READ:
    case OSSL_SSL_ERROR_WANT_WRITE: return COPENSSL_WANTS_READ;
    case OSSL_SSL_ERROR_ZERO_RETURN: return COPENSSL_END;
    default: break;
    }
    int state = functions.SSL_get_stream_read_state(stream);
    int has_code = state == OSSL_SSL_STREAM_STATE_RESET_REMOTE
                   && functions.SSL_get_stream_read_error_code(stream, &quic->reset_code) == 1;
    openssl.ERR_clear_error();
    if (has_code) return COPENSSL_RESET;
    if (state == OSSL_SSL_STREAM_STATE_FINISHED) return COPENSSL_END;
    note_close(quic);
    return COPENSSL_FAILED;
}

long copenssl_quic_write(copenssl_quic *quic, void *stream, const void *bytes, size_t count, int is_end) {
    size_t written = 0;
    begin_call();
    int result = count
        ? functions.SSL_write_ex2(stream, bytes, count, is_end ? OSSL_SSL_WRITE_FLAG_CONCLUDE : 0, &written)
        : !is_end || functions.SSL_stream_conclude(stream, 0) == 1;
    if (result == 1) {
        quic->idle_datagrams = 0;
        return (long)written;
    }
    int error = openssl.SSL_get_error(stream, result);
    int reason = copenssl_reason(openssl.ERR_peek_error());
    openssl.ERR_clear_error();
    if (error == OSSL_SSL_ERROR_WANT_READ || error == OSSL_SSL_ERROR_WANT_WRITE) return COPENSSL_WANTS_WRITE;
    return reason == OSSL_SSL_R_STREAM_RESET || reason == OSSL_SSL_R_STREAM_FINISHED ? COPENSSL_RESET : COPENSSL_FAILED;
}

void copenssl_quic_reset(void *stream, uint64_t code) {
    openssl_reset arguments = {code};
    begin_call();
    functions.SSL_stream_reset(stream, &arguments, sizeof arguments);
    openssl.ERR_clear_error();
}

void copenssl_quic_free_stream(void *stream) {
    openssl.SSL_free(stream);
    openssl.ERR_clear_error();
}

void copenssl_quic_watch(copenssl_quic_item *item, copenssl_quic *quic, void *stream, uint64_t events) {
    *item = (copenssl_quic_item){OSSL_BIO_POLL_DESCRIPTOR_TYPE_SSL, stream ? stream : quic->tls.ssl, events, 0};
}

size_t copenssl_quic_poll(copenssl_quic_item *items, size_t count) {
    struct timeval zero = {0};
    size_t ready = 0;
    begin_call();
    functions.SSL_poll(items, count, sizeof *items, &zero, OSSL_SSL_POLL_FLAG_NO_HANDLE_EVENTS, &ready);
    openssl.ERR_clear_error();
    return ready;
}
#else
typedef int copenssl_quic_needs_linux;
#endif
