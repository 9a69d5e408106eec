// OpenSSL's functions, as they were found.
#ifndef COPENSSL_LIBRARY_H
#define COPENSSL_LIBRARY_H

#include "COpenSSL.h"
#include "OpenSSLFunctions.h"

#define MEMBER(result, name, parameters) result(*name) parameters;
struct openssl_functions {
    OPENSSL_FUNCTIONS(MEMBER)
    // One of them is NULL.
    OPENSSL_FUNCTIONS_SINCE_3(MEMBER)
    OPENSSL_FUNCTIONS_BEFORE_3(MEMBER)
};
#undef MEMBER
// Set by `copenssl_load_failure`.
extern struct openssl_functions openssl;

#define CONSTANT(name, value) OSSL_##name = value,
enum { OPENSSL_CONSTANTS(CONSTANT) };
#undef CONSTANT

// Limits what a handshake under this context may cost.
void copenssl_limits_set(struct ssl_ctx_st *context);
// Examines a message that was received during the handshake, and makes OpenSSL refuse it if it would take too long.
void copenssl_limits_receive(struct copenssl_connection *connection, int version, const void *bytes, size_t size);
// Returns the connection that OpenSSL's object belongs to.
struct copenssl_connection *copenssl_connection_of(const struct ssl_st *ssl);

struct copenssl_roots {
    struct x509_store_st *store;
};

struct copenssl_policy {
    struct ssl_ctx_st *context;
    int verifies;
    int key_log;
    size_t pin_count;
    unsigned char pins[];
};

// Returns the reason of an error if it belongs to OpenSSL's TLS library; 0 otherwise.
int copenssl_reason(unsigned long error);
// Writes the first error of this thread in words, and removes all.
unsigned long copenssl_take_error(char *text, size_t size);

#endif
