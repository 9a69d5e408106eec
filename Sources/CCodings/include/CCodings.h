// The decoders of zlib (`libz.so.1`), brotli (`libbrotlidec.so.1`) and zstd (`libzstd.so.1`), looked up at run time: no
// development package is needed to build, and a program runs where a library is missing. Linux only.
// A test compares the declarations with the real headers. Needs zlib 1.2, brotli 1.0 and zstd 1.4 or later.
#ifndef CCODINGS_H
#define CCODINGS_H

#include <stddef.h>

enum {
    // Results of `inflate`.
    CCODINGS_Z_OK = 0,
    CCODINGS_Z_STREAM_END = 1,
    CCODINGS_Z_NEED_DICT = 2,
    CCODINGS_Z_DATA_ERROR = -3,
    CCODINGS_Z_MEM_ERROR = -4,
    CCODINGS_Z_BUF_ERROR = -5,
    // Its flush mode, and its largest window.
    CCODINGS_Z_NO_FLUSH = 0,
    CCODINGS_MAX_WBITS = 15,
    // Results of `BrotliDecoderDecompressStream`.
    CCODINGS_BROTLI_DECODER_RESULT_ERROR = 0,
    CCODINGS_BROTLI_DECODER_RESULT_SUCCESS = 1,
    CCODINGS_BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT = 2,
    CCODINGS_BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT = 3,
    // The first and the last of brotli's error codes for failed allocations.
    CCODINGS_BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES = -21,
    CCODINGS_BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES = -30,
    CCODINGS_ZSTD_d_windowLogMax = 100,
    CCODINGS_ZSTD_error_memory_allocation = 64,
};

/// The functions of one library. Unchanging once opened, so that all threads may use it.
typedef struct ccodings_zlib ccodings_zlib;
typedef struct ccodings_brotli ccodings_brotli;
typedef struct ccodings_zstd ccodings_zstd;

/// What one call of a decoder did. `result`: of zlib and brotli their own; of zstd 0 at the end of a frame, within one how
/// many bytes it would like next, and its error code, negative. After an error zstd counts nothing as produced.
typedef struct {
    size_t consumed;
    size_t produced;
    int result;
} ccodings_step;

/// NULL where the library or one of its functions is missing, or memory.
const ccodings_zlib *ccodings_zlib_open(const char *name);
void ccodings_zlib_close(const ccodings_zlib *library);
/// `window_bits` as for `inflateInit2`: 15 for zlib's format, 31 for gzip's, -15 for raw deflate. NULL without memory.
void *ccodings_zlib_create(const ccodings_zlib *library, int window_bits);
/// Makes the stream begin again, in the same format.
int ccodings_zlib_reset(const ccodings_zlib *library, void *stream);
ccodings_step ccodings_zlib_decode(
    const ccodings_zlib *library, void *stream, const void *input, size_t input_count, void *output, size_t output_count);
/// What is wrong with the content, after an error; else NULL.
const char *ccodings_zlib_message(const void *stream);
void ccodings_zlib_free(const ccodings_zlib *library, void *stream);

const ccodings_brotli *ccodings_brotli_open(const char *name);
void ccodings_brotli_close(const ccodings_brotli *library);
void *ccodings_brotli_create(const ccodings_brotli *library);
ccodings_step ccodings_brotli_decode(
    const ccodings_brotli *library, void *stream, const void *input, size_t input_count, void *output, size_t output_count);
int ccodings_brotli_error(const ccodings_brotli *library, const void *stream);
const char *ccodings_brotli_message(const ccodings_brotli *library, int error);
void ccodings_brotli_free(const ccodings_brotli *library, void *stream);

const ccodings_zstd *ccodings_zstd_open(const char *name);
void ccodings_zstd_close(const ccodings_zstd *library);
/// NULL without memory, or where the library does not take the limit. `window_log`: of the largest window, in bytes.
void *ccodings_zstd_create(const ccodings_zstd *library, int window_log);
ccodings_step ccodings_zstd_decode(
    const ccodings_zstd *library, void *stream, const void *input, size_t input_count, void *output, size_t output_count);
/// `result`: of a step, negative.
const char *ccodings_zstd_message(const ccodings_zstd *library, int result);
void ccodings_zstd_free(const ccodings_zstd *library, void *stream);

#endif
