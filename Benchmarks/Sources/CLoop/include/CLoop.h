// GET after GET over libcurl's multi interface, as fast as plain C does it: what no engine over libcurl can pass.
#ifndef CLOOP_H
#define CLOOP_H

// Keeps `concurrency` requests under way, for ever. Returns 0 without memory or descriptors, and 1 when a response is not one of
// status 200 with `body_bytes` bytes.
int cloop_run(const char *url, int concurrency, long body_bytes);

// How many requests have ended well so far. Safe from any thread.
long cloop_completed(void);

#endif
