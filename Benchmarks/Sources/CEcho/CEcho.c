// A WebSocket server on one thread that costs as little as possible, so that clients are measured. It passes on the bytes of frames as they
// come: a frame without its mask is 4 bytes shorter, so it is written over the received one. Frames of all kinds are echoed, also close frames.
#include "CEcho.h"
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { capacity = 256 << 10, maximum_head = 14 };

struct connection {
    int socket;
    // The bytes of a head that is incomplete.
    uint8_t head[maximum_head];
    size_t head_bytes;
    // The number of bytes of the payload that are missing, and the mask from the next byte on.
    uint64_t payload;
    uint8_t mask[4];
    // What the socket did not take yet.
    uint8_t *unsent;
    size_t unsent_bytes;
};

int cecho_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int cecho_add(int echo, int socket) {
    struct connection *connection = calloc(1, sizeof *connection);
    if (!connection) return -1;
    int on = 1;
    connection->socket = socket;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    if (fcntl(socket, F_SETFL, O_NONBLOCK) < 0 || setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) < 0 ||
        epoll_ctl(echo, EPOLL_CTL_ADD, socket, &event) < 0) {
        free(connection);
        return -1;
    }
    return 0;
}

static void unmask(struct connection *connection, uint8_t *bytes, size_t count) {
    uint32_t key;
    memcpy(&key, connection->mask, 4);
    uint64_t wide = (uint64_t)key << 32 | key;
    size_t index = 0;
    for (; index + 8 <= count; index += 8) {
        uint64_t value;
        memcpy(&value, bytes + index, 8);
        value ^= wide;
        memcpy(bytes + index, &value, 8);
    }
    for (; index < count; index++) bytes[index] ^= connection->mask[index & 3];
    uint8_t rotated[4];
    for (int place = 0; place < 4; place++) rotated[place] = connection->mask[(place + count) & 3];
    memcpy(connection->mask, rotated, 4);
}

// The number of bytes of a head, as far as it is known.
static size_t head_size(const uint8_t *head, size_t count) {
    if (count < 2) return 2;
    uint8_t length = head[1] & 0x7F;
    return 2 + (length == 127 ? 8 : length == 126 ? 2 : 0) + (head[1] & 0x80 ? 4 : 0);
}

// Begins the payload of a complete head, and writes the head without its mask. Returns the number of bytes.
static size_t begin(struct connection *connection, uint8_t *out) {
    uint8_t *head = connection->head;
    size_t size = connection->head_bytes, mask_bytes = head[1] & 0x80 ? 4 : 0, length_bytes = size - mask_bytes - 2;
    connection->payload = length_bytes ? 0 : head[1] & 0x7F;
    for (size_t index = 0; index < length_bytes; index++) connection->payload = connection->payload << 8 | head[2 + index];
    memset(connection->mask, 0, 4);
    memcpy(connection->mask, head + size - mask_bytes, mask_bytes);
    head[1] &= 0x7F;
    memcpy(out, head, size - mask_bytes);
    connection->head_bytes = 0;
    return size - mask_bytes;
}

// Turns what was received into what is sent, in place except that it begins where `out` points: at most `maximum_head` bytes before the
// input, as a head that was incomplete comes first. Returns the number of bytes.
static size_t echo(struct connection *connection, const uint8_t *in, size_t count, uint8_t *out) {
    uint8_t *start = out;
    while (count) {
        if (connection->payload) {
            size_t part = count < connection->payload ? count : connection->payload;
            memmove(out, in, part);
            unmask(connection, out, part);
            connection->payload -= part;
            in += part, count -= part, out += part;
            continue;
        }
        connection->head[connection->head_bytes++] = *in++;
        count--;
        if (connection->head_bytes >= 2 && connection->head_bytes == head_size(connection->head, connection->head_bytes))
            out += begin(connection, out);
    }
    return out - start;
}

static void end(struct connection *connection) {
    close(connection->socket);
    free(connection->unsent);
    free(connection);
}

// Sends as much as the socket takes, and keeps the rest. Returns -1 on failure.
static int send_or_keep(int epoll, struct connection *connection, const uint8_t *bytes, size_t count) {
    while (count) {
        ssize_t sent = send(connection->socket, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && errno != EAGAIN) return -1;
        if (sent < 0) break;
        bytes += sent, count -= sent;
    }
    uint8_t *kept = NULL;
    if (count) {
        if (!(kept = malloc(count))) return -1;
        memcpy(kept, bytes, count);
    }
    struct epoll_event event = {.events = count ? EPOLLOUT : EPOLLIN, .data.ptr = connection};
    if ((count || connection->unsent) && epoll_ctl(epoll, EPOLL_CTL_MOD, connection->socket, &event) < 0) {
        free(kept);
        return -1;
    }
    free(connection->unsent);
    connection->unsent = kept;
    connection->unsent_bytes = count;
    return 0;
}

void cecho_run(int epoll) {
    static uint8_t buffer[maximum_head + capacity];
    struct epoll_event events[64];
    for (;;) {
        int count = epoll_wait(epoll, events, 64, -1);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return;
        for (int index = 0; index < count; index++) {
            struct connection *connection = events[index].data.ptr;
            if (connection->unsent) {
                if (send_or_keep(epoll, connection, connection->unsent, connection->unsent_bytes) < 0) end(connection);
                continue;
            }
            ssize_t received = recv(connection->socket, buffer + maximum_head, capacity, 0);
            if (received < 0 && (errno == EAGAIN || errno == EINTR)) continue;
            if (received <= 0) {
                end(connection);
                continue;
            }
            size_t bytes = echo(connection, buffer + maximum_head, received, buffer);
            if (send_or_keep(epoll, connection, buffer, bytes) < 0) end(connection);
        }
    }
}
