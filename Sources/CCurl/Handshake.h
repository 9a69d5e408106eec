#ifndef CCURL_HANDSHAKE_H
#define CCURL_HANDSHAKE_H

#include "CCurl.h"

// Returns the record of the handshake that a connection makes; NULL if it has none.
struct ccurl_handshake *ccurl_handshake_of(const void *ssl);

// Looks up the functions of OpenSSL by which handshakes are limited, in the library that libcurl was linked with.
void ccurl_limits_look_up(void *curl);
// Limits the handshakes of a TLS context.
void ccurl_limits_set(void *context);
// Examines a message that was received. OpenSSL reads it after this call.
void ccurl_limits_receive(const void *ssl, int version, const void *bytes, size_t size);

#endif
