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

// Returns a function of the library that was loaded; NULL if it has no such function, or if the program has linked the library.
void *copenssl_function(const char *name);
// Returns the method of QUIC's contexts; NULL if QUIC cannot be used.
const struct ssl_method_st *copenssl_quic_method(void);
// Makes OpenSSL's object of a connection, with the names that are checked, the protocols that are offered and the session that is resumed. Its input and
// output are `method`, which finds `data` in the BIO. Returns NULL on failure.
struct ssl_st *copenssl_prepare(
    copenssl_connection *connection, copenssl_policy *policy, struct bio_method_st *method, void *data, const char *name,
    const unsigned char *address, size_t address_size, const unsigned char *protocols, unsigned int protocols_size,
    copenssl_session *session);

// Returns the reason of an error if it belongs to OpenSSL's TLS library; 0 otherwise.
int copenssl_reason(unsigned long error);
// Writes the first error of this thread in words, and removes all.
unsigned long copenssl_take_error(char *text, size_t size);

#endif
