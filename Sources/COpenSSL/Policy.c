#include "Library.h"

#ifdef __linux__
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    digest_size = 32,
    application_index = 0,
    // Keys of RSA have at least 2048 bits, and no signature has SHA-1: the default since 3.2, and that of Debian and Ubuntu before.
    security_level = 2,
};

// MARK: Roots

copenssl_roots *copenssl_roots_create(void) {
    copenssl_roots *roots = calloc(1, sizeof *roots);
    if (!roots) return NULL;
    roots->store = openssl.X509_STORE_new();
    if (roots->store) return roots;
    free(roots);
    return NULL;
}

void copenssl_roots_free(copenssl_roots *roots) {
    if (!roots) return;
    openssl.X509_STORE_free(roots->store);
    free(roots);
}

int copenssl_roots_add(copenssl_roots *roots, const void *bytes, size_t size) {
    const unsigned char *next = bytes;
    struct x509_st *certificate = size <= LONG_MAX ? openssl.d2i_X509(NULL, &next, (long)size) : NULL;
    int is_added = certificate && openssl.X509_STORE_add_cert(roots->store, certificate);
    openssl.X509_free(certificate);
    openssl.ERR_clear_error();
    return is_added;
}

int copenssl_roots_load(copenssl_roots *roots, const char *file, const char *folders) {
    int is_loaded = openssl.X509_STORE_load_locations(roots->store, file, folders);
    openssl.ERR_clear_error();
    return is_loaded == 1;
}

// MARK: Verification

static int has_key(const copenssl_policy *policy, const struct x509_st *certificate) {
    unsigned char digest[digest_size];
    const struct X509_pubkey_st *key = certificate ? openssl.X509_get_X509_PUBKEY(certificate) : NULL;
    int size = key ? openssl.i2d_X509_PUBKEY(key, NULL) : -1;
    unsigned char *bytes = size > 0 ? malloc((size_t)size) : NULL, *end = bytes;
    int is_hashed = bytes && openssl.i2d_X509_PUBKEY(key, &end) == size
                    && openssl.EVP_Digest(bytes, (size_t)size, digest, NULL, openssl.EVP_sha256(), NULL);
    free(bytes);
    if (!is_hashed) return 0;
    for (size_t index = 0; index < policy->pin_count; index += 1)
        if (memcmp(policy->pins + index * digest_size, digest, digest_size) == 0) return 1;
    return 0;
}

static int is_pinned(const copenssl_policy *policy, struct x509_store_ctx_st *verification) {
    if (policy->pin_count == 0) return 1;
    // Of a chain that is not verified, the server has proven to own the first key only.
    if (!policy->verifies) return has_key(policy, openssl.X509_STORE_CTX_get0_cert(verification));
    const struct stack_st *chain = (const struct stack_st *)openssl.X509_STORE_CTX_get0_chain(verification);
    for (int index = 0; chain && index < openssl.OPENSSL_sk_num(chain); index += 1)
        if (has_key(policy, openssl.OPENSSL_sk_value(chain, index))) return 1;
    return 0;
}

// Returns whether a certificate has a host or an address among its subject alternative names (RFC 9525 §6.3).
static int has_names(const struct x509_st *certificate) {
    void *names = certificate ? openssl.X509_get_ext_d2i(certificate, OSSL_NID_subject_alt_name, NULL, NULL) : NULL;
    int found = 0;
    for (int index = 0; names && index < openssl.OPENSSL_sk_num(names); index += 1) {
        int kind = -1;
        openssl.GENERAL_NAME_get0_value(openssl.OPENSSL_sk_value(names, index), &kind);
        if (kind == OSSL_GEN_DNS || kind == OSSL_GEN_IPADD) found = 1;
    }
    if (names) openssl.GENERAL_NAMES_free(names);
    return found;
}

// OpenSSL calls this when the server's certificates were received.
static int verify(struct x509_store_ctx_st *verification, void *argument) {
    const copenssl_policy *policy = argument;
    struct ssl_st *ssl = openssl.X509_STORE_CTX_get_ex_data(verification, openssl.SSL_get_ex_data_X509_STORE_CTX_idx());
    copenssl_connection *connection = ssl ? copenssl_connection_of(ssl) : NULL;
    if (!connection) return 0;
    if (policy->verifies && openssl.X509_verify_cert(verification) != 1) {
        int result = openssl.X509_STORE_CTX_get_error(verification);
        // The verification must not end in success for a reason that it does not name.
        if (result == OSSL_X509_V_OK) openssl.X509_STORE_CTX_set_error(verification, result = OSSL_X509_V_ERR_APPLICATION_VERIFICATION);
        struct x509_st *certificate = openssl.X509_STORE_CTX_get_current_cert(verification);
        connection->verify_result = result;
        connection->verify_depth = openssl.X509_STORE_CTX_get_error_depth(verification);
        if (certificate)
            openssl.X509_NAME_oneline(openssl.X509_get_subject_name(certificate), connection->verify_subject, COPENSSL_TEXT_SIZE);
        if (result == OSSL_X509_V_ERR_HOSTNAME_MISMATCH || result == OSSL_X509_V_ERR_IP_ADDRESS_MISMATCH)
            connection->lacks_names = !has_names(openssl.X509_STORE_CTX_get0_cert(verification));
        return 0;
    }
    if (is_pinned(policy, verification)) {
        openssl.X509_STORE_CTX_set_error(verification, OSSL_X509_V_OK);
        return 1;
    }
    connection->is_pin_missing = 1;
    openssl.X509_STORE_CTX_set_error(verification, OSSL_X509_V_ERR_APPLICATION_VERIFICATION);
    return 0;
}

// MARK: Policies

// OpenSSL calls this with a line for the key log.
static void log_key(const struct ssl_st *ssl, const char *line) {
    const copenssl_policy *policy = openssl.SSL_CTX_get_ex_data(openssl.SSL_get_SSL_CTX(ssl), application_index);
    char text[COPENSSL_TEXT_SIZE * 2];
    int size = snprintf(text, sizeof text, "%s\n", line);
    if (size <= 0 || (size_t)size >= sizeof text || !policy) return;
    // One call, so that lines of several threads do not mix.
    while (write(policy->key_log, text, (size_t)size) < 0 && errno == EINTR) {}
}

// OpenSSL calls this with each session that the server offers to resume. Returns whether it is kept.
static int keep_session(struct ssl_st *ssl, struct ssl_session_st *session) {
    copenssl_connection *connection = copenssl_connection_of(ssl);
    const int limit = sizeof connection->sessions / sizeof *connection->sessions;
    if (!connection || connection->session_count >= limit) return 0;
    connection->sessions[connection->session_count++] = (copenssl_session *)session;
    return 1;
}

// OpenSSL calls this for each message of TLS itself, until the handshake is complete.
static void receive_message(
    int is_sent, int version, int kind, const void *bytes, size_t size, struct ssl_st *ssl, void *argument) {
    (void)argument;
    if (is_sent || kind != OSSL_SSL3_RT_HANDSHAKE) return;
    copenssl_connection *connection = copenssl_connection_of(ssl);
    if (connection) copenssl_limits_receive(connection, version, bytes, size);
}

copenssl_policy *copenssl_policy_create(
    const copenssl_roots *roots, const unsigned char *pins, size_t pin_count, int minimum_version, int key_log, int is_quic) {
    copenssl_policy *policy = calloc(1, sizeof *policy + pin_count * digest_size);
    const struct ssl_method_st *method = is_quic ? copenssl_quic_method() : openssl.TLS_client_method();
    struct ssl_ctx_st *context = policy && method ? openssl.SSL_CTX_new(method) : NULL;
    if (!context) {
        free(policy);
        return NULL;
    }
    *policy = (copenssl_policy){.context = context, .verifies = roots != NULL, .key_log = key_log, .pin_count = pin_count};
    if (pin_count) memcpy(policy->pins, pins, pin_count * digest_size);
    openssl.SSL_CTX_set_ex_data(context, application_index, policy);
    openssl.SSL_CTX_ctrl(context, OSSL_SSL_CTRL_SET_MIN_PROTO_VERSION, minimum_version, NULL);
    if (minimum_version < OSSL_TLS1_2_VERSION) {
        openssl.SSL_CTX_set_cipher_list(context, "DEFAULT@SECLEVEL=0");
    } else if (openssl.SSL_CTX_get_security_level(context) < security_level) {
        openssl.SSL_CTX_set_security_level(context, security_level);
    }
    // Of what was received, only one record or message is handled in a call, and all that has arrived is read at once.
    openssl.SSL_CTX_ctrl(context, OSSL_SSL_CTRL_CLEAR_MODE, OSSL_SSL_MODE_AUTO_RETRY, NULL);
    openssl.SSL_CTX_ctrl(
        context, OSSL_SSL_CTRL_MODE,
        OSSL_SSL_MODE_ENABLE_PARTIAL_WRITE | OSSL_SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | OSSL_SSL_MODE_RELEASE_BUFFERS, NULL);
    openssl.SSL_CTX_ctrl(context, OSSL_SSL_CTRL_SET_READ_AHEAD, 1, NULL);
    openssl.SSL_CTX_ctrl(
        context, OSSL_SSL_CTRL_SET_SESS_CACHE_MODE, OSSL_SSL_SESS_CACHE_CLIENT | OSSL_SSL_SESS_CACHE_NO_INTERNAL, NULL);
    openssl.SSL_CTX_sess_set_new_cb(context, keep_session);
    openssl.SSL_CTX_set_msg_callback(context, receive_message);
    // The callback decides. Without a verification, it accepts what OpenSSL would refuse, and still checks the pins.
    openssl.SSL_CTX_set_verify(context, OSSL_SSL_VERIFY_PEER, NULL);
    openssl.SSL_CTX_set_cert_verify_callback(context, verify, policy);
    copenssl_limits_set(context);
    // A handshake of TLS 1.2 that a server begins anew would cost as much as the first one, each time (RFC 9113 §9.2.1).
    openssl.SSL_CTX_set_options(context, OSSL_SSL_OP_NO_RENEGOTIATION);
    if (key_log >= 0) openssl.SSL_CTX_set_keylog_callback(context, log_key);
    if (roots) {
        openssl.X509_STORE_up_ref(roots->store);
        // Each of the roots is trusted, also one that another authority has signed.
        openssl.X509_STORE_set_flags(roots->store, OSSL_X509_V_FLAG_PARTIAL_CHAIN);
        openssl.SSL_CTX_set_cert_store(context, roots->store);
    }
    openssl.ERR_clear_error();
    return policy;
}

void copenssl_policy_free(copenssl_policy *policy) {
    if (!policy) return;
    openssl.SSL_CTX_free(policy->context);
    free(policy);
}

// MARK: Identities

static int add_certificate(copenssl_policy *policy, struct x509_st *certificate, int is_first) {
    if (!certificate) return 0;
    if (is_first) return openssl.SSL_CTX_use_certificate(policy->context, certificate) == 1;
    // The 1 makes OpenSSL count its reference.
    return openssl.SSL_CTX_ctrl(policy->context, OSSL_SSL_CTRL_CHAIN_CERT, 1, certificate) == 1;
}

static int use_key(copenssl_policy *policy, struct evp_pkey_st *key) {
    // Servers with TLS 1.2 may ask for a client certificate only when a request needs one.
    openssl.SSL_CTX_clear_options(policy->context, OSSL_SSL_OP_NO_RENEGOTIATION);
    return key && openssl.SSL_CTX_use_PrivateKey(policy->context, key) == 1
           && openssl.SSL_CTX_check_private_key(policy->context) == 1;
}

static int fail(const char *what, char *text, size_t size) {
    char reason[COPENSSL_TEXT_SIZE];
    copenssl_take_error(reason, sizeof reason);
    snprintf(text, size, reason[0] ? "%s: %s" : "%s", what, reason);
    return 0;
}

int copenssl_policy_set_identity(
    copenssl_policy *policy, const void *certificates, const size_t *sizes, size_t count, const void *key, size_t key_size,
    const char *passphrase, char *text, size_t text_size) {
    const unsigned char *next = certificates;
    for (size_t index = 0; index < count; index += 1) {
        const unsigned char *bytes = next;
        struct x509_st *certificate = openssl.d2i_X509(NULL, &bytes, (long)sizes[index]);
        int is_added = add_certificate(policy, certificate, index == 0);
        openssl.X509_free(certificate);
        if (!is_added) return fail("a certificate cannot be used", text, text_size);
        next += sizes[index];
    }
    struct bio_st *bio = openssl.BIO_new_mem_buf(key, (int)key_size);
    // Without a callback, the last argument is the passphrase, and OpenSSL does not prompt for one.
    struct evp_pkey_st *parsed = bio ? openssl.PEM_read_bio_PrivateKey(bio, NULL, NULL, (void *)passphrase) : NULL;
    if (bio) openssl.BIO_free(bio);
    if (!parsed) return fail("the key cannot be read", text, text_size);
    int is_used = use_key(policy, parsed);
    openssl.EVP_PKEY_free(parsed);
    return is_used ? 1 : fail("the key does not belong to the certificate", text, text_size);
}

static void free_certificate(void *certificate) { openssl.X509_free(certificate); }

int copenssl_policy_set_container(
    copenssl_policy *policy, const void *container, size_t size, const char *passphrase, char *text, size_t text_size) {
    const unsigned char *next = container;
    struct PKCS12_st *parsed = openssl.d2i_PKCS12(NULL, &next, (long)size);
    struct evp_pkey_st *key = NULL;
    struct x509_st *certificate = NULL;
    struct stack_st_X509 *others = NULL;
    if (!parsed) return fail("it is not a PKCS #12 container", text, text_size);
    int is_open = openssl.PKCS12_parse(parsed, passphrase, &key, &certificate, &others);
    openssl.PKCS12_free(parsed);
    int result = 1;
    if (!is_open) {
        result = fail("the container cannot be opened", text, text_size);
    } else if (!add_certificate(policy, certificate, 1)) {
        result = fail(certificate ? "its certificate cannot be used" : "it has no certificate that belongs to a key", text, text_size);
    } else if (!use_key(policy, key)) {
        result = fail(key ? "the key does not belong to the certificate" : "it has no key", text, text_size);
    }
    for (int index = 0; result && others && index < openssl.OPENSSL_sk_num((struct stack_st *)others); index += 1) {
        if (!add_certificate(policy, openssl.OPENSSL_sk_value((struct stack_st *)others, index), 0))
            result = fail("one of its certificates cannot be used", text, text_size);
    }
    if (others) openssl.OPENSSL_sk_pop_free((struct stack_st *)others, free_certificate);
    if (certificate) openssl.X509_free(certificate);
    if (key) openssl.EVP_PKEY_free(key);
    return result;
}
#else
typedef int copenssl_policy_needs_linux;
#endif
