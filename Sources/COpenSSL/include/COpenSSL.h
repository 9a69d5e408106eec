// TLS over the OpenSSL that the system has: 1.1.1 or 3.x, loaded when it is first needed, so that a program links nothing and starts without it.
//
// A `copenssl_policy` is what the connections of one trust policy share; a `copenssl_connection` is TLS on one socket, or inside another one's
// TLS. A connection and what belongs to it is used by one thread at a time; a policy may be used by several.
#ifndef COPENSSL_H
#define COPENSSL_H

#include <stddef.h>
#include <stdint.h>

#include "LinuxEvents.h"

// The library, which is loaded by the first call of one of these functions.

// Returns why OpenSSL cannot be used, in English; NULL if it can.
const char *copenssl_load_failure(void);
// Returns the name and the version, such as "OpenSSL 3.0.19 27 Jan 2026". The library must be loaded.
const char *copenssl_version(void);
// Returns the text of a result of the verification of a certificate, such as "certificate has expired".
const char *copenssl_verification_text(int result);

// Returns the value of a variable of the environment; NULL if it is not set, or if the program has more rights than the user who has started it.
const char *copenssl_environment(const char *name);

// Certificate authorities. The library must be loaded.

typedef struct copenssl_roots copenssl_roots;
// Returns an empty set; NULL if memory ran out.
copenssl_roots *copenssl_roots_create(void);
void copenssl_roots_free(copenssl_roots *roots);
// Adds a certificate in DER. Returns 0 if it is malformed.
int copenssl_roots_add(copenssl_roots *roots, const void *certificate, size_t size);
// Adds what a file and folders (separated by colons, with OpenSSL's names of files) contain; each may be NULL. Returns 0 on failure.
int copenssl_roots_load(copenssl_roots *roots, const char *file, const char *folders);

// Policies. The library must be loaded.

typedef struct copenssl_policy copenssl_policy;
// Creates a policy; NULL if memory ran out.
//
// - roots: The trusted authorities, which the policy keeps; NULL to accept any certificate for any name.
// - pins: `pin_count` SHA-256 digests of keys, 32 bytes each. With any, the key of a certificate of the verified chain must be among them; if
//   certificates are not verified, that of the server's.
// - minimum_version: 0x0301 for TLS 1.0 to 0x0304 for TLS 1.3. Below 1.2, weak ciphers and keys are accepted as well.
// - key_log: A descriptor to which the secrets of connections are written (NSS key log), which the policy does not close; -1 for none.
// - is_quic: Whether its connections are those of QUIC, which has TLS 1.3 in any case. OpenSSL has separate contexts for them.
copenssl_policy *copenssl_policy_create(
    const copenssl_roots *roots, const unsigned char *pins, size_t pin_count, int minimum_version, int key_log, int is_quic);
void copenssl_policy_free(copenssl_policy *policy);
// Sets the client's certificates, in DER, one after the other with the client's own first, and its key in PEM. The passphrase is "" for none.
// Returns 0 on failure, and writes the reason to `text`.
int copenssl_policy_set_identity(
    copenssl_policy *policy, const void *certificates, const size_t *sizes, size_t count, const void *key, size_t key_size,
    const char *passphrase, char *text, size_t text_size);
// The same for a certificate and a key in a PKCS #12 container (RFC 7292).
int copenssl_policy_set_container(
    copenssl_policy *policy, const void *container, size_t size, const char *passphrase, char *text, size_t text_size);

// Connections

// Why a handshake was refused because it would take too long.
enum {
    COPENSSL_REFUSAL_NONE = 0,
    // A certificate has the parameters of an elliptic curve instead of its name.
    COPENSSL_REFUSAL_CURVE = 1,
    // There are more than 32 certificates.
    COPENSSL_REFUSAL_COUNT = 2,
    // The group of a Diffie-Hellman key exchange has more than 4096 bits.
    COPENSSL_REFUSAL_GROUP = 3,
};
// Returns why a message of the handshake is refused. Any bytes can be passed.
//
// - version: That of TLS, 0x0303 or 0x0304.
int copenssl_refusal(int version, const void *message, size_t size);

// The results of the functions below, beside a number of bytes.
enum {
    // The handshake is complete.
    COPENSSL_DONE = 0,
    // The peer has ended its side: `has_ended_orderly` says how.
    COPENSSL_END = 0,
    // The socket has no more bytes at the moment.
    COPENSSL_WANTS_READ = -1,
    // The socket takes no more bytes at the moment.
    COPENSSL_WANTS_WRITE = -2,
    // One call has handled as many bytes as it may, or a message of TLS itself, and there may be more.
    COPENSSL_MORE = -3,
    // It failed. What is known of the failure is in the members of the connection.
    COPENSSL_FAILED = -4,
};

// Reasons of OpenSSL's TLS library.
enum {
    COPENSSL_REASON_HTTPS_PROXY_REQUEST = 155,
    COPENSSL_REASON_HTTP_REQUEST = 156,
    COPENSSL_REASON_NO_PROTOCOLS_AVAILABLE = 191,
    COPENSSL_REASON_UNSUPPORTED_PROTOCOL = 258,
    COPENSSL_REASON_PACKET_LENGTH_TOO_LONG = 198,
    COPENSSL_REASON_WRONG_VERSION_NUMBER = 267,
    COPENSSL_REASON_VERSION_TOO_LOW = 396,
};

enum {
    COPENSSL_TEXT_SIZE = 256,
    // How many bytes a peer may send without data between them. A handshake takes a few thousand.
    COPENSSL_MAXIMUM_WITHOUT_DATA = 256 << 10,
};

typedef struct copenssl_session copenssl_session;

typedef struct copenssl_connection {
    void *ssl;
    copenssl_policy *policy;
    // The socket. Not used if there is a connection below.
    int descriptor;
    // The connection that carries this one, such as that to an HTTPS proxy; NULL for none. It must not be closed before this one.
    struct copenssl_connection *below;
    // How many bytes may still be read in this call.
    int budget;
    // Whether input was left unread because of the budget.
    int has_more;
    // Whether the socket had no more bytes in this call.
    int has_blocked;
    // Whether this call has emptied the socket: the last read has returned fewer bytes than it could have. An earlier call says nothing, as an event of
    // bytes that have arrived since may be over.
    int was_short;
    // Whether this call would have to wait for the socket to take bytes.
    int waits_for_write;
    // Whether the last attempt to receive has to be repeated when the socket takes bytes.
    int reading_waits_for_write;
    // Whether the handshake is complete.
    int is_ready;
    // Whether the socket, or the connection below, has reached its end.
    int has_input_ended;
    // Whether the peer has ended its side with a close_notify (RFC 8446 §6.1). Otherwise anybody on the network may have ended it.
    int has_ended_orderly;
    // The number of bytes that were read since the last byte of data: messages of TLS itself, such as session tickets and changes of keys, and a
    // record that is not complete.
    unsigned int bytes_without_data;

    // The error of the system, a value of `errno`, that reading or writing has failed with; 0 for none.
    int system_error;
    // OpenSSL's reason (ERR_GET_REASON(3)) if the error is one of its TLS library; 0 for none.
    int reason;
    // The last fatal alert of the peer (RFC 8446 §6.2); 0 for none.
    int alert;
    // One of `COPENSSL_REFUSAL_…`.
    int refusal;
    // The result of the verification, `X509_V_ERR_…`; 0 if it has not failed.
    int verify_result;
    // Which certificate of the chain has failed, counted from the server's, which is 0, and its subject.
    int verify_depth;
    char verify_subject[COPENSSL_TEXT_SIZE];
    // Whether the server's certificate names neither a host nor an address in its subject alternative names.
    int lacks_names;
    // Whether no key of the chain is pinned.
    int is_pin_missing;
    // The words of OpenSSL; empty if it has none.
    char text[COPENSSL_TEXT_SIZE];

    // The sessions that the server has offered to resume, and that were not taken yet. Four are kept.
    copenssl_session *sessions[4];
    int session_count;
} copenssl_connection;

// Begins TLS as a client, without sending a byte. Returns 0 if memory ran out.
//
// - connection: Zeroed, except for `descriptor` and `below`. It must stay at its address until it is closed.
// - name: The host for SNI (RFC 6066 §3) and for the check of the certificate's names; NULL for an address.
// - address: An IP address to be checked, 4 or 16 bytes; NULL for a name.
// - protocols: What is offered by ALPN, in the form of RFC 7301 §3.1.
// - session: A session to be resumed; NULL for none. It is not used up: the caller frees it.
int copenssl_open(
    copenssl_connection *connection, copenssl_policy *policy, const char *name, const unsigned char *address, size_t address_size,
    const unsigned char *protocols, unsigned int protocols_size, copenssl_session *session);
// Continues the handshake.
int copenssl_handshake(copenssl_connection *connection);
// Receives bytes without waiting. Returns their number, or one of the results above.
long copenssl_receive(copenssl_connection *connection, void *bytes, size_t count);
// Returns whether the last call has read and returned all bytes that the socket had received, so that an event of the socket reports what follows.
int copenssl_is_drained(const copenssl_connection *connection);
// Sends bytes without waiting, at most one record of them. After `COPENSSL_WANTS_WRITE`, the same bytes must be passed again, wherever they are.
long copenssl_send(copenssl_connection *connection, const void *bytes, size_t count);
// Frees what belongs to TLS, and sends a close_notify before if it can be sent at once. The socket and a connection below stay open.
void copenssl_close(copenssl_connection *connection, int notifies);
// Returns the protocol that was agreed on by ALPN; its size is 0 if ALPN was not used.
const unsigned char *copenssl_protocol(const copenssl_connection *connection, unsigned int *size);

// Sessions (RFC 8446 §2.2)

void copenssl_session_free(copenssl_session *session);
int copenssl_session_is_resumable(const copenssl_session *session);
// Whether a session should be used once only, as those of TLS 1.3 (RFC 8446 §C.4).
int copenssl_session_is_single_use(const copenssl_session *session);

#include "COpenSSLQuic.h"

#endif
