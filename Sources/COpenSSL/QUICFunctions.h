// The functions and constants of OpenSSL's QUIC that are used, as its version 3.5 declares them. They are separate from those of TLS, since older
// versions and some builds have none of them.
#ifndef QUIC_FUNCTIONS_H
#define QUIC_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

struct bio_addr_st;
struct bio_method_st;
struct bio_st;
struct ssl_method_st;
struct ssl_st;
struct timeval;

// A datagram (BIO_MSG), in an array whose elements are as far apart as the caller says.
typedef struct {
    void *data;
    size_t data_len;
    struct bio_addr_st *peer, *local;
    uint64_t flags;
} openssl_datagram;

// SSL_SHUTDOWN_EX_ARGS
typedef struct {
    uint64_t error_code;
    const char *reason;
} openssl_shutdown;

// SSL_STREAM_RESET_ARGS
typedef struct {
    uint64_t error_code;
} openssl_reset;

// SSL_CONN_CLOSE_INFO. The reason is not terminated.
typedef struct {
    uint64_t error_code, frame_type;
    const char *reason;
    size_t reason_len;
    uint32_t flags;
} openssl_close_info;

typedef int (*openssl_move_datagrams)(
    struct bio_st *bio, openssl_datagram *datagrams, size_t stride, size_t count, uint64_t flags, size_t *moved);

// F(result, name, parameters)
#define QUIC_FUNCTIONS(F) \
    F(const struct ssl_method_st *, OSSL_QUIC_client_method, (void)) \
    F(int, SSL_set_blocking_mode, (struct ssl_st *ssl, int blocks)) \
    F(int, SSL_set_default_stream_mode, (struct ssl_st *ssl, uint32_t mode)) \
    F(int, SSL_set_incoming_stream_policy, (struct ssl_st *ssl, int policy, uint64_t error_code)) \
    F(int, SSL_set1_initial_peer_addr, (struct ssl_st *ssl, const struct bio_addr_st *address)) \
    F(int, SSL_set_value_uint, (struct ssl_st *ssl, uint32_t kind, uint32_t name, uint64_t value)) \
    F(int, SSL_get_value_uint, (struct ssl_st *ssl, uint32_t kind, uint32_t name, uint64_t *value)) \
    F(int, SSL_handle_events, (struct ssl_st *ssl)) \
    F(int, SSL_get_event_timeout, (struct ssl_st *ssl, struct timeval *time, int *is_infinite)) \
    F(struct ssl_st *, SSL_new_stream, (struct ssl_st *ssl, uint64_t flags)) \
    F(struct ssl_st *, SSL_accept_stream, (struct ssl_st *ssl, uint64_t flags)) \
    F(uint64_t, SSL_get_stream_id, (struct ssl_st *stream)) \
    F(int, SSL_read_ex, (struct ssl_st *stream, void *bytes, size_t count, size_t *read)) \
    F(int, SSL_write_ex2, (struct ssl_st *stream, const void *bytes, size_t count, uint64_t flags, size_t *written)) \
    F(int, SSL_stream_conclude, (struct ssl_st *stream, uint64_t flags)) \
    F(int, SSL_stream_reset, (struct ssl_st *stream, const openssl_reset *arguments, size_t size)) \
    F(int, SSL_get_stream_read_state, (struct ssl_st *stream)) \
    F(int, SSL_get_stream_read_error_code, (struct ssl_st *stream, uint64_t *code)) \
    F(int, SSL_get_conn_close_info, (struct ssl_st *ssl, openssl_close_info *info, size_t size)) \
    F(const char *, SSL_alert_desc_string_long, (int alert)) \
    F(int, SSL_shutdown_ex, (struct ssl_st *ssl, uint64_t flags, const openssl_shutdown *arguments, size_t size)) \
    F(int, SSL_poll, \
      (void *items, size_t count, size_t stride, const struct timeval *time, uint64_t flags, size_t *ready)) \
    F(int, BIO_meth_set_sendmmsg, (struct bio_method_st *method, openssl_move_datagrams function)) \
    F(int, BIO_meth_set_recvmmsg, (struct bio_method_st *method, openssl_move_datagrams function)) \
    F(struct bio_addr_st *, BIO_ADDR_new, (void)) \
    F(void, BIO_ADDR_free, (struct bio_addr_st *address)) \
    F(int, BIO_ADDR_rawmake, \
      (struct bio_addr_st *address, int family, const void *bytes, size_t count, unsigned short port)) \
    F(void, ERR_new, (void)) \
    F(void, ERR_set_debug, (const char *file, int line, const char *function)) \
    F(void, ERR_set_error, (int library, int reason, const char *format, ...))

// C(name in OpenSSL, value)
#define QUIC_CONSTANTS(C) \
    C(BIO_POLL_DESCRIPTOR_TYPE_SSL, 2) \
    C(ERR_LIB_SYS, 2) \
    C(SSL_ACCEPT_STREAM_NO_BLOCK, 1) \
    C(SSL_CONN_CLOSE_FLAG_LOCAL, 1) \
    C(SSL_CONN_CLOSE_FLAG_TRANSPORT, 2) \
    C(SSL_DEFAULT_STREAM_MODE_NONE, 0) \
    C(SSL_INCOMING_STREAM_POLICY_ACCEPT, 1) \
    C(SSL_POLL_FLAG_NO_HANDLE_EVENTS, 1) \
    C(SSL_R_STREAM_FINISHED, 365) \
    C(SSL_R_STREAM_RESET, 375) \
    C(SSL_SHUTDOWN_FLAG_NO_BLOCK, 4) \
    C(SSL_SHUTDOWN_FLAG_NO_STREAM_FLUSH, 2) \
    C(SSL_SHUTDOWN_FLAG_RAPID, 1) \
    C(SSL_STREAM_FLAG_NO_BLOCK, 2) \
    C(SSL_STREAM_FLAG_UNI, 1) \
    C(SSL_STREAM_STATE_FINISHED, 3) \
    C(SSL_STREAM_STATE_RESET_REMOTE, 5) \
    C(SSL_VALUE_CLASS_FEATURE_REQUEST, 1) \
    C(SSL_VALUE_CLASS_GENERIC, 0) \
    C(SSL_VALUE_EVENT_HANDLING_MODE, 6) \
    C(SSL_VALUE_EVENT_HANDLING_MODE_EXPLICIT, 2) \
    C(SSL_VALUE_QUIC_IDLE_TIMEOUT, 5) \
    C(SSL_VALUE_QUIC_STREAM_BIDI_LOCAL_AVAIL, 1) \
    C(SSL_VALUE_STREAM_WRITE_BUF_USED, 8) \
    C(SSL_WRITE_FLAG_CONCLUDE, 1)

#endif
