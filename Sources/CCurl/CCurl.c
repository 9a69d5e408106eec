#include "CCurl.h"

// The functions of libcurl, declared by its ABI: enums are ints, handles are opaque pointers.
extern int curl_global_init(long flags);
extern char *curl_version(void);
extern void *curl_version_info(int age);
extern void *curl_easy_init(void);
extern void curl_easy_cleanup(void *easy);
extern int curl_easy_setopt(void *easy, int option, ...);
extern int curl_easy_send(void *easy, const void *bytes, size_t count, size_t *sent);
extern int curl_easy_recv(void *easy, void *bytes, size_t count, size_t *received);
extern int curl_easy_pause(void *easy, int directions);
extern int curl_easy_getinfo(void *easy, int info, ...);
extern const char *curl_easy_strerror(int code);
extern void *curl_slist_append(void *list, const char *line);
extern void curl_slist_free_all(void *list);
extern void *curl_multi_init(void);
extern int curl_multi_cleanup(void *multi);
extern int curl_multi_add_handle(void *multi, void *easy);
extern int curl_multi_remove_handle(void *multi, void *easy);
extern int curl_multi_setopt(void *multi, int option, ...);
extern int curl_multi_socket_action(void *multi, int socket, int events, int *running);
extern int curl_multi_wakeup(void *multi);
extern const char *curl_multi_strerror(int code);

// `CURLMsg`, and the first members of `curl_version_info_data`. Both are unchanged since they were introduced.
struct message {
    int kind;
    void *easy;
    union {
        void *whatever;
        int code;
    } data;
};
struct version_head {
    int age;
    const char *version;
    unsigned int version_number;
    const char *host;
    int features;
    const char *tls;
};
// The layout of `curl_blob`.
struct blob {
    void *bytes;
    size_t count;
    unsigned int flags;
};
extern struct message *curl_multi_info_read(void *multi, int *left);

int ccurl_global_init(void) { return curl_global_init(CCURL_GLOBAL_ALL); }
const char *ccurl_version(void) { return curl_version(); }
unsigned int ccurl_version_number(void) {
    const struct version_head *head = curl_version_info(0);
    return head ? head->version_number : 0;
}

const char *ccurl_tls_library(void) {
    const struct version_head *head = curl_version_info(0);
    return head && head->tls ? head->tls : "";
}

int ccurl_features(void) {
    const struct version_head *head = curl_version_info(0);
    return head ? head->features : 0;
}

void *ccurl_easy_init(void) { return curl_easy_init(); }
void ccurl_easy_cleanup(void *easy) { curl_easy_cleanup(easy); }
int ccurl_easy_set_long(void *easy, int option, long value) { return curl_easy_setopt(easy, option, value); }
int ccurl_easy_set_offset(void *easy, int option, int64_t value) { return curl_easy_setopt(easy, option, value); }
int ccurl_easy_set_pointer(void *easy, int option, const void *value) { return curl_easy_setopt(easy, option, value); }
int ccurl_easy_set_string(void *easy, int option, const char *value) { return curl_easy_setopt(easy, option, value); }
int ccurl_easy_set_blob(void *easy, int option, const void *bytes, size_t count) {
    struct blob blob = {(void *)bytes, count, CCURL_BLOB_NOCOPY};
    return curl_easy_setopt(easy, option, &blob);
}
int ccurl_easy_set_data_callback(void *easy, int option, ccurl_data_callback value) {
    return curl_easy_setopt(easy, option, value);
}
int ccurl_easy_set_seek_callback(void *easy, ccurl_seek_callback value) {
    return curl_easy_setopt(easy, CCURLOPT_SEEKFUNCTION, value);
}
int ccurl_easy_pause(void *easy, int directions) { return curl_easy_pause(easy, directions); }
int ccurl_easy_set_open_callback(void *easy, ccurl_open_callback value) {
    return curl_easy_setopt(easy, CCURLOPT_OPENSOCKETFUNCTION, value);
}
int ccurl_easy_set_close_callback(void *easy, ccurl_close_callback value) {
    return curl_easy_setopt(easy, CCURLOPT_CLOSESOCKETFUNCTION, value);
}
int ccurl_easy_set_prerequest_callback(void *easy, ccurl_prerequest_callback value) {
    return curl_easy_setopt(easy, CCURLOPT_PREREQFUNCTION, value);
}
int ccurl_easy_set_debug_callback(void *easy, ccurl_debug_callback value) {
    return curl_easy_setopt(easy, CCURLOPT_DEBUGFUNCTION, value);
}
int ccurl_easy_get_long(void *easy, int info, long *value) { return curl_easy_getinfo(easy, info, value); }
int ccurl_easy_get_offset(void *easy, int info, int64_t *value) { return curl_easy_getinfo(easy, info, value); }
int ccurl_easy_get_socket(void *easy) {
    int socket = -1;
    return curl_easy_getinfo(easy, CCURLINFO_ACTIVESOCKET, &socket) ? -1 : socket;
}
int ccurl_easy_send(void *easy, const void *bytes, size_t count, size_t *sent) {
    return curl_easy_send(easy, bytes, count, sent);
}
int ccurl_easy_receive(void *easy, void *bytes, size_t count, size_t *received) {
    return curl_easy_recv(easy, bytes, count, received);
}
int ccurl_easy_get_pointer(void *easy, int info, void **value) { return curl_easy_getinfo(easy, info, value); }
const char *ccurl_easy_strerror(int code) { return curl_easy_strerror(code); }

ccurl_list *ccurl_list_append(ccurl_list *list, const char *line) { return curl_slist_append(list, line); }
void ccurl_list_free(ccurl_list *list) { curl_slist_free_all(list); }

void *ccurl_multi_init(void) { return curl_multi_init(); }
int ccurl_multi_cleanup(void *multi) { return curl_multi_cleanup(multi); }
int ccurl_multi_add(void *multi, void *easy) { return curl_multi_add_handle(multi, easy); }
int ccurl_multi_remove(void *multi, void *easy) { return curl_multi_remove_handle(multi, easy); }
int ccurl_multi_set_long(void *multi, int option, long value) { return curl_multi_setopt(multi, option, value); }
int ccurl_multi_set_pointer(void *multi, int option, const void *value) {
    return curl_multi_setopt(multi, option, value);
}
int ccurl_multi_set_socket_callback(void *multi, ccurl_socket_callback value) {
    return curl_multi_setopt(multi, CCURLMOPT_SOCKETFUNCTION, value);
}
int ccurl_multi_set_timer_callback(void *multi, ccurl_timer_callback value) {
    return curl_multi_setopt(multi, CCURLMOPT_TIMERFUNCTION, value);
}
int ccurl_multi_socket_action(void *multi, int socket, int events, int *running) {
    return curl_multi_socket_action(multi, socket, events, running);
}
void ccurl_multi_wake(void *multi) { curl_multi_wakeup(multi); }
int ccurl_multi_next_done(void *multi, void **easy, int *code) {
    int left = 0;
    for (;;) {
        const struct message *message = curl_multi_info_read(multi, &left);
        if (!message) return 0;
        if (message->kind != CCURLMSG_DONE) continue;
        *easy = message->easy;
        *code = message->data.code;
        return 1;
    }
}
const char *ccurl_multi_strerror(int code) { return curl_multi_strerror(code); }
