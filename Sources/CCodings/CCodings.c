#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CCodings.h"

#ifdef __linux__
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

// `z_stream`, `ZSTD_inBuffer` and `ZSTD_outBuffer`, with the layout of each library's ABI.
struct zlib_stream {
    const unsigned char *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *msg;
    void *state;
    void *zalloc;
    void *zfree;
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
};
struct zstd_input {
    const void *src;
    size_t size;
    size_t pos;
};
struct zstd_output {
    void *dst;
    size_t size;
    size_t pos;
};
struct brotli_state;
struct zstd_stream;

// The types of the functions. An enum without negative values is an unsigned int.
typedef const char *(*zlibVersion_function)(void);
typedef int (*inflateInit2__function)(struct zlib_stream *, int, const char *, int);
typedef int (*inflate_function)(struct zlib_stream *, int);
typedef int (*inflateReset_function)(struct zlib_stream *);
typedef int (*inflateEnd_function)(struct zlib_stream *);
typedef int (*deflateInit2__function)(struct zlib_stream *, int, int, int, int, int, const char *, int);
typedef int (*deflate_function)(struct zlib_stream *, int);
typedef int (*deflateEnd_function)(struct zlib_stream *);
typedef struct brotli_state *(*BrotliDecoderCreateInstance_function)(
    void *(*)(void *, size_t), void (*)(void *, void *), void *);
typedef unsigned int (*BrotliDecoderDecompressStream_function)(
    struct brotli_state *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
typedef int (*BrotliDecoderGetErrorCode_function)(const struct brotli_state *);
typedef const char *(*BrotliDecoderErrorString_function)(int);
typedef void (*BrotliDecoderDestroyInstance_function)(struct brotli_state *);
typedef struct zstd_stream *(*ZSTD_createDStream_function)(void);
typedef size_t (*ZSTD_DCtx_setParameter_function)(struct zstd_stream *, unsigned int, int);
typedef size_t (*ZSTD_decompressStream_function)(struct zstd_stream *, struct zstd_output *, struct zstd_input *);
typedef unsigned int (*ZSTD_isError_function)(size_t);
typedef const char *(*ZSTD_getErrorName_function)(size_t);
typedef size_t (*ZSTD_freeDStream_function)(struct zstd_stream *);

struct ccodings_zlib {
    void *handle;
    inflateInit2__function init;
    inflate_function decode;
    inflateReset_function reset;
    inflateEnd_function end;
    deflateInit2__function init_encoder;
    deflate_function encode;
    deflateEnd_function end_encoder;
};
struct ccodings_brotli {
    void *handle;
    BrotliDecoderCreateInstance_function create;
    BrotliDecoderDecompressStream_function decode;
    BrotliDecoderGetErrorCode_function error;
    BrotliDecoderErrorString_function message;
    BrotliDecoderDestroyInstance_function destroy;
};
struct ccodings_zstd {
    void *handle;
    ZSTD_createDStream_function create;
    ZSTD_DCtx_setParameter_function set;
    ZSTD_decompressStream_function decode;
    ZSTD_isError_function is_error;
    ZSTD_getErrorName_function message;
    ZSTD_freeDStream_function destroy;
};

// Loads a library. Returns a zeroed table whose first member is the library's handle; NULL if the library is missing.
static void *open_library(const char *name, size_t size) {
    void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (!handle) return NULL;
    void **table = calloc(1, size);
    if (table) {
        table[0] = handle;
    } else {
        dlclose(handle);
    }
    return table;
}

static void close_library(const void *table) {
    if (!table) return;
    dlclose(*(void *const *)table);
    free((void *)table);
}

// Looks up a function. If the process has the same library in its global scope as well, such as one loaded with libcurl, calls inside the
// library that was loaded here reach that other one. So all functions are taken from the global scope then: one stream must be used with
// one library only.
static int find(const void *table, const char *name, void *function) {
    void *address = dlsym(*(void *const *)table, name);
    void *global = address ? dlsym(RTLD_DEFAULT, name) : NULL;
    if (global) address = global;
    *(void **)function = address;
    return address != NULL;
}

// MARK: zlib

const ccodings_zlib *ccodings_zlib_open(const char *name) {
    ccodings_zlib *library = open_library(name, sizeof(ccodings_zlib));
    zlibVersion_function version = NULL;
    if (!library) return NULL;
    // All versions 1.x have this layout of `z_stream`.
    if (find(library, "zlibVersion", &version) && version()[0] == '1' && find(library, "inflateInit2_", &library->init)
        && find(library, "inflate", &library->decode) && find(library, "inflateReset", &library->reset)
        && find(library, "inflateEnd", &library->end) && find(library, "deflateInit2_", &library->init_encoder)
        && find(library, "deflate", &library->encode) && find(library, "deflateEnd", &library->end_encoder)) return library;
    close_library(library);
    return NULL;
}

void ccodings_zlib_close(const ccodings_zlib *library) { close_library(library); }

void *ccodings_zlib_create(const ccodings_zlib *library, int window_bits) {
    struct zlib_stream *stream = calloc(1, sizeof(struct zlib_stream));
    if (!stream) return NULL;
    if (library->init(stream, window_bits, "1", (int)sizeof(struct zlib_stream)) == CCODINGS_Z_OK) return stream;
    free(stream);
    return NULL;
}

int ccodings_zlib_reset(const ccodings_zlib *library, void *stream) { return library->reset(stream); }

// Calls `inflate` or `deflate`, which have the same type.
static ccodings_step zlib_step(inflate_function function, struct zlib_stream *zlib, const void *input, size_t input_count, void *output,
                               size_t output_count, int flush) {
    unsigned char none = 0;
    unsigned int in = input_count < UINT_MAX ? (unsigned int)input_count : UINT_MAX;
    unsigned int out = output_count < UINT_MAX ? (unsigned int)output_count : UINT_MAX;
    // zlib does not accept NULL pointers.
    zlib->next_in = input ? input : &none;
    zlib->avail_in = in;
    zlib->next_out = output ? output : &none;
    zlib->avail_out = out;
    int result = function(zlib, flush);
    ccodings_step step = {in - zlib->avail_in, out - zlib->avail_out, result};
    zlib->next_in = NULL;
    zlib->next_out = NULL;
    zlib->avail_in = 0;
    zlib->avail_out = 0;
    return step;
}

ccodings_step ccodings_zlib_decode(
    const ccodings_zlib *library, void *stream, const void *input, size_t input_count, void *output, size_t output_count) {
    return zlib_step(library->decode, stream, input, input_count, output, output_count, CCODINGS_Z_NO_FLUSH);
}

const char *ccodings_zlib_message(const void *stream) { return ((const struct zlib_stream *)stream)->msg; }

void ccodings_zlib_free(const ccodings_zlib *library, void *stream) {
    if (!stream) return;
    library->end(stream);
    free(stream);
}

void *ccodings_zlib_create_encoder(const ccodings_zlib *library, int level, int window_bits) {
    struct zlib_stream *stream = calloc(1, sizeof(struct zlib_stream));
    if (!stream) return NULL;
    // 8 is zlib's default for the size of its tables.
    int result = library->init_encoder(stream, level, CCODINGS_Z_DEFLATED, window_bits, 8, CCODINGS_Z_DEFAULT_STRATEGY, "1",
                                       (int)sizeof(struct zlib_stream));
    if (result == CCODINGS_Z_OK) return stream;
    free(stream);
    return NULL;
}

ccodings_step ccodings_zlib_encode(
    const ccodings_zlib *library, void *stream, const void *input, size_t input_count, void *output, size_t output_count, int flush) {
    return zlib_step(library->encode, stream, input, input_count, output, output_count, flush);
}

void ccodings_zlib_free_encoder(const ccodings_zlib *library, void *stream) {
    if (!stream) return;
    library->end_encoder(stream);
    free(stream);
}

// MARK: brotli

const ccodings_brotli *ccodings_brotli_open(const char *name) {
    ccodings_brotli *library = open_library(name, sizeof(ccodings_brotli));
    if (!library) return NULL;
    if (find(library, "BrotliDecoderCreateInstance", &library->create)
        && find(library, "BrotliDecoderDecompressStream", &library->decode)
        && find(library, "BrotliDecoderGetErrorCode", &library->error)
        && find(library, "BrotliDecoderErrorString", &library->message)
        && find(library, "BrotliDecoderDestroyInstance", &library->destroy)) return library;
    close_library(library);
    return NULL;
}

void ccodings_brotli_close(const ccodings_brotli *library) { close_library(library); }

void *ccodings_brotli_create(const ccodings_brotli *library) { return library->create(NULL, NULL, NULL); }

ccodings_step ccodings_brotli_decode(
    const ccodings_brotli *library, void *stream, const void *input, size_t input_count, void *output, size_t output_count) {
    const uint8_t *next_in = input;
    uint8_t *next_out = output;
    size_t avail_in = input_count;
    size_t avail_out = output_count;
    int result = (int)library->decode(stream, &avail_in, &next_in, &avail_out, &next_out, NULL);
    return (ccodings_step){input_count - avail_in, output_count - avail_out, result};
}

int ccodings_brotli_error(const ccodings_brotli *library, const void *stream) { return library->error(stream); }

const char *ccodings_brotli_message(const ccodings_brotli *library, int error) { return library->message(error); }

void ccodings_brotli_free(const ccodings_brotli *library, void *stream) {
    if (stream) library->destroy(stream);
}

// MARK: zstd

const ccodings_zstd *ccodings_zstd_open(const char *name) {
    ccodings_zstd *library = open_library(name, sizeof(ccodings_zstd));
    if (!library) return NULL;
    if (find(library, "ZSTD_createDStream", &library->create) && find(library, "ZSTD_DCtx_setParameter", &library->set)
        && find(library, "ZSTD_decompressStream", &library->decode) && find(library, "ZSTD_isError", &library->is_error)
        && find(library, "ZSTD_getErrorName", &library->message)
        && find(library, "ZSTD_freeDStream", &library->destroy)) return library;
    close_library(library);
    return NULL;
}

void ccodings_zstd_close(const ccodings_zstd *library) { close_library(library); }

void *ccodings_zstd_create(const ccodings_zstd *library, int window_log) {
    struct zstd_stream *stream = library->create();
    if (stream && library->is_error(library->set(stream, CCODINGS_ZSTD_d_windowLogMax, window_log))) {
        library->destroy(stream);
        return NULL;
    }
    return stream;
}

ccodings_step ccodings_zstd_decode(
    const ccodings_zstd *library, void *stream, const void *input, size_t input_count, void *output, size_t output_count) {
    struct zstd_input in = {input, input_count, 0};
    struct zstd_output out = {output, output_count, 0};
    size_t left = library->decode(stream, &out, &in);
    // zstd returns an error as its negated code.
    int result = library->is_error(left) ? -(int)(0 - left) : left < INT_MAX ? (int)left : INT_MAX;
    return (ccodings_step){in.pos, out.pos, result};
}

const char *ccodings_zstd_message(const ccodings_zstd *library, int result) {
    return library->message((size_t)0 - (size_t)(-(long)result));
}

void ccodings_zstd_free(const ccodings_zstd *library, void *stream) {
    if (stream) library->destroy(stream);
}

#else
typedef int ccodings_needs_linux;
#endif
