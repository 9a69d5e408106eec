// The C library of macOS, as far as the package uses it, from the manual pages in sections 2 and 3 of
// https://developer.apple.com/library/archive/documentation/System/Conceptual/ManPages_iPhoneOS/
// and the published headers: https://github.com/apple-oss-distributions/xnu/tree/main/bsd/sys,
// https://github.com/apple-oss-distributions/libpthread/tree/main/include/pthread,
// https://github.com/apple-oss-distributions/Libc/tree/main/include
#pragma once
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#define API_SINCE(mac, phone, tv, watch)                                                                      \
    __attribute__((availability(macos, introduced = mac), availability(ios, introduced = phone),              \
                   availability(tvos, introduced = tv), availability(watchos, introduced = watch)))

// stdint.h, without the one of the machine that compiles this: https://github.com/apple-oss-distributions/xnu/tree/main/bsd/sys/_types
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;

// sys/types.h: https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/types.h
typedef int64_t off_t;
typedef int32_t pid_t;
typedef uint32_t uid_t;
typedef uint32_t gid_t;
typedef uint16_t mode_t;
typedef uint16_t nlink_t;
typedef int32_t dev_t;
typedef uint64_t ino_t;
typedef int32_t blksize_t;
typedef int64_t blkcnt_t;
typedef long ssize_t;
typedef long time_t;
typedef int32_t suseconds_t;
typedef uint32_t socklen_t;
typedef uint8_t sa_family_t;
typedef uint16_t in_port_t;
typedef uint32_t in_addr_t;
typedef uint32_t sigset_t;
typedef uint32_t useconds_t;
typedef unsigned int nfds_t;

// sys/errno.h: https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/errno.h
extern int *__error(void);
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define ENXIO 6
#define EBADF 9
#define ENOMEM 12
#define EACCES 13
#define EEXIST 17
#define EXDEV 18
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENFILE 23
#define EMFILE 24
#define ETXTBSY 26
#define EFBIG 27
#define ENOSPC 28
#define EROFS 30
#define EMLINK 31
#define EPIPE 32
#define EAGAIN 35
#define EWOULDBLOCK EAGAIN
#define EINPROGRESS 36
#define EMSGSIZE 40
#define EADDRINUSE 48
#define ECONNABORTED 53
#define ECONNRESET 54
#define ENOBUFS 55
#define ELOOP 62
#define ENAMETOOLONG 63
#define ENOTEMPTY 66
#define EDQUOT 69
#define ENOSYS 78
#define ENOTSUP 45
#define EOPNOTSUPP 102

// time.h, sys/time.h: https://github.com/apple-oss-distributions/Libc/tree/main/include, https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/time.h
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
struct timeval {
    time_t tv_sec;
    suseconds_t tv_usec;
};
struct tm {
    int tm_sec;
    int tm_min;
    int tm_hour;
    int tm_mday;
    int tm_mon;
    int tm_year;
    int tm_wday;
    int tm_yday;
    int tm_isdst;
    long tm_gmtoff;
    char *tm_zone;
};
typedef enum {
    _CLOCK_REALTIME = 0,
    _CLOCK_MONOTONIC = 6,
    _CLOCK_MONOTONIC_RAW = 4,
} clockid_t;
extern int clock_gettime(clockid_t, struct timespec *) API_SINCE(10.12, 10.0, 10.0, 3.0);
extern time_t time(time_t *);

// sys/stat.h: https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/stat.h
struct stat {
    dev_t st_dev;
    mode_t st_mode;
    nlink_t st_nlink;
    ino_t st_ino;
    uid_t st_uid;
    gid_t st_gid;
    dev_t st_rdev;
    struct timespec st_atimespec;
    struct timespec st_mtimespec;
    struct timespec st_ctimespec;
    struct timespec st_birthtimespec;
    off_t st_size;
    blkcnt_t st_blocks;
    blksize_t st_blksize;
    uint32_t st_flags;
    uint32_t st_gen;
};
#define UTIME_NOW -1
#define UTIME_OMIT -2
extern int stat(const char *, struct stat *);
extern int lstat(const char *, struct stat *);
extern int fstat(int, struct stat *);
extern int fstatat(int, const char *, struct stat *, int);
extern int chmod(const char *, mode_t);
extern int fchmod(int, mode_t);
extern int mkdir(const char *, mode_t);
extern int mkdirat(int, const char *, mode_t);
extern int futimens(int, const struct timespec[2]) API_SINCE(10.13, 11.0, 11.0, 4.0);

// fcntl.h: https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/fcntl.h
#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x00000004
#define O_APPEND 0x00000008
#define O_NOFOLLOW 0x00000100
#define O_CREAT 0x00000200
#define O_TRUNC 0x00000400
#define O_EXCL 0x00000800
#define O_DIRECTORY 0x00100000
#define O_CLOEXEC 0x01000000
#define F_GETFD 1
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#define F_FULLFSYNC 51
#define F_DUPFD_CLOEXEC 67
#define FD_CLOEXEC 1
#define AT_FDCWD -2
#define AT_SYMLINK_NOFOLLOW 0x0020
#define AT_REMOVEDIR 0x0080
#define LOCK_SH 0x01
#define LOCK_EX 0x02
#define LOCK_NB 0x04
#define LOCK_UN 0x08
extern int flock(int, int);

// stdio.h: https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/stdio.h
#define RENAME_EXCL 0x00000004
extern int rename(const char *, const char *);
extern int renameat(int, const char *, int, const char *);
extern int renamex_np(const char *, const char *, unsigned int) API_SINCE(10.12, 10.0, 10.0, 3.0);
extern int renameatx_np(int, const char *, int, const char *, unsigned int) API_SINCE(10.12, 10.0, 10.0, 3.0);

// unistd.h: https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/unistd.h, https://github.com/apple-oss-distributions/Libc/tree/main/include
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define F_OK 0
#define X_OK (1 << 0)
#define W_OK (1 << 1)
#define R_OK (1 << 2)
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
extern int access(const char *, int);
extern int faccessat(int, const char *, int, int) API_SINCE(10.10, 8.0, 9.0, 2.0);
extern int close(int);
extern int dup(int);
extern int fsync(int);
extern int ftruncate(int, off_t);
extern int truncate(const char *, off_t);
extern int isatty(int);
extern int link(const char *, const char *);
extern int linkat(int, const char *, int, const char *, int) API_SINCE(10.10, 8.0, 9.0, 2.0);
extern int pipe(int[2]);
extern int rmdir(const char *);
extern int unlink(const char *);
extern int unlinkat(int, const char *, int) API_SINCE(10.10, 8.0, 9.0, 2.0);
extern int usleep(useconds_t);
extern off_t lseek(int, off_t, int);
extern pid_t getpid(void);
extern uid_t getuid(void);
extern uid_t geteuid(void);
extern ssize_t read(int, void *, size_t);
extern ssize_t pread(int, void *, size_t, off_t);
extern ssize_t write(int, const void *, size_t);
extern ssize_t pwrite(int, const void *, size_t, off_t);
extern ssize_t readlink(const char *, char *, size_t);

// sys/ttycom.h: https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/ttycom.h
struct winsize {
    unsigned short ws_row;
    unsigned short ws_col;
    unsigned short ws_xpixel;
    unsigned short ws_ypixel;
};

// sys/mman.h: https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/mman.h
#define PROT_READ 0x01
#define PROT_WRITE 0x02
#define MAP_SHARED 0x0001
#define MAP_PRIVATE 0x0002
extern void *mmap(void *, size_t, int, int, int, off_t);
extern int munmap(void *, size_t);

// dirent.h: https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/dirent.h, https://github.com/apple-oss-distributions/Libc/tree/main/include
typedef struct _dirstream DIR;
struct dirent {
    ino_t d_ino;
    uint64_t d_seekoff;
    uint16_t d_reclen;
    uint16_t d_namlen;
    uint8_t d_type;
    char d_name[1024];
};
#define DT_DIR 4
#define DT_REG 8
extern DIR *opendir(const char *);
extern DIR *fdopendir(int) API_SINCE(10.10, 8.0, 9.0, 2.0);
extern struct dirent *readdir(DIR *);
extern int closedir(DIR *);
extern int dirfd(DIR *);

// stdlib.h, string.h: https://github.com/apple-oss-distributions/Libc/tree/main/include; math.h: https://developer.apple.com/library/archive/documentation/System/Conceptual/ManPages_iPhoneOS/man3/math.3.html
extern void *malloc(size_t);
extern void *calloc(size_t, size_t);
extern void *realloc(void *, size_t);
extern void free(void *);
extern char *getenv(const char *);
extern int setenv(const char *, const char *, int);
extern int unsetenv(const char *);
extern int atexit(void (*_Nonnull)(void));
extern void exit(int) __attribute__((noreturn));
extern void abort(void) __attribute__((noreturn));
extern double strtod(const char *, char **);
extern int mkstemp(char *);
extern char *realpath(const char *, char *);
extern void *memchr(const void *, int, size_t);
extern int memcmp(const void *, const void *, size_t);
extern void *memcpy(void *, const void *, size_t);
extern void *memmove(void *, const void *, size_t);
extern void *memset(void *, int, size_t);
extern void *memmem(const void *, size_t, const void *, size_t);
extern size_t strlen(const char *);
extern char *strerror(int);
extern double pow(double, double);
extern double log(double);
extern double log2(double);
extern double exp(double);
extern double exp2(double);

// pthread.h, in the form in which Swift imports it: https://github.com/apple-oss-distributions/libpthread/blob/main/include/pthread/pthread.h
#pragma clang assume_nonnull begin
typedef struct _opaque_pthread_t {
    long __sig;
    void *_Nullable __cleanup_stack;
    char __opaque[8176];
} *pthread_t;
typedef struct _opaque_pthread_attr_t {
    long __sig;
    char __opaque[56];
} pthread_attr_t;
typedef struct _opaque_pthread_mutex_t {
    long __sig;
    char __opaque[56];
} pthread_mutex_t;
typedef struct _opaque_pthread_mutexattr_t {
    long __sig;
    char __opaque[8];
} pthread_mutexattr_t;
typedef unsigned long pthread_key_t;
#define UNAVAILABLE_FROM_ASYNC(why) __attribute__((__swift_attr__("@_unavailableFromAsync(message: \"" why "\")")))
int pthread_create(pthread_t * __restrict, const pthread_attr_t * _Nullable __restrict, void *(* _Nonnull)(void *),
    void * _Nullable __restrict);
int pthread_detach(pthread_t);
int pthread_equal(pthread_t _Nullable, pthread_t _Nullable);
int pthread_attr_init(pthread_attr_t *);
int pthread_attr_destroy(pthread_attr_t *);
int pthread_attr_setstacksize(pthread_attr_t *, size_t);
int pthread_attr_setdetachstate(pthread_attr_t *, int);
#define PTHREAD_CREATE_DETACHED 2
int pthread_mutex_init(pthread_mutex_t * __restrict, const pthread_mutexattr_t * _Nullable __restrict);
int pthread_mutex_destroy(pthread_mutex_t *);
int pthread_mutex_lock(pthread_mutex_t *) UNAVAILABLE_FROM_ASYNC("Use async-safe scoped locking instead");
int pthread_mutex_trylock(pthread_mutex_t *) UNAVAILABLE_FROM_ASYNC("Use async-safe scoped locking instead");
int pthread_mutex_unlock(pthread_mutex_t *) UNAVAILABLE_FROM_ASYNC("Use async-safe scoped locking instead");
int pthread_key_create(pthread_key_t *, void (* _Nullable)(void *));
int pthread_key_delete(pthread_key_t);
void * _Nullable pthread_getspecific(pthread_key_t);
int pthread_setspecific(pthread_key_t, const void * _Nullable);
pthread_t pthread_self(void);
int pthread_setname_np(const char *);
void *pthread_get_stackaddr_np(pthread_t);
size_t pthread_get_stacksize_np(pthread_t);
int sched_yield(void);
#pragma clang assume_nonnull end

// dlfcn.h: https://github.com/apple-oss-distributions/dyld/blob/main/include/dlfcn.h
void * _Nullable dlsym(void * _Nullable __handle, const char * _Nonnull __symbol);

// signal.h: https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/signal.h. sigemptyset and sigfillset are macros in C, and functions in Swift.
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGFPE 8
#define SIGBUS 10
#define SIGSEGV 11
#define SIGSYS 12
#define SIGPIPE 13
#define SIGSTOP 17
#define SIGPROF 27
#define SIG_BLOCK 1
#define SIG_UNBLOCK 2
#define SIG_SETMASK 3
extern int pthread_sigmask(int, const sigset_t *, sigset_t *);
extern int sigaddset(sigset_t *, int);
extern int sigdelset(sigset_t *, int);
extern int sigemptyset(sigset_t *);
extern int sigfillset(sigset_t *);

// poll.h: https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/poll.h
#define POLLIN 0x0001
#define POLLOUT 0x0004
#define POLLERR 0x0008
#define POLLHUP 0x0010
struct pollfd {
    int fd;
    short events;
    short revents;
};
extern int poll(struct pollfd *, nfds_t, int);

// sys/socket.h: https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/socket.h
#define AF_UNSPEC 0
#define AF_INET 2
#define AF_INET6 30
#define SOCK_STREAM 1
#define SOL_SOCKET 0xffff
#define SO_REUSEADDR 0x0004
#define SO_LINGER 0x0080
#define SO_SNDBUF 0x1001
#define SO_RCVBUF 0x1002
#define SO_ERROR 0x1007
#define SO_NOSIGPIPE 0x1022
#define SO_NWRITE 0x1024
#define SHUT_RD 0
#define SHUT_WR 1
#define SHUT_RDWR 2
#define MSG_PEEK 0x2
#define IPPROTO_TCP 6
#define TCP_NODELAY 0x01
struct linger {
    int l_onoff;
    int l_linger;
};
struct sockaddr {
    uint8_t sa_len;
    sa_family_t sa_family;
    char sa_data[14];
};
struct sockaddr_storage {
    uint8_t ss_len;
    sa_family_t ss_family;
    char __ss_pad1[6];
    int64_t __ss_align;
    char __ss_pad2[112];
};
struct in_addr {
    in_addr_t s_addr;
};
struct sockaddr_in {
    uint8_t sin_len;
    sa_family_t sin_family;
    in_port_t sin_port;
    struct in_addr sin_addr;
    char sin_zero[8];
};
struct in6_addr {
    union {
        uint8_t __u6_addr8[16];
        uint16_t __u6_addr16[8];
        uint32_t __u6_addr32[4];
    } __u6_addr;
};
struct sockaddr_in6 {
    uint8_t sin6_len;
    sa_family_t sin6_family;
    in_port_t sin6_port;
    uint32_t sin6_flowinfo;
    struct in6_addr sin6_addr;
    uint32_t sin6_scope_id;
};
extern int accept(int, struct sockaddr *, socklen_t *);
extern int bind(int, const struct sockaddr *, socklen_t);
extern int connect(int, const struct sockaddr *, socklen_t);
extern int getpeername(int, struct sockaddr *, socklen_t *);
extern int getsockname(int, struct sockaddr *, socklen_t *);
extern int getsockopt(int, int, int, void *, socklen_t *);
extern int listen(int, int);
extern int setsockopt(int, int, int, const void *, socklen_t);
extern int shutdown(int, int);
extern int socket(int, int, int);
extern ssize_t recv(int, void *, size_t, int);
extern ssize_t send(int, const void *, size_t, int);

// arpa/inet.h: https://developer.apple.com/library/archive/documentation/System/Conceptual/ManPages_iPhoneOS/man3/inet_ntop.3.html
#define INET_ADDRSTRLEN 16
#define INET6_ADDRSTRLEN 46
extern const char *inet_ntop(int, const void *, char *, socklen_t);
extern int inet_pton(int, const char *, void *);

// ifaddrs.h: https://developer.apple.com/library/archive/documentation/System/Conceptual/ManPages_iPhoneOS/man3/getifaddrs.3.html
struct ifaddrs {
    struct ifaddrs *ifa_next;
    char *ifa_name;
    unsigned int ifa_flags;
    struct sockaddr *ifa_addr;
    struct sockaddr *ifa_netmask;
    struct sockaddr *ifa_dstaddr;
    void *ifa_data;
};
extern int getifaddrs(struct ifaddrs **);
extern void freeifaddrs(struct ifaddrs *);
