#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "Library.h"

#ifdef __linux__
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct openssl_functions openssl;
static const char *failure = "OpenSSL was not loaded";
// The library that was loaded; NULL if the program has linked it.
static void *loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

enum { first_version = 0x10101000, first_version_3 = 0x30000000 };

#ifndef __GLIBC__
// A program that is linked statically, as with Swift's static SDK, can load nothing. It may have linked OpenSSL instead.
#define WEAK(result, name, parameters) extern result name parameters __attribute__((weak));
OPENSSL_FUNCTIONS(WEAK)
OPENSSL_FUNCTIONS_SINCE_3(WEAK)
OPENSSL_FUNCTIONS_BEFORE_3(WEAK)
#undef WEAK

static int use_linked(void) {
#define USE(result, name, parameters) \
    if (!(openssl.name = name)) return 0;
    OPENSSL_FUNCTIONS(USE)
#undef USE
    openssl.EVP_PKEY_get_bits = EVP_PKEY_get_bits;
    openssl.EVP_PKEY_bits = EVP_PKEY_bits;
    return EVP_PKEY_get_bits || EVP_PKEY_bits;
}
#else
static int use_linked(void) { return 0; }
#endif

// Each function is looked up in the library that was loaded here and in what that depends on, never in another one of the process.
static int use_loaded(void *library) {
    static char text[128];
#define USE(result, name, parameters) \
    if (!(*(void **)&openssl.name = dlsym(library, #name))) { \
        snprintf(text, sizeof text, "the installed OpenSSL has no function %s", #name); \
        failure = text; \
        return 0; \
    }
    OPENSSL_FUNCTIONS(USE)
#undef USE
    *(void **)&openssl.EVP_PKEY_get_bits = dlsym(library, "EVP_PKEY_get_bits");
    *(void **)&openssl.EVP_PKEY_bits = dlsym(library, "EVP_PKEY_bits");
    return openssl.EVP_PKEY_get_bits || openssl.EVP_PKEY_bits;
}

static void load(void) {
    if (!use_linked()) {
        void *library = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL);
        if (!library) library = dlopen("libssl.so.1.1", RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            failure = "OpenSSL is not installed (the package is called libssl3 or libssl3t64 on Debian and Ubuntu, openssl-libs on Fedora and "
                      "Red Hat, libssl3 on Alpine)";
            return;
        }
        if (!use_loaded(library)) return;
        loaded = library;
    }
    if (openssl.OpenSSL_version_num() < first_version) {
        failure = "the installed OpenSSL is older than 1.1.1";
        return;
    }
    // Otherwise `exit` would free OpenSSL's tables while other threads still use them.
    if (openssl.OPENSSL_init_ssl(OSSL_OPENSSL_INIT_NO_ATEXIT, NULL) != 1) {
        failure = "the installed OpenSSL cannot be initialized";
        return;
    }
    failure = NULL;
}

const char *copenssl_load_failure(void) {
    pthread_once(&once, load);
    return failure;
}

void *copenssl_function(const char *name) { return loaded ? dlsym(loaded, name) : NULL; }

const char *copenssl_environment(const char *name) { return secure_getenv(name); }

const char *copenssl_version(void) { return openssl.OpenSSL_version(OSSL_OPENSSL_VERSION); }

const char *copenssl_verification_text(int result) { return openssl.X509_verify_cert_error_string(result); }

int copenssl_reason(unsigned long error) {
    int is_old = openssl.OpenSSL_version_num() < first_version_3;
    unsigned long library = is_old ? error >> 24 & 0xFF : error >> 23 & 0x1FF;
    if (library != OSSL_ERR_LIB_SSL) return 0;
    return (int)(is_old ? error & 0xFFF : error & 0x7FFFFF);
}

unsigned long copenssl_take_error(char *text, size_t size) {
    unsigned long error = openssl.ERR_get_error();
    if (size) text[0] = 0;
    if (error) {
        const char *reason = openssl.ERR_reason_error_string(error);
        if (reason) {
            snprintf(text, size, "%s", reason);
        } else {
            openssl.ERR_error_string_n(error, text, size);
        }
    }
    openssl.ERR_clear_error();
    return error;
}
#else
typedef int copenssl_needs_linux;
#endif
