// GET after GET over libcurl's multi interface and its HTTP, as fast as plain C does it: what no engine can pass whose HTTP is
// libcurl's.
#ifndef CLOOP_H
#define CLOOP_H

// Keeps `concurrency` requests in progress, indefinitely. `authority` is a PEM file with the only trusted certificates, or NULL for the
// system's. HTTP/2 is spoken where the server agrees to it, all requests over one connection. Returns 0 without memory or
// descriptors, and 1 when a response is not one of status 200 with `body_bytes` bytes.
int cloop_run(const char *url, int concurrency, long body_bytes, const char *authority);

// How many requests have ended well so far. Safe from any thread.
long cloop_completed(void);

// Sends a request over a new connection, so that the next one need not make it. Returns what `cloop_download` takes; NULL if it failed.
void *cloop_connect(const char *url, const char *authority);

// Receives a body over that connection and then closes it. Returns the number of bytes, 0 if it failed.
long cloop_download(void *connected, const char *url);

// The libcurl that the process has loaded, such as "libcurl/7.88.1 OpenSSL/3.0.19 zlib/1.2.13 nghttp2/1.52.0".
const char *cloop_libcurl(void);

#endif
