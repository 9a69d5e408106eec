// QUIC over OpenSSL 3.5 or later (RFC 9000): connections as a client, whose streams carry HTTP/3.
//
// A `copenssl_quic` is one connection over one connected UDP socket. No function waits, and each handles a bounded number of datagrams. Nothing is
// sent outside of `copenssl_quic_turn` and `copenssl_quic_flush`. A connection and its streams are used by one thread at a time.
#ifndef COPENSSL_QUIC_H
#define COPENSSL_QUIC_H

#include "COpenSSL.h"

// Returns why QUIC cannot be used, in English; NULL if it can. Its functions are looked up by the first call.
const char *copenssl_quic_failure(void);

enum {
    // A stream was reset by the peer, or is not read by it: a result beside those of `COPENSSL_…`.
    COPENSSL_RESET = -5,
    // How many datagrams one turn receives and sends at most.
    COPENSSL_DATAGRAMS_IN = 16,
    COPENSSL_DATAGRAMS_OUT = 64,
    // How many datagrams may arrive without a byte that can be read, while nothing is written.
    COPENSSL_MAXIMUM_IDLE_DATAGRAMS = 10000,
};

// Events of streams (SSL_poll(3)).
enum {
    COPENSSL_EVENT_CLOSED = 1 << 2,
    COPENSSL_EVENT_READ_FAILED = 1 << 4,
    COPENSSL_EVENT_WRITE_FAILED = 1 << 5,
    COPENSSL_EVENT_READ = 1 << 6,
    COPENSSL_EVENT_WRITE = 1 << 7,
};

typedef struct copenssl_quic {
    // What TLS on a socket has too: the socket, the facts about the server's certificates and the handshake, `system_error`, and sessions.
    copenssl_connection tls;
    int input_budget, output_budget;
    // Whether the socket had no more datagrams in this turn, and an event reports the next one.
    int is_drained;
    // Whether the socket takes no more datagrams, and an event reports when it does.
    int is_full;
    // Whether another turn is needed without an event, because this one has received or sent as much as it may.
    int has_more_input, has_more_output;
    // Whether a datagram was received or sent in this turn.
    int has_moved;
    // Whether datagrams are sent only.
    int is_flushing;
    // The number of datagrams that have arrived since a byte was last read or written.
    unsigned int idle_datagrams;
    // The code of the last RESET_STREAM that a read has met.
    uint64_t reset_code;

    // Whether the connection has ended, and how (RFC 9000 §10).
    int is_closed;
    int is_closed_here, is_transport_error;
    uint64_t close_code;
    char close_reason[COPENSSL_TEXT_SIZE];
} copenssl_quic;

// One entry of `copenssl_quic_poll`, in the form that OpenSSL takes (SSL_POLL_ITEM).
typedef struct copenssl_quic_item {
    uint32_t kind;
    void *object;
    uint64_t wanted, ready;
} copenssl_quic_item;

// Begins a connection, without sending a byte. Returns 0 if memory ran out.
//
// - quic: Zeroed, except for `tls.descriptor`, a connected UDP socket. It must stay at its address until it is closed.
// - policy: One that was made for QUIC.
// - name, address, session: As for `copenssl_open`. Sessions of TLS over TCP cannot be used.
// - idle_milliseconds: After how much silence the connection is lost. Half of it is the time after which the peer is asked for a sign.
int copenssl_quic_open(
    copenssl_quic *quic, copenssl_policy *policy, const char *name, const unsigned char *address, size_t address_size,
    const unsigned char *protocols, unsigned int protocols_size, copenssl_session *session, uint64_t idle_milliseconds);
// Receives and sends datagrams, and continues the handshake. Returns `COPENSSL_DONE` when the connection can be used, `COPENSSL_WANTS_READ` while the
// handshake goes on, or `COPENSSL_FAILED` when the connection has ended.
int copenssl_quic_turn(copenssl_quic *quic);
// Sends what was written since the turn began, within its limits.
void copenssl_quic_flush(copenssl_quic *quic);
// Returns in how many microseconds the next turn is needed, if there is no event before; -1 for never.
int64_t copenssl_quic_timeout(copenssl_quic *quic);
// Ends the connection with an error code of the application, of which the peer is notified if a datagram can be sent at once, and frees it. All
// streams must have been freed.
void copenssl_quic_close(copenssl_quic *quic, uint64_t code);

// Streams

// Opens a stream; NULL if the peer permits no more, or the connection has ended.
void *copenssl_quic_open_stream(copenssl_quic *quic, int is_unidirectional, uint64_t *number);
// Returns a stream that the peer has opened; NULL if there is no other one.
void *copenssl_quic_accept_stream(copenssl_quic *quic, uint64_t *number);
// Returns how many bidirectional streams can be opened now.
uint64_t copenssl_quic_available(copenssl_quic *quic);
// Reads what has arrived on a stream. Returns the number of bytes, `COPENSSL_END`, `COPENSSL_WANTS_READ`, `COPENSSL_RESET` or `COPENSSL_FAILED`.
long copenssl_quic_read(copenssl_quic *quic, void *stream, void *bytes, size_t count);
// Writes to a stream, and ends it with the last byte if `is_end`. Returns the number of bytes that were taken, `COPENSSL_WANTS_WRITE`,
// `COPENSSL_RESET` or `COPENSSL_FAILED`. With the last byte, the end is taken too; without bytes, 0 means that the end was taken.
long copenssl_quic_write(copenssl_quic *quic, void *stream, const void *bytes, size_t count, int is_end);
// Returns how many bytes of a stream were written, and not yet acknowledged.
uint64_t copenssl_quic_unacknowledged(void *stream);
// Ends what is sent on a stream without the rest of it (RESET_STREAM).
void copenssl_quic_reset(void *stream, uint64_t code);
// Frees a stream. If the peer has not ended it, it is asked to stop sending.
void copenssl_quic_free_stream(void *stream);

// Sets what to wait for: events of a stream, or of the connection if `stream` is NULL.
void copenssl_quic_watch(copenssl_quic_item *item, copenssl_quic *quic, void *stream, uint64_t events);
// Finds out which events have occurred, without receiving or sending. Returns the number of items that have some.
size_t copenssl_quic_poll(copenssl_quic_item *items, size_t count);

#endif
