// The functions and constants of OpenSSL that are used, as its version 3 declares them; 1.1.1 differs in qualifiers only. They are declared here
// so that no development package is needed. A test compiles this file together with OpenSSL's headers, and compares each type and value.
#ifndef OPENSSL_FUNCTIONS_H
#define OPENSSL_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

// OpenSSL's types, all of which are opaque here.
struct GENERAL_NAME_st;
struct PKCS12_st;
struct X509_VERIFY_PARAM_st;
struct X509_name_st;
struct X509_pubkey_st;
struct bio_method_st;
struct bio_st;
struct engine_st;
struct evp_md_st;
struct evp_pkey_st;
struct ossl_init_settings_st;
struct ssl_ctx_st;
struct ssl_method_st;
struct ssl_session_st;
struct ssl_st;
struct stack_st;
struct stack_st_GENERAL_NAME;
struct stack_st_X509;
struct x509_st;
struct x509_store_ctx_st;
struct x509_store_st;

typedef int (*openssl_security_callback)(
    const struct ssl_st *ssl, const struct ssl_ctx_st *context, int operation, int bits, int number, void *other, void *data);
typedef void (*openssl_message_callback)(
    int is_sent, int version, int kind, const void *bytes, size_t count, struct ssl_st *ssl, void *argument);

// F(result, name, parameters)
#define OPENSSL_FUNCTIONS(F) \
    /* The library, and its errors. */ \
    F(int, OPENSSL_init_ssl, (uint64_t options, const struct ossl_init_settings_st *settings)) \
    F(unsigned long, OpenSSL_version_num, (void)) \
    F(const char *, OpenSSL_version, (int kind)) \
    F(unsigned long, ERR_get_error, (void)) \
    F(unsigned long, ERR_peek_error, (void)) \
    F(void, ERR_clear_error, (void)) \
    F(void, ERR_error_string_n, (unsigned long error, char *text, size_t size)) \
    F(const char *, ERR_reason_error_string, (unsigned long error)) \
    /* Contexts. */ \
    F(const struct ssl_method_st *, TLS_client_method, (void)) \
    F(struct ssl_ctx_st *, SSL_CTX_new, (const struct ssl_method_st *method)) \
    F(void, SSL_CTX_free, (struct ssl_ctx_st *context)) \
    F(long, SSL_CTX_ctrl, (struct ssl_ctx_st *context, int command, long number, void *pointer)) \
    F(uint64_t, SSL_CTX_set_options, (struct ssl_ctx_st *context, uint64_t options)) \
    F(uint64_t, SSL_CTX_clear_options, (struct ssl_ctx_st *context, uint64_t options)) \
    F(int, SSL_CTX_set_cipher_list, (struct ssl_ctx_st *context, const char *ciphers)) \
    F(int, SSL_CTX_set_ex_data, (struct ssl_ctx_st *context, int index, void *data)) \
    F(void *, SSL_CTX_get_ex_data, (const struct ssl_ctx_st *context, int index)) \
    F(void, SSL_CTX_set_verify, (struct ssl_ctx_st *context, int mode, int (*callback)(int, struct x509_store_ctx_st *))) \
    F(void, SSL_CTX_set_verify_depth, (struct ssl_ctx_st *context, int depth)) \
    F(void, SSL_CTX_set_cert_verify_callback, \
      (struct ssl_ctx_st *context, int (*callback)(struct x509_store_ctx_st *, void *), void *argument)) \
    F(void, SSL_CTX_set_cert_store, (struct ssl_ctx_st *context, struct x509_store_st *store)) \
    F(int, SSL_CTX_use_certificate, (struct ssl_ctx_st *context, struct x509_st *certificate)) \
    F(int, SSL_CTX_use_PrivateKey, (struct ssl_ctx_st *context, struct evp_pkey_st *key)) \
    F(int, SSL_CTX_check_private_key, (const struct ssl_ctx_st *context)) \
    F(void, SSL_CTX_sess_set_new_cb, (struct ssl_ctx_st *context, int (*callback)(struct ssl_st *, struct ssl_session_st *))) \
    F(void, SSL_CTX_set_keylog_callback, (struct ssl_ctx_st *context, void (*callback)(const struct ssl_st *, const char *))) \
    F(void, SSL_CTX_set_msg_callback, (struct ssl_ctx_st *context, openssl_message_callback callback)) \
    F(openssl_security_callback, SSL_CTX_get_security_callback, (const struct ssl_ctx_st *context)) \
    F(void, SSL_CTX_set_security_callback, (struct ssl_ctx_st *context, openssl_security_callback callback)) \
    F(void, SSL_CTX_set0_security_ex_data, (struct ssl_ctx_st *context, void *data)) \
    F(int, SSL_CTX_get_security_level, (const struct ssl_ctx_st *context)) \
    F(void, SSL_CTX_set_security_level, (struct ssl_ctx_st *context, int level)) \
    /* Connections. */ \
    F(struct ssl_st *, SSL_new, (struct ssl_ctx_st *context)) \
    F(void, SSL_free, (struct ssl_st *ssl)) \
    F(long, SSL_ctrl, (struct ssl_st *ssl, int command, long number, void *pointer)) \
    F(void, SSL_set_bio, (struct ssl_st *ssl, struct bio_st *reading, struct bio_st *writing)) \
    F(void, SSL_set_connect_state, (struct ssl_st *ssl)) \
    F(int, SSL_do_handshake, (struct ssl_st *ssl)) \
    F(int, SSL_read, (struct ssl_st *ssl, void *bytes, int count)) \
    F(int, SSL_write, (struct ssl_st *ssl, const void *bytes, int count)) \
    F(int, SSL_shutdown, (struct ssl_st *ssl)) \
    F(int, SSL_get_error, (const struct ssl_st *ssl, int result)) \
    F(struct ssl_ctx_st *, SSL_get_SSL_CTX, (const struct ssl_st *ssl)) \
    F(int, SSL_set_ex_data, (struct ssl_st *ssl, int index, void *data)) \
    F(void *, SSL_get_ex_data, (const struct ssl_st *ssl, int index)) \
    F(int, SSL_get_ex_data_X509_STORE_CTX_idx, (void)) \
    F(struct X509_VERIFY_PARAM_st *, SSL_get0_param, (struct ssl_st *ssl)) \
    F(int, SSL_set_alpn_protos, (struct ssl_st *ssl, const unsigned char *names, unsigned int count)) \
    F(void, SSL_get0_alpn_selected, (const struct ssl_st *ssl, const unsigned char **name, unsigned int *count)) \
    F(int, SSL_has_pending, (const struct ssl_st *ssl)) \
    F(int, SSL_set_session, (struct ssl_st *ssl, struct ssl_session_st *session)) \
    F(void, SSL_SESSION_free, (struct ssl_session_st *session)) \
    F(int, SSL_SESSION_is_resumable, (const struct ssl_session_st *session)) \
    F(int, SSL_SESSION_get_protocol_version, (const struct ssl_session_st *session)) \
    /* Input and output. */ \
    F(struct bio_method_st *, BIO_meth_new, (int kind, const char *name)) \
    F(int, BIO_meth_set_read, (struct bio_method_st *method, int (*function)(struct bio_st *, char *, int))) \
    F(int, BIO_meth_set_write, (struct bio_method_st *method, int (*function)(struct bio_st *, const char *, int))) \
    F(int, BIO_meth_set_ctrl, (struct bio_method_st *method, long (*function)(struct bio_st *, int, long, void *))) \
    F(struct bio_st *, BIO_new, (const struct bio_method_st *method)) \
    F(struct bio_st *, BIO_new_mem_buf, (const void *bytes, int count)) \
    F(int, BIO_free, (struct bio_st *bio)) \
    F(void, BIO_set_data, (struct bio_st *bio, void *data)) \
    F(void *, BIO_get_data, (struct bio_st *bio)) \
    F(void, BIO_set_init, (struct bio_st *bio, int is_ready)) \
    F(void, BIO_set_flags, (struct bio_st *bio, int flags)) \
    F(void, BIO_clear_flags, (struct bio_st *bio, int flags)) \
    /* Certificates and keys. */ \
    F(struct x509_st *, d2i_X509, (struct x509_st **certificate, const unsigned char **bytes, long count)) \
    F(void, X509_free, (struct x509_st *certificate)) \
    F(struct X509_name_st *, X509_get_subject_name, (const struct x509_st *certificate)) \
    F(char *, X509_NAME_oneline, (const struct X509_name_st *name, char *text, int size)) \
    F(struct X509_pubkey_st *, X509_get_X509_PUBKEY, (const struct x509_st *certificate)) \
    F(int, i2d_X509_PUBKEY, (const struct X509_pubkey_st *key, unsigned char **bytes)) \
    F(void *, X509_get_ext_d2i, (const struct x509_st *certificate, int name, int *is_critical, int *index)) \
    F(void *, GENERAL_NAME_get0_value, (const struct GENERAL_NAME_st *name, int *kind)) \
    F(void, GENERAL_NAMES_free, (struct stack_st_GENERAL_NAME *names)) \
    F(int, OPENSSL_sk_num, (const struct stack_st *stack)) \
    F(void *, OPENSSL_sk_value, (const struct stack_st *stack, int index)) \
    F(void, OPENSSL_sk_pop_free, (struct stack_st *stack, void (*function)(void *))) \
    F(struct evp_pkey_st *, PEM_read_bio_PrivateKey, \
      (struct bio_st *bio, struct evp_pkey_st **key, int (*callback)(char *, int, int, void *), void *passphrase)) \
    F(void, EVP_PKEY_free, (struct evp_pkey_st *key)) \
    F(struct PKCS12_st *, d2i_PKCS12, (struct PKCS12_st **container, const unsigned char **bytes, long count)) \
    F(int, PKCS12_parse, \
      (struct PKCS12_st *container, const char *passphrase, struct evp_pkey_st **key, struct x509_st **certificate, \
       struct stack_st_X509 **others)) \
    F(void, PKCS12_free, (struct PKCS12_st *container)) \
    F(const struct evp_md_st *, EVP_sha256, (void)) \
    F(int, EVP_Digest, \
      (const void *bytes, size_t count, unsigned char *digest, unsigned int *size, const struct evp_md_st *kind, struct engine_st *engine)) \
    /* Verification. */ \
    F(struct x509_store_st *, X509_STORE_new, (void)) \
    F(void, X509_STORE_free, (struct x509_store_st *store)) \
    F(int, X509_STORE_up_ref, (struct x509_store_st *store)) \
    F(int, X509_STORE_add_cert, (struct x509_store_st *store, struct x509_st *certificate)) \
    F(int, X509_STORE_load_locations, (struct x509_store_st *store, const char *file, const char *folders)) \
    F(int, X509_STORE_set_flags, (struct x509_store_st *store, unsigned long flags)) \
    F(int, X509_VERIFY_PARAM_set1_host, (struct X509_VERIFY_PARAM_st *parameters, const char *name, size_t size)) \
    F(int, X509_VERIFY_PARAM_set1_ip, (struct X509_VERIFY_PARAM_st *parameters, const unsigned char *address, size_t size)) \
    F(void, X509_VERIFY_PARAM_set_hostflags, (struct X509_VERIFY_PARAM_st *parameters, unsigned int flags)) \
    F(int, X509_verify_cert, (struct x509_store_ctx_st *verification)) \
    F(const char *, X509_verify_cert_error_string, (long error)) \
    F(void *, X509_STORE_CTX_get_ex_data, (const struct x509_store_ctx_st *verification, int index)) \
    F(struct x509_st *, X509_STORE_CTX_get0_cert, (const struct x509_store_ctx_st *verification)) \
    F(struct x509_st *, X509_STORE_CTX_get_current_cert, (const struct x509_store_ctx_st *verification)) \
    F(struct stack_st_X509 *, X509_STORE_CTX_get0_chain, (const struct x509_store_ctx_st *verification)) \
    F(int, X509_STORE_CTX_get_error, (const struct x509_store_ctx_st *verification)) \
    F(int, X509_STORE_CTX_get_error_depth, (const struct x509_store_ctx_st *verification)) \
    F(void, X509_STORE_CTX_set_error, (struct x509_store_ctx_st *verification, int error))

// Those that only version 3 has.
#define OPENSSL_FUNCTIONS_SINCE_3(F) F(int, EVP_PKEY_get_bits, (const struct evp_pkey_st *key))
// Its name before, which version 3 declares as a macro.
#define OPENSSL_FUNCTIONS_BEFORE_3(F) F(int, EVP_PKEY_bits, (const struct evp_pkey_st *key))

// C(name in OpenSSL, value), for the test to compare.
#define OPENSSL_CONSTANTS(C) \
    C(BIO_CTRL_EOF, 2) \
    C(BIO_CTRL_FLUSH, 11) \
    C(BIO_FLAGS_READ, 0x01) \
    C(BIO_FLAGS_WRITE, 0x02) \
    C(BIO_FLAGS_SHOULD_RETRY, 0x08) \
    C(BIO_TYPE_SOURCE_SINK, 0x0400) \
    C(ERR_LIB_SSL, 20) \
    C(GEN_DNS, 2) \
    C(GEN_IPADD, 7) \
    C(NID_subject_alt_name, 85) \
    C(OPENSSL_INIT_NO_ATEXIT, 0x80000) \
    C(OPENSSL_VERSION, 0) \
    C(SSL3_MT_CERTIFICATE, 11) \
    C(SSL3_RT_HANDSHAKE, 22) \
    C(SSL_AD_REASON_OFFSET, 1000) \
    C(SSL_CTRL_CHAIN_CERT, 89) \
    C(SSL_CTRL_CLEAR_MODE, 78) \
    C(SSL_CTRL_MODE, 33) \
    C(SSL_CTRL_SET_MIN_PROTO_VERSION, 123) \
    C(SSL_CTRL_SET_READ_AHEAD, 41) \
    C(SSL_CTRL_SET_SESS_CACHE_MODE, 44) \
    C(SSL_CTRL_SET_TLSEXT_HOSTNAME, 55) \
    C(SSL_ERROR_WANT_READ, 2) \
    C(SSL_ERROR_WANT_WRITE, 3) \
    C(SSL_ERROR_ZERO_RETURN, 6) \
    C(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER, 0x02) \
    C(SSL_MODE_AUTO_RETRY, 0x04) \
    C(SSL_MODE_ENABLE_PARTIAL_WRITE, 0x01) \
    C(SSL_MODE_RELEASE_BUFFERS, 0x10) \
    C(SSL_OP_NO_RENEGOTIATION, 0x40000000) \
    C(SSL_SECOP_TMP_DH, 0x40007) \
    C(SSL_SESS_CACHE_CLIENT, 0x0001) \
    C(SSL_SESS_CACHE_NO_INTERNAL, 0x0300) \
    C(SSL_VERIFY_PEER, 1) \
    C(TLS1_2_VERSION, 0x0303) \
    C(TLS1_3_VERSION, 0x0304) \
    C(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, 0x20) \
    C(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS, 0x4) \
    C(X509_V_ERR_APPLICATION_VERIFICATION, 50) \
    C(X509_V_ERR_HOSTNAME_MISMATCH, 62) \
    C(X509_V_ERR_IP_ADDRESS_MISMATCH, 64) \
    C(X509_V_FLAG_PARTIAL_CHAIN, 0x80000) \
    C(X509_V_OK, 0)

#endif
