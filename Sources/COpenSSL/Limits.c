#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "Library.h"

#ifdef __linux__
#include <string.h>

// A peer chooses how much processor time a handshake takes: by the number of its certificates, by their keys, and by the group of a key exchange.
// It happens in one call without input, so that neither a time limit could end it, nor a cancellation. The most that is accepted here takes
// about 0.2 s, with an authority that is trusted; OpenSSL by itself accepts certificates that take more than 20 s, from anyone.

enum {
    // OpenSSL takes up to 0.5 ms to read a key (a compressed point of P-224).
    maximum_certificates = 32,
    // The number of certificates between the server's and the root, each of which takes up to 13 ms (DSA of 10,000 bits).
    maximum_depth = 10,
    // An exponentiation takes the third power of it: 31 ms with this, 900 ms with OpenSSL's limit of 10,000.
    maximum_group_bits = 4096,
};

// OpenSSL finds the square root for a compressed point by a method whose time depends on the prime: 150 ms for one that the peer has chosen.
// A key in a certificate has to name its curve (RFC 5480 §2.1.1); OpenSSL refuses others too, but after it has read them. These are the two kinds
// of keys with such parameters: id-ecPublicKey and SM2.
static const struct {
    unsigned char bytes[8];
    size_t count;
} curve_keys[] = {{{0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01}, 7}, {{0x2A, 0x81, 0x1C, 0xCF, 0x55, 0x01, 0x82, 0x2D}, 8}};
// The bit of a tag that has other values in it, such as a SEQUENCE.
static const unsigned char is_constructed = 0x20;

static size_t integer(const unsigned char *bytes, size_t count) {
    size_t value = 0;
    for (size_t index = 0; index < count; index += 1) value = value << 8 | bytes[index];
    return value;
}

// Returns whether the parameters of a curve follow the name of a kind of key, in place of the curve's name.
static int describes_curve(const unsigned char *bytes, size_t size) {
    for (size_t kind = 0; kind < sizeof curve_keys / sizeof *curve_keys; kind += 1) {
        const unsigned char *end = bytes + size, *next = bytes;
        while ((next = memmem(next, end - next, curve_keys[kind].bytes, curve_keys[kind].count))) {
            next += curve_keys[kind].count;
            if (next < end && *next & is_constructed) return 1;
        }
    }
    return 0;
}

int copenssl_refusal(int version, const void *message, size_t size) {
    const unsigned char *bytes = message;
    if (size < 8 || bytes[0] != OSSL_SSL3_MT_CERTIFICATE) return COPENSSL_REFUSAL_NONE;
    if (describes_curve(bytes + 4, size - 4)) return COPENSSL_REFUSAL_CURVE;
    int has_contexts = version >= OSSL_TLS1_3_VERSION;
    size_t index = 4, count = 0;
    if (has_contexts) index += 1 + bytes[index];
    index += 3;
    // OpenSSL reads as many as there are, also if what follows is malformed.
    while (index < size && size - index >= 3) {
        size_t length = integer(bytes + index, 3);
        if (length > size - index - 3) break;
        index += 3 + length;
        count += 1;
        if (!has_contexts) continue;
        if (size - index < 2) break;
        index += 2 + integer(bytes + index, 2);
    }
    return count > maximum_certificates ? COPENSSL_REFUSAL_COUNT : COPENSSL_REFUSAL_NONE;
}

// OpenSSL calls this for each algorithm and key of a handshake.
static int check(
    const struct ssl_st *ssl, const struct ssl_ctx_st *context, int operation, int bits, int number, void *other, void *data) {
    if (operation == OSSL_SSL_SECOP_TMP_DH && other
        && (openssl.EVP_PKEY_get_bits ? openssl.EVP_PKEY_get_bits : openssl.EVP_PKEY_bits)(other) > maximum_group_bits) {
        copenssl_connection *connection = ssl ? copenssl_connection_of(ssl) : NULL;
        if (connection) connection->refusal = COPENSSL_REFUSAL_GROUP;
        return 0;
    }
    return ((openssl_security_callback)data)(ssl, context, operation, bits, number, other, NULL);
}

void copenssl_limits_set(struct ssl_ctx_st *context) {
    openssl.SSL_CTX_set_verify_depth(context, maximum_depth);
    openssl.SSL_CTX_set0_security_ex_data(context, (void *)openssl.SSL_CTX_get_security_callback(context));
    openssl.SSL_CTX_set_security_callback(context, check);
    // SSL_OP_NO_RX_CERTIFICATE_COMPRESSION, since 3.2: what is compressed is not seen here.
    if (openssl.OpenSSL_version_num() >= 0x30200000) openssl.SSL_CTX_set_options(context, (uint64_t)1 << 33);
}

void copenssl_limits_receive(copenssl_connection *connection, int version, const void *bytes, size_t size) {
    int refusal = copenssl_refusal(version, bytes, size);
    if (!refusal) return;
    connection->refusal = refusal;
    // The callback cannot refuse a message. The bytes are those of OpenSSL's buffer: with these lengths, which are invalid in each version of TLS,
    // it ends the handshake before it reads a certificate.
    memset((unsigned char *)bytes + 4, 0xFF, 4);
}
#else
int copenssl_refusal(int version, const void *message, size_t size) {
    (void)version, (void)message, (void)size;
    return COPENSSL_REFUSAL_NONE;
}
#endif
