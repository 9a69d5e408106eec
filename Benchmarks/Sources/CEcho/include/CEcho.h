#pragma once

/// Creates what ``cecho_run`` waits on; -1 if it cannot be created.
int cecho_create(void);

/// Adds a connection whose opening handshake is complete. Called on any thread.
///
/// @return 0, or -1 on failure.
int cecho_add(int echo, int socket);

/// Sends every frame back on the connection that it came from, without its mask. Returns only on failure.
void cecho_run(int echo);
