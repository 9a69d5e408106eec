// For the event loop: Swift's modules of the C library do not include the first two headers.
#ifndef LINUX_EVENTS_H
#define LINUX_EVENTS_H

#ifdef __linux__
#include <stdint.h>
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
static const int LINUX_SOCK_DGRAM = SOCK_DGRAM;
static const int LINUX_SOCK_CLOEXEC = SOCK_CLOEXEC;
static const int LINUX_SOCK_NONBLOCK = SOCK_NONBLOCK;
#endif

#endif
