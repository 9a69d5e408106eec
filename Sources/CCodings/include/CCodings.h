// The decoder and the encoder of zlib (`libz.so.1`), and the decoders of brotli (`libbrotlidec.so.1`) and zstd (`libzstd.so.1`), loaded at run time: no
// development package is needed to build, and programs also run without these libraries. Linux only.
// A test compares the declarations with the headers of the libraries. Requires zlib 1.2, brotli 1.0 and zstd 1.4 or later.
#ifndef CCODINGS_H
#define CCODINGS_H

#include <stddef.h>

enum {
    // Results of `inflate` and `deflate`.
    CCODINGS_Z_OK = 0,
    CCODINGS_Z_STREAM_END = 1,
    CCODINGS_Z_NEED_DICT = 2,
    CCODINGS_Z_DATA_ERROR = -3,
    CCODINGS_Z_MEM_ERROR = -4,
    CCODINGS_Z_BUF_ERROR = -5,
    // The flush modes of `inflate` and `deflate`, and their largest window.
    CCODINGS_Z_NO_FLUSH = 0,
    CCODINGS_Z_SYNC_FLUSH = 2,
    CCODINGS_Z_FINISH = 4,
    CCODINGS_MAX_WBITS = 15,
    // The method and the strategy of `deflateInit2`.
    CCODINGS_Z_DEFLATED = 8,
    CCODINGS_Z_DEFAULT_STRATEGY = 0,
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

/// The functions of one library. They do not change after they were loaded, so all threads may use them.
typedef struct ccodings_zlib ccodings_zlib;
typedef struct ccodings_brotli ccodings_brotli;
typedef struct ccodings_zstd ccodings_zstd;

/// The result of one call of a decoder. `result` is the library's result code for zlib and brotli. For zstd it is 0 at the end of a
/// frame, the number of bytes that zstd requests next within a frame, or a negated error code. After an error, `produced` is 0 for zstd.
typedef struct {
    size_t consumed;
    size_t produced;
    int result;
} ccodings_step;

/// Loads the library. Returns NULL if it or one of its functions is missing, or if there is not enough memory.
const ccodings_zlib *ccodings_zlib_open(const char *name);
void ccodings_zlib_close(const ccodings_zlib *library);
/// Creates a stream. `window_bits` as for `inflateInit2`: 15 for the zlib format, 31 for gzip, -15 for raw deflate. Returns NULL if there
/// is not enough memory.
void *ccodings_zlib_create(const ccodings_zlib *library, int window_bits);
/// Resets the stream to its beginning, with the same format.
int ccodings_zlib_reset(const ccodings_zlib *library, void *stream);
ccodings_step ccodings_zlib_decode(
    const ccodings_zlib *library, void *stream, const void *input, size_t input_count, void *output, size_t output_count);
/// Returns the message of the last error; NULL if there was none.
const char *ccodings_zlib_message(const void *stream);
void ccodings_zlib_free(const ccodings_zlib *library, void *stream);
/// Creates a stream that encodes. `level` is 1, the fastest, to 9; `window_bits` as for `ccodings_zlib_create`. Returns NULL if there is not
/// enough memory, or an argument is invalid.
void *ccodings_zlib_create_encoder(const ccodings_zlib *library, int level, int window_bits);
/// Encodes with a flush mode of `deflate`.
ccodings_step ccodings_zlib_encode(
    const ccodings_zlib *library, void *stream, const void *input, size_t input_count, void *output, size_t output_count, int flush);
void ccodings_zlib_free_encoder(const ccodings_zlib *library, void *stream);

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
/// Creates a stream. `window_log` is the logarithm of the largest window in bytes. Returns NULL if there is not enough memory, or the
/// library refuses the limit.
void *ccodings_zstd_create(const ccodings_zstd *library, int window_log);
ccodings_step ccodings_zstd_decode(
    const ccodings_zstd *library, void *stream, const void *input, size_t input_count, void *output, size_t output_count);
/// Returns the message for the negative `result` of a step.
const char *ccodings_zstd_message(const ccodings_zstd *library, int result);
void ccodings_zstd_free(const ccodings_zstd *library, void *stream);

#endif
