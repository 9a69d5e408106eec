// The part of libcurl's stable C ABI (soname 4) that the engine uses. It is declared here so that no development package is
// needed. Functions with variable arguments have one typed wrapper for each argument type, because Swift cannot call them.
// A test compares every constant with the header of libcurl. libcurl 7.76 is sufficient, except where a later version is named.
#ifndef CCURL_H
#define CCURL_H

#include <stddef.h>
#include <stdint.h>
#ifdef __linux__
// For the event loop: Swift's modules of the C library do not include the first two headers.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

// The constants of the event loop, each of one type. glibc has enumerators for them and musl has macros, which Swift imports differently.
static const uint32_t LINUX_EPOLLIN = EPOLLIN;
static const uint32_t LINUX_EPOLLOUT = EPOLLOUT;
static const uint32_t LINUX_EPOLLERR = EPOLLERR;
static const uint32_t LINUX_EPOLLHUP = EPOLLHUP;
static const uint32_t LINUX_EPOLLRDHUP = EPOLLRDHUP;
static const uint32_t LINUX_EPOLLET = EPOLLET;
static const int LINUX_SOCK_STREAM = SOCK_STREAM;
static const int LINUX_SOCK_CLOEXEC = SOCK_CLOEXEC;
#endif

enum {
    CCURLOPT_WRITEDATA = 10001,
    CCURLOPT_URL = 10002,
    CCURLOPT_PROXY = 10004,
    CCURLOPT_READDATA = 10009,
    CCURLOPT_ERRORBUFFER = 10010,
    CCURLOPT_WRITEFUNCTION = 20011,
    CCURLOPT_READFUNCTION = 20012,
    CCURLOPT_POSTFIELDS = 10015,
    CCURLOPT_HTTPHEADER = 10023,
    CCURLOPT_HEADERDATA = 10029,
    CCURLOPT_KEYPASSWD = 10026,
    CCURLOPT_SSLVERSION = 32,
    CCURLOPT_CUSTOMREQUEST = 10036,
    CCURLOPT_NOBODY = 44,
    CCURLOPT_POST = 47,
    CCURLOPT_SSL_VERIFYPEER = 64,
    CCURLOPT_CAINFO = 10065,
    CCURLOPT_HEADERFUNCTION = 20079,
    CCURLOPT_FRESH_CONNECT = 74,
    CCURLOPT_FORBID_REUSE = 75,
    CCURLOPT_HTTPGET = 80,
    CCURLOPT_HTTP_VERSION = 84,
    CCURLOPT_SSL_VERIFYHOST = 81,
    CCURLOPT_SSL_CIPHER_LIST = 10083,
    CCURLOPT_CAPATH = 10097,
    CCURLOPT_BUFFERSIZE = 98,
    CCURLOPT_NOSIGNAL = 99,
    CCURLOPT_PRIVATE = 10103,
    CCURLOPT_SSL_CTX_FUNCTION = 20108,
    CCURLOPT_SSL_CTX_DATA = 10109,
    CCURLOPT_HTTPPROXYTUNNEL = 61,
    CCURLOPT_PROXYAUTH = 111,
    CCURLOPT_IPRESOLVE = 113,
    CCURLOPT_POSTFIELDSIZE_LARGE = 30120,
    CCURLOPT_CONNECT_ONLY = 141,
    CCURLOPT_CONNECTTIMEOUT_MS = 156,
    CCURLOPT_OPENSOCKETFUNCTION = 20163,
    CCURLOPT_OPENSOCKETDATA = 10164,
    CCURLOPT_COPYPOSTFIELDS = 10165,
    CCURLOPT_SEEKFUNCTION = 20167,
    CCURLOPT_SEEKDATA = 10168,
    CCURLOPT_NOPROXY = 10177,
    CCURLOPT_PROTOCOLS = 181,
    CCURLOPT_RESOLVE = 10203,
    CCURLOPT_PINNEDPUBLICKEY = 10230,
    CCURLOPT_CONNECT_TO = 10243,
    CCURLOPT_CLOSESOCKETFUNCTION = 20208,
    CCURLOPT_CLOSESOCKETDATA = 10209,
    CCURLOPT_UNIX_SOCKET_PATH = 10231,
    CCURLOPT_SSL_ENABLE_ALPN = 226,
    CCURLOPT_PIPEWAIT = 237,
    CCURLOPT_VERBOSE = 41,
    CCURLOPT_DEBUGFUNCTION = 20094,
    CCURLOPT_DEBUGDATA = 10095,
    CCURLOPT_PROXY_CAINFO = 10246,
    CCURLOPT_PROXY_CAPATH = 10247,
    CCURLOPT_PROXY_SSL_VERIFYPEER = 248,
    CCURLOPT_PROXY_SSL_VERIFYHOST = 249,
    CCURLOPT_PROXY_SSLVERSION = 250,
    CCURLOPT_PROXY_KEYPASSWD = 10258,
    CCURLOPT_PROXY_SSL_CIPHER_LIST = 10259,
    CCURLOPT_PROXY_PINNEDPUBLICKEY = 10263,
    CCURLOPT_SUPPRESS_CONNECT_HEADERS = 265,
    CCURLOPT_REQUEST_TARGET = 10266,
    CCURLOPT_DISALLOW_USERNAME_IN_URL = 278,
    CCURLOPT_DOH_URL = 10279,
    CCURLOPT_MAXAGE_CONN = 288,
    CCURLOPT_SSLCERT_BLOB = 40291,
    CCURLOPT_SSLKEY_BLOB = 40292,
    CCURLOPT_PROXY_SSLCERT_BLOB = 40293,
    CCURLOPT_PROXY_SSLKEY_BLOB = 40294,
    CCURLOPT_DOH_SSL_VERIFYPEER = 306,
    CCURLOPT_DOH_SSL_VERIFYHOST = 307,
    // Since 7.77.0.
    CCURLOPT_CAINFO_BLOB = 40309,
    CCURLOPT_PROXY_CAINFO_BLOB = 40310,
    // Since 7.80.0. Older versions refuse these options, and repeat requests without calling back.
    CCURLOPT_PREREQFUNCTION = 20312,
    CCURLOPT_PREREQDATA = 10313,
    // Since 7.87.0. Older versions refuse this option, which is harmless.
    CCURLOPT_QUICK_EXIT = 322,
};

enum {
    CCURLMOPT_SOCKETFUNCTION = 20001,
    CCURLMOPT_SOCKETDATA = 10002,
    CCURLMOPT_TIMERFUNCTION = 20004,
    CCURLMOPT_TIMERDATA = 10005,
    CCURLMOPT_MAXCONNECTS = 6,
    CCURLMOPT_MAX_HOST_CONNECTIONS = 7,
    CCURLMOPT_MAX_TOTAL_CONNECTIONS = 13,
    // Since 8.20.0.
    CCURLMOPT_RESOLVE_THREADS_MAX = 20,
    CCURLMOPT_QUICK_EXIT = 21,
};

enum {
    CCURLINFO_RESPONSE_CODE = 0x200002,
    CCURLINFO_SSL_VERIFYRESULT = 0x20000D,
    CCURLINFO_PRIVATE = 0x100015,
    CCURLINFO_HTTP_CONNECTCODE = 0x200016,
    CCURLINFO_ACTIVESOCKET = 0x50002C,
    // Since 7.84.0.
    CCURLINFO_CAINFO = 0x10003D,
    CCURLINFO_CAPATH = 0x10003E,
    CCURLINFO_OS_ERRNO = 0x200019,
    CCURLINFO_NUM_CONNECTS = 0x20001A,
    CCURLINFO_PRIMARY_IP = 0x100020,
    CCURLINFO_PRIMARY_PORT = 0x200028,
    CCURLINFO_LOCAL_PORT = 0x20002A,
    CCURLINFO_HTTP_VERSION = 0x20002E,
    CCURLINFO_PROXY_SSL_VERIFYRESULT = 0x20002F,
    CCURLINFO_SIZE_UPLOAD_T = 0x600007,
    CCURLINFO_NAMELOOKUP_TIME_T = 0x600033,
    CCURLINFO_CONNECT_TIME_T = 0x600034,
    CCURLINFO_PRETRANSFER_TIME_T = 0x600035,
    CCURLINFO_STARTTRANSFER_TIME_T = 0x600036,
    CCURLINFO_APPCONNECT_TIME_T = 0x600038,
};

enum {
    CCURL_POLL_IN = 1,
    CCURL_POLL_OUT = 2,
    CCURL_POLL_REMOVE = 4,
    CCURL_CSELECT_IN = 1,
    CCURL_CSELECT_OUT = 2,
    CCURL_CSELECT_ERR = 4,
    CCURL_SOCKET_TIMEOUT = -1,
    CCURLMSG_DONE = 1,
    CCURLPROTO_HTTP = 1,
    CCURLPROTO_HTTPS = 2,
    CCURLAUTH_BASIC = 1,
    CCURL_GLOBAL_ALL = 3,
    CCURL_SEEKFUNC_OK = 0,
    CCURL_SEEKFUNC_FAIL = 1,
    CCURL_READFUNC_ABORT = 0x10000000,
    CCURL_READFUNC_PAUSE = 0x10000001,
    CCURL_WRITEFUNC_PAUSE = 0x10000001,
    CCURLPAUSE_CONT = 0,
    CCURL_PREREQFUNC_OK = 0,
    CCURL_PREREQFUNC_ABORT = 1,
    CCURL_ERROR_SIZE = 256,
    CCURL_HTTP_VERSION_1_1 = 2,
    CCURL_HTTP_VERSION_3 = 30,
    // Since 7.88.0.
    CCURL_HTTP_VERSION_3ONLY = 31,
    CCURL_VERSION_HTTP3 = 0x2000000,
    CCURL_SSLVERSION_TLSv1_0 = 4,
    CCURL_SSLVERSION_TLSv1_1 = 5,
    CCURL_SSLVERSION_TLSv1_2 = 6,
    CCURL_SSLVERSION_TLSv1_3 = 7,
    CCURL_BLOB_NOCOPY = 0,
    CCURL_IPRESOLVE_WHATEVER = 0,
    CCURL_IPRESOLVE_V4 = 1,
    CCURL_IPRESOLVE_V6 = 2,
};

// Result codes (CURLcode), in the order of libcurl-errors(3), without those that HTTP does not use.
enum {
    CCURLE_OK = 0,
    CCURLE_UNSUPPORTED_PROTOCOL = 1,
    CCURLE_FAILED_INIT = 2,
    CCURLE_URL_MALFORMAT = 3,
    CCURLE_NOT_BUILT_IN = 4,
    CCURLE_COULDNT_RESOLVE_PROXY = 5,
    CCURLE_COULDNT_RESOLVE_HOST = 6,
    CCURLE_COULDNT_CONNECT = 7,
    CCURLE_WEIRD_SERVER_REPLY = 8,
    CCURLE_HTTP2 = 16,
    CCURLE_PARTIAL_FILE = 18,
    CCURLE_WRITE_ERROR = 23,
    CCURLE_UPLOAD_FAILED = 25,
    CCURLE_READ_ERROR = 26,
    CCURLE_OUT_OF_MEMORY = 27,
    CCURLE_OPERATION_TIMEDOUT = 28,
    CCURLE_HTTP_POST_ERROR = 34,
    CCURLE_SSL_CONNECT_ERROR = 35,
    CCURLE_ABORTED_BY_CALLBACK = 42,
    CCURLE_BAD_FUNCTION_ARGUMENT = 43,
    CCURLE_INTERFACE_FAILED = 45,
    CCURLE_TOO_MANY_REDIRECTS = 47,
    CCURLE_UNKNOWN_OPTION = 48,
    CCURLE_GOT_NOTHING = 52,
    CCURLE_SSL_ENGINE_NOTFOUND = 53,
    CCURLE_SSL_ENGINE_SETFAILED = 54,
    CCURLE_SEND_ERROR = 55,
    CCURLE_RECV_ERROR = 56,
    CCURLE_SSL_CERTPROBLEM = 58,
    CCURLE_SSL_CIPHER = 59,
    CCURLE_PEER_FAILED_VERIFICATION = 60,
    CCURLE_BAD_CONTENT_ENCODING = 61,
    CCURLE_FILESIZE_EXCEEDED = 63,
    CCURLE_USE_SSL_FAILED = 64,
    CCURLE_SEND_FAIL_REWIND = 65,
    CCURLE_SSL_ENGINE_INITFAILED = 66,
    CCURLE_SSL_CACERT_BADFILE = 77,
    CCURLE_SSL_SHUTDOWN_FAILED = 80,
    CCURLE_AGAIN = 81,
    CCURLE_SSL_CRL_BADFILE = 82,
    CCURLE_SSL_ISSUER_ERROR = 83,
    CCURLE_CHUNK_FAILED = 88,
    CCURLE_SSL_PINNEDPUBKEYNOTMATCH = 90,
    CCURLE_SSL_INVALIDCERTSTATUS = 91,
    CCURLE_HTTP2_STREAM = 92,
    CCURLE_HTTP3 = 95,
    CCURLE_QUIC_CONNECT_ERROR = 96,
    CCURLE_PROXY = 97,
    CCURLE_SSL_CLIENTCERT = 98,
    CCURLE_UNRECOVERABLE_POLL = 99,
    CCURLE_TOO_LARGE = 100,
};

typedef size_t (*ccurl_data_callback)(char *bytes, size_t size, size_t count, void *context);
// The first members of `curl_sockaddr`: the arguments of `socket(2)`.
struct ccurl_address {
    int family;
    int kind;
    int transport;
};

typedef int (*ccurl_open_callback)(void *context, int purpose, const struct ccurl_address *address);
typedef int (*ccurl_close_callback)(void *context, int socket);
typedef int (*ccurl_seek_callback)(void *context, int64_t offset, int origin);
typedef int (*ccurl_prerequest_callback)(void *context, char *remote, char *local, int remote_port, int local_port);
typedef int (*ccurl_debug_callback)(void *easy, int kind, char *bytes, size_t count, void *context);
typedef int (*ccurl_socket_callback)(void *easy, int socket, int what, void *context, void *socket_context);
typedef int (*ccurl_timer_callback)(void *multi, long milliseconds, void *context);

// A header list: an opaque `struct curl_slist *`.
typedef void ccurl_list;

int ccurl_global_init(void);
// Returns the version as a number, such as 0x075801 for 7.88.1.
unsigned int ccurl_version_number(void);
const char *ccurl_version(void);
// Returns the TLS library, such as "OpenSSL/3.0.11"; empty without TLS.
const char *ccurl_tls_library(void);
// Returns what libcurl was built with, bits such as `CCURL_VERSION_HTTP3`.
int ccurl_features(void);

void *ccurl_easy_init(void);
void ccurl_easy_cleanup(void *easy);
int ccurl_easy_set_long(void *easy, int option, long value);
int ccurl_easy_set_offset(void *easy, int option, int64_t value);
int ccurl_easy_set_pointer(void *easy, int option, const void *value);
int ccurl_easy_set_string(void *easy, int option, const char *value);
// Does not copy the bytes: they must not be freed before the handle.
int ccurl_easy_set_blob(void *easy, int option, const void *bytes, size_t count);
int ccurl_easy_set_data_callback(void *easy, int option, ccurl_data_callback value);
int ccurl_easy_set_seek_callback(void *easy, ccurl_seek_callback value);
// Pauses or resumes both directions. Resuming may call callbacks before it returns.
int ccurl_easy_pause(void *easy, int directions);
int ccurl_easy_set_open_callback(void *easy, ccurl_open_callback value);
int ccurl_easy_set_close_callback(void *easy, ccurl_close_callback value);
int ccurl_easy_set_prerequest_callback(void *easy, ccurl_prerequest_callback value);
// Sets the callback for libcurl's log, which `CURLOPT_VERBOSE` enables. Lines of text have kind 0.
int ccurl_easy_set_debug_callback(void *easy, ccurl_debug_callback value);
int ccurl_easy_get_long(void *easy, int info, long *value);
int ccurl_easy_get_offset(void *easy, int info, int64_t *value);
// Returns the socket of a handle's connection (`CURLINFO_ACTIVESOCKET`); -1 if there is none.
int ccurl_easy_get_socket(void *easy);
// Send and receive on a handle with `CURLOPT_CONNECT_ONLY`, without blocking. They return `CCURLE_AGAIN` if no byte can be moved now.
int ccurl_easy_send(void *easy, const void *bytes, size_t count, size_t *sent);
int ccurl_easy_receive(void *easy, void *bytes, size_t count, size_t *received);
int ccurl_easy_get_pointer(void *easy, int info, void **value);
const char *ccurl_easy_strerror(int code);

// The state of a TLS handshake, as reported by OpenSSL. A watched connection writes to it until it is closed.
struct ccurl_handshake {
    // Whether a server's certificate must have a subject alternative name. Set before the handshake.
    int checks_names;
    // Whether OpenSSL reads as many bytes at once as there are, instead of the header of each record first and then the rest. Set before
    // the handshake. Only for handles whose connection is read until there are no more bytes: those that OpenSSL keeps do not make the
    // socket readable.
    int reads_ahead;
    // The protocols that are offered to the server by ALPN (RFC 7301), one of `COFFER_…`. Set before the handshake.
    int offer;
    // Whether the connection goes through an HTTPS proxy, whose handshake comes first and offers HTTP/1.1 only. Set before the handshake.
    int has_secure_proxy;
    // Whether the handshake has begun: the first message is about to be sent.
    int has_begun;
    // Whether the handshake is complete: the last message was received.
    int is_done;
    // The protocol that was agreed on by ALPN (RFC 7301), one of `CALPN_…`.
    int protocol;
    // The last fatal alert of the server (RFC 8446 §6); 0 if there was none.
    int alert;
    // Whether the server has closed its side with a close_notify (RFC 8446 §6.1).
    int has_ended;
    // Whether the server's certificate was refused because no subject alternative name is a host or an address.
    int lacks_names;
    // The result of the verification of the server's certificate (`X509_V_ERR_…`) if it failed; 0 otherwise.
    int verify_result;
    // Why the handshake was refused because it would take too long, one of `CREFUSAL_…`.
    int refusal;
    // The number of messages of TLS itself, such as session tickets and changes of keys, that were received since this was last set to 0.
    unsigned int messages;
    // The handle that the handshake belongs to. libcurl passes the functions on to the handles by which it looks up names over HTTPS, and their
    // handshakes are not recorded. Set before the handshake.
    const void *owner;
    // The TLS context of the last connection, for comparison only. A tunnel through an HTTPS proxy has two: the server's is created after
    // the proxy's handshake, and from then on only its events are recorded.
    const void *context;
};
enum {
    CALPN_NONE = 0,
    CALPN_HTTP1 = 1,
    CALPN_HTTP2 = 2,
    CALPN_HTTP3 = 3,
    CALPN_OTHER = 4,
};
// The protocols that a handshake offers; with 0, libcurl offers what it supports.
enum {
    COFFER_HTTP1 = 1,
    COFFER_HTTP2 = 2,
};
enum {
    CREFUSAL_NONE = 0,
    // A certificate has the parameters of an elliptic curve instead of its name.
    CREFUSAL_CURVE = 1,
    // There are more than 32 certificates.
    CREFUSAL_COUNT = 2,
    // The group of a Diffie-Hellman key exchange has more than 4096 bits.
    CREFUSAL_GROUP = 3,
};
// Returns why a message of the handshake is refused. Any bytes can be passed.
//
// - version: That of TLS, 0x0303 or 0x0304.
int ccurl_refusal(int version, const void *message, size_t size);
// Returns whether the OpenSSL that libcurl uses has all functions that are needed to watch handshakes.
int ccurl_can_watch_handshakes(void);
// Returns whether it also has the functions to check the names of certificates. If so, watched handshakes refuse a certificate without
// subject alternative names (RFC 9525 §6.3), unless verification is turned off.
int ccurl_can_check_names(void);
// Makes each new connection of a handle write to `handshake`, which must not be freed before all these connections. Returns a `CURLcode`.
int ccurl_easy_watch_handshake(void *easy, struct ccurl_handshake *handshake);

// Returns the new head of the list; NULL if there is not enough memory, and then the old list is unchanged.
ccurl_list *ccurl_list_append(ccurl_list *list, const char *line);
void ccurl_list_free(ccurl_list *list);

void *ccurl_multi_init(void);
int ccurl_multi_cleanup(void *multi);
int ccurl_multi_add(void *multi, void *easy);
int ccurl_multi_remove(void *multi, void *easy);
int ccurl_multi_set_long(void *multi, int option, long value);
int ccurl_multi_set_pointer(void *multi, int option, const void *value);
int ccurl_multi_set_socket_callback(void *multi, ccurl_socket_callback value);
int ccurl_multi_set_timer_callback(void *multi, ccurl_timer_callback value);
int ccurl_multi_socket_action(void *multi, int socket, int events, int *running);
// Wakes a multi handle: makes the descriptor readable that it waits for.
void ccurl_multi_wake(void *multi);
// Gets the handle and the result code of the next transfer that has ended. Returns 0 if there is none.
int ccurl_multi_next_done(void *multi, void **easy, int *code);
const char *ccurl_multi_strerror(int code);

#endif
