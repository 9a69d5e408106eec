#include "Library.h"

#ifdef __linux__
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>

enum {
    application_index = 0,
    // How many bytes one call reads at most: some records of the largest size, 16 KiB, or a flight of a handshake.
    budget_of_call = 64 << 10,
    host_name = 0,
    all_flags = OSSL_BIO_FLAGS_READ | OSSL_BIO_FLAGS_WRITE | OSSL_BIO_FLAGS_SHOULD_RETRY,
};


// MARK: Input and output

static int retry(struct bio_st *bio, int direction) {
    openssl.BIO_set_flags(bio, direction | OSSL_BIO_FLAGS_SHOULD_RETRY);
    return -1;
}

static void count_input(copenssl_connection *connection, int count) {
    connection->budget -= count;
    connection->bytes_without_data += (unsigned int)count;
}

static int read_below(struct bio_st *bio, copenssl_connection *connection, char *bytes, int count) {
    long result = copenssl_receive(connection->below, bytes, (size_t)count);
    if (result > 0) return (int)result;
    switch (result) {
    case COPENSSL_END: connection->has_input_ended = 1; return 0;
    case COPENSSL_MORE: connection->has_more = 1; return retry(bio, OSSL_BIO_FLAGS_READ);
    case COPENSSL_WANTS_READ: connection->has_blocked = 1; return retry(bio, OSSL_BIO_FLAGS_READ);
    case COPENSSL_WANTS_WRITE: connection->waits_for_write = 1; return retry(bio, OSSL_BIO_FLAGS_READ);
    default: connection->system_error = connection->below->system_error; return -1;
    }
}

static int read_bytes(struct bio_st *bio, char *bytes, int count) {
    copenssl_connection *connection = openssl.BIO_get_data(bio);
    openssl.BIO_clear_flags(bio, all_flags);
    if (connection->budget <= 0) {
        connection->has_more = 1;
        return retry(bio, OSSL_BIO_FLAGS_READ);
    }
    if (count > connection->budget) count = connection->budget;
    if (connection->below) {
        int result = read_below(bio, connection, bytes, count);
        if (result > 0) count_input(connection, result);
        return result;
    }
    for (;;) {
        long result = recv(connection->descriptor, bytes, (size_t)count, MSG_DONTWAIT);
        if (result > 0) {
            count_input(connection, (int)result);
            connection->was_short = result < count;
            return (int)result;
        }
        if (result == 0) {
            connection->has_input_ended = 1;
            return 0;
        }
        if (errno == EINTR) continue;
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            connection->has_blocked = connection->was_short = 1;
            return retry(bio, OSSL_BIO_FLAGS_READ);
        }
        connection->system_error = errno;
        return -1;
    }
}

static int write_below(struct bio_st *bio, copenssl_connection *connection, const char *bytes, int count) {
    // The call below removes the errors of this connection, such as the one that an alert reports.
    if (openssl.ERR_peek_error() && !connection->reason)
        connection->reason = copenssl_reason(copenssl_take_error(connection->text, COPENSSL_TEXT_SIZE));
    long result = copenssl_send(connection->below, bytes, (size_t)count);
    if (result > 0) return (int)result;
    if (result == COPENSSL_FAILED) {
        connection->system_error = connection->below->system_error;
        return -1;
    }
    connection->waits_for_write = 1;
    return retry(bio, OSSL_BIO_FLAGS_WRITE);
}

static int write_bytes(struct bio_st *bio, const char *bytes, int count) {
    copenssl_connection *connection = openssl.BIO_get_data(bio);
    openssl.BIO_clear_flags(bio, all_flags);
    if (connection->below) return write_below(bio, connection, bytes, count);
    for (;;) {
        long result = send(connection->descriptor, bytes, (size_t)count, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (result >= 0) return (int)result;
        if (errno == EINTR) continue;
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            connection->waits_for_write = 1;
            return retry(bio, OSSL_BIO_FLAGS_WRITE);
        }
        connection->system_error = errno;
        return -1;
    }
}

static long control(struct bio_st *bio, int command, long number, void *pointer) {
    (void)number, (void)pointer;
    const copenssl_connection *connection = openssl.BIO_get_data(bio);
    switch (command) {
    case OSSL_BIO_CTRL_FLUSH: return 1;
    case OSSL_BIO_CTRL_EOF: return connection && connection->has_input_ended;
    default: return 0;
    }
}

static struct bio_method_st *method;

static void make_method(void) {
    struct bio_method_st *made = openssl.BIO_meth_new(OSSL_BIO_TYPE_SOURCE_SINK | 127, "connection");
    if (!made) return;
    openssl.BIO_meth_set_read(made, read_bytes);
    openssl.BIO_meth_set_write(made, write_bytes);
    openssl.BIO_meth_set_ctrl(made, control);
    method = made;
}

// MARK: Calls

copenssl_connection *copenssl_connection_of(const struct ssl_st *ssl) {
    return openssl.SSL_get_ex_data(ssl, application_index);
}

static void begin_call(copenssl_connection *connection) {
    connection->budget = budget_of_call;
    connection->has_more = connection->has_blocked = connection->was_short = connection->waits_for_write = 0;
    // What other code has left behind in this thread would be taken for an error of this call.
    if (openssl.ERR_peek_error()) openssl.ERR_clear_error();
}

// Finds out why a call of OpenSSL has returned neither success nor bytes.
static int outcome(copenssl_connection *connection, int result) {
    if (connection->bytes_without_data > COPENSSL_MAXIMUM_WITHOUT_DATA) {
        openssl.ERR_clear_error();
        return COPENSSL_FAILED;
    }
    switch (openssl.SSL_get_error(connection->ssl, result)) {
    case OSSL_SSL_ERROR_WANT_READ:
        if (connection->waits_for_write) return COPENSSL_WANTS_WRITE;
        if (connection->has_more) return COPENSSL_MORE;
        if (connection->has_blocked) return COPENSSL_WANTS_READ;
        // It has handled a message, and has not looked for another one.
        return COPENSSL_MORE;
    case OSSL_SSL_ERROR_WANT_WRITE: return COPENSSL_WANTS_WRITE;
    case OSSL_SSL_ERROR_ZERO_RETURN: connection->has_ended_orderly = 1; return COPENSSL_END;
    default: break;
    }
    if (connection->reason && !openssl.ERR_peek_error()) return COPENSSL_FAILED;
    int reason = copenssl_reason(copenssl_take_error(connection->text, COPENSSL_TEXT_SIZE));
    if (!connection->reason) connection->reason = reason;
    if (reason > OSSL_SSL_AD_REASON_OFFSET && reason <= OSSL_SSL_AD_REASON_OFFSET + 255)
        connection->alert = reason - OSSL_SSL_AD_REASON_OFFSET;
    return COPENSSL_FAILED;
}

struct ssl_st *copenssl_prepare(
    copenssl_connection *connection, copenssl_policy *policy, struct bio_method_st *input, void *data, const char *name,
    const unsigned char *address, size_t address_size, const unsigned char *protocols, unsigned int protocols_size,
    copenssl_session *session) {
    struct ssl_st *ssl = openssl.SSL_new(policy->context);
    struct bio_st *bio = input && ssl ? openssl.BIO_new(input) : NULL;
    if (!bio) {
        openssl.SSL_free(ssl);
        openssl.ERR_clear_error();
        return NULL;
    }
    openssl.BIO_set_data(bio, data);
    openssl.BIO_set_init(bio, 1);
    openssl.SSL_set_bio(ssl, bio, bio);
    openssl.SSL_set_ex_data(ssl, application_index, connection);
    connection->ssl = ssl;
    connection->policy = policy;
    struct X509_VERIFY_PARAM_st *parameters = openssl.SSL_get0_param(ssl);
    openssl.X509_VERIFY_PARAM_set_hostflags(
        parameters, OSSL_X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | OSSL_X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    int is_set = 1;
    if (name) {
        is_set = openssl.SSL_ctrl(ssl, OSSL_SSL_CTRL_SET_TLSEXT_HOSTNAME, host_name, (void *)name) == 1
                 && openssl.X509_VERIFY_PARAM_set1_host(parameters, name, strlen(name)) == 1;
    } else {
        is_set = openssl.X509_VERIFY_PARAM_set1_ip(parameters, address, address_size) == 1;
    }
    if (is_set && protocols_size) is_set = openssl.SSL_set_alpn_protos(ssl, protocols, protocols_size) == 0;
    if (is_set && session) openssl.SSL_set_session(ssl, (struct ssl_session_st *)session);
    openssl.ERR_clear_error();
    if (is_set) return ssl;
    copenssl_close(connection, 0);
    return NULL;
}

int copenssl_open(
    copenssl_connection *connection, copenssl_policy *policy, const char *name, const unsigned char *address, size_t address_size,
    const unsigned char *protocols, unsigned int protocols_size, copenssl_session *session) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_method);
    struct ssl_st *ssl =
        copenssl_prepare(connection, policy, method, connection, name, address, address_size, protocols, protocols_size, session);
    if (ssl) openssl.SSL_set_connect_state(ssl);
    return ssl != NULL;
}

int copenssl_handshake(copenssl_connection *connection) {
    begin_call(connection);
    int result = openssl.SSL_do_handshake(connection->ssl);
    if (result == 1) {
        connection->is_ready = 1;
        connection->bytes_without_data = 0;
        return COPENSSL_DONE;
    }
    result = outcome(connection, result);
    // An orderly end is a failure while there is no connection.
    return result == COPENSSL_END ? COPENSSL_FAILED : result;
}

long copenssl_receive(copenssl_connection *connection, void *bytes, size_t count) {
    begin_call(connection);
    connection->reading_waits_for_write = 0;
    int result = openssl.SSL_read(connection->ssl, bytes, count < INT_MAX ? (int)count : INT_MAX);
    if (result > 0) {
        connection->bytes_without_data = 0;
        return result;
    }
    result = outcome(connection, result);
    connection->reading_waits_for_write = result == COPENSSL_WANTS_WRITE;
    // The socket has ended without a close_notify, which OpenSSL reports as an error.
    if (result == COPENSSL_FAILED && connection->has_input_ended && !connection->system_error && !connection->alert) return COPENSSL_END;
    return result;
}

int copenssl_is_drained(const copenssl_connection *connection) {
    return connection->was_short && !connection->below && !openssl.SSL_has_pending(connection->ssl);
}

long copenssl_send(copenssl_connection *connection, const void *bytes, size_t count) {
    begin_call(connection);
    int result = openssl.SSL_write(connection->ssl, bytes, count < INT_MAX ? (int)count : INT_MAX);
    if (result > 0) return result;
    result = outcome(connection, result);
    return result == COPENSSL_END ? COPENSSL_FAILED : result;
}

void copenssl_close(copenssl_connection *connection, int notifies) {
    if (!connection->ssl) return;
    if (notifies && connection->is_ready && !connection->reason && !connection->system_error) {
        begin_call(connection);
        openssl.SSL_shutdown(connection->ssl);
    }
    openssl.SSL_free(connection->ssl);
    openssl.ERR_clear_error();
    connection->ssl = NULL;
    for (int index = 0; index < connection->session_count; index += 1) copenssl_session_free(connection->sessions[index]);
    connection->session_count = 0;
}

const unsigned char *copenssl_protocol(const copenssl_connection *connection, unsigned int *size) {
    const unsigned char *name = NULL;
    openssl.SSL_get0_alpn_selected(connection->ssl, &name, size);
    return name;
}


// MARK: Sessions

void copenssl_session_free(copenssl_session *session) { openssl.SSL_SESSION_free((struct ssl_session_st *)session); }
int copenssl_session_is_resumable(const copenssl_session *session) {
    return openssl.SSL_SESSION_is_resumable((const struct ssl_session_st *)session);
}
int copenssl_session_is_single_use(const copenssl_session *session) {
    return openssl.SSL_SESSION_get_protocol_version((const struct ssl_session_st *)session) >= OSSL_TLS1_3_VERSION;
}
#else
typedef int copenssl_connection_needs_linux;
#endif
