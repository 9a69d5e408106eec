#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "Handshake.h"

#ifdef __linux__
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

// A peer chooses how much processor time a handshake takes: by the number of its certificates, by their keys, and by the group of a key exchange.
// It happens in one call without input, so that neither a time limit nor the guard of the loop could end it. The most that is accepted here takes
// about 0.2 s, with an authority that is trusted; OpenSSL by itself accepts certificates that take more than 20 s, from anyone.

enum {
    certificate_message = 11,
    first_version_with_contexts = 0x0304,
    // OpenSSL takes up to 0.5 ms to read a key (a compressed point of P-224).
    maximum_certificates = 32,
    // The number of certificates between the server's and the root, each of which takes up to 13 ms (DSA of 10,000 bits).
    maximum_depth = 10,
    // An exponentiation takes the third power of it: 31 ms with this, 900 ms with OpenSSL's limit of 10,000.
    maximum_group_bits = 4096,
    // SSL_SECOP_TMP_DH.
    group_operation = 0x40007,
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

int ccurl_refusal(int version, const void *message, size_t size) {
    const unsigned char *bytes = message;
    if (size < 8 || bytes[0] != certificate_message) return CREFUSAL_NONE;
    if (describes_curve(bytes + 4, size - 4)) return CREFUSAL_CURVE;
    int has_contexts = version >= first_version_with_contexts;
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
    return count > maximum_certificates ? CREFUSAL_COUNT : CREFUSAL_NONE;
}

typedef int (*security_callback)(
    const void *ssl, const void *context, int operation, int bits, int number, void *other, void *data);
static security_callback (*get_security_callback)(const void *context);
static void (*set_security_callback)(void *context, security_callback callback);
static void (*set_security_data)(void *context, void *data);
static int (*get_bits)(const void *key);
static void (*set_depth)(void *context, int depth);
static unsigned long (*get_version)(void);
static uint64_t (*set_options)(void *context, uint64_t options);

void ccurl_limits_look_up(void *curl) {
    get_security_callback = dlsym(curl, "SSL_CTX_get_security_callback");
    set_security_callback = dlsym(curl, "SSL_CTX_set_security_callback");
    set_security_data = dlsym(curl, "SSL_CTX_set0_security_ex_data");
    // Before 3.0, the callback gets the group itself.
    get_bits = dlsym(curl, "EVP_PKEY_get_bits");
    if (!get_bits) get_bits = dlsym(curl, "DH_bits");
    set_depth = dlsym(curl, "SSL_CTX_set_verify_depth");
    get_version = dlsym(curl, "OpenSSL_version_num");
    set_options = dlsym(curl, "SSL_CTX_set_options");
}

static int check(const void *ssl, const void *context, int operation, int bits, int number, void *other, void *data) {
    if (operation == group_operation && other && get_bits(other) > maximum_group_bits) {
        struct ccurl_handshake *handshake = ssl ? ccurl_handshake_of(ssl) : NULL;
        if (handshake) handshake->refusal = CREFUSAL_GROUP;
        return 0;
    }
    return ((security_callback)data)(ssl, context, operation, bits, number, other, NULL);
}

void ccurl_limits_set(void *context) {
    if (set_depth) set_depth(context, maximum_depth);
    if (get_security_callback && set_security_callback && set_security_data && get_bits) {
        security_callback other = get_security_callback(context);
        if (other && other != check) {
            set_security_data(context, (void *)other);
            set_security_callback(context, check);
        }
    }
    // SSL_OP_NO_RX_CERTIFICATE_COMPRESSION: what is compressed is not seen here.
    if (set_options && get_version && get_version() >= 0x30200000) set_options(context, (uint64_t)1 << 33);
}

void ccurl_limits_receive(const void *ssl, int version, const void *bytes, size_t size) {
    int refusal = ccurl_refusal(version, bytes, size);
    if (!refusal) return;
    struct ccurl_handshake *handshake = ccurl_handshake_of(ssl);
    if (handshake) handshake->refusal = refusal;
    // The callback cannot refuse a message. The bytes are those of OpenSSL's buffer: with these lengths, which are invalid in each version of TLS,
    // it ends the handshake before it reads a certificate.
    memset((unsigned char *)bytes + 4, 0xFF, 4);
}
#endif
