#if os(Linux)
    import CCodings

    /// A decoder for `zstd` (RFC 8878): any number of frames, skippable ones included. Bytes after a frame must be another frame.
    final class ZstdLayer: CodingLayer {
        /// The logarithm of the maximum window, 8 MiB: decoders for HTTP must support it, and encoders must not exceed it (RFC 9659 §3).
        private static let windowLog: CInt = 23
        /// The maximum size of a frame header (RFC 8878 §3.1.1.1): magic number, descriptor, window, dictionary, content size.
        private static let maximumHeaderBytes = 18
        /// The size of a block header, which zstd requests together with the block before it.
        private static let blockHeaderBytes = 3

        private(set) var mayHoldOutput = false
        private let library: CodingLibrary
        private var stream: UnsafeMutableRawPointer?
        /// The number of consumed bytes of this frame, counted up to ``maximumHeaderBytes``.
        private var frameBytes = 0
        /// The number of bytes that zstd requests next.
        private var wanted = 0

        init(library: CodingLibrary) {
            self.library = library
        }

        deinit {
            ccodings_zstd_free(library.functions, stream)
        }

        var isComplete: Bool { frameBytes == 0 }

        func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> CodingStep {
            var step = CodingStep()
            if stream == nil { stream = ccodings_zstd_create(library.functions, Self.windowLog) }
            guard stream != nil else {
                step.failure = .outOfMemory
                return step
            }
            while step.failure == nil, step.produced < output.count, step.consumed < input.count || mayHoldOutput {
                advance(input.part(from: step.consumed), into: output.part(from: step.produced), &step)
            }
            return step
        }

        private func advance(
            _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, _ step: inout CodingStep
        ) {
            let offered = min(input.count, portion)
            let done = ccodings_zstd_decode(
                library.functions, stream, input.baseAddress, offered, output.baseAddress, output.count)
            step.add(done)
            frameBytes = done.result == 0 ? 0 : min(frameBytes + done.consumed, Self.maximumHeaderBytes)
            wanted = Int(max(0, done.result))
            mayHoldOutput = done.result > 0 && done.produced == output.count
            if done.result < 0 {
                step.failure = failure(done.result)
            } else if done.consumed == 0, done.produced == 0, offered > 0 {
                step.failure = .damaged("zstd: no progress")
            }
        }

        /// The number of bytes to pass to zstd next.
        private var portion: Int {
            // When zstd fails, the output of that call is lost. So the held output is taken first, and then each block is passed separately.
            if mayHoldOutput { return 0 }
            // A header is passed byte by byte. When zstd receives a whole frame and has room for its content, it decodes it in another way,
            // which does not check the window and accepts formats older than RFC 8878: which content is valid would depend on how it
            // arrives.
            if frameBytes < Self.maximumHeaderBytes { return 1 }
            // If no block header follows, as after the last block, the last three bytes are passed one by one: zstd checks the size of the
            // content with the last one.
            return max(1, wanted - Self.blockHeaderBytes)
        }

        func failure(_ result: CInt) -> ContentDecodingFailure {
            if Int(result) == -CCODINGS_ZSTD_error_memory_allocation { return .outOfMemory }
            let message = ccodings_zstd_message(library.functions, result).map { String(cString: $0) }
            return .damaged("zstd: \(message ?? "error \(-result)")")
        }
    }

    /// A decoder for `br` (RFC 7932), with a window of at most 16 MiB. Bytes after the last meta-block are ignored, as by Chromium.
    final class BrotliLayer: CodingLayer {
        private(set) var mayHoldOutput = false
        private let library: CodingLibrary
        private var stream: UnsafeMutableRawPointer?
        private var isOver = false

        init(library: CodingLibrary) {
            self.library = library
        }

        deinit {
            ccodings_brotli_free(library.functions, stream)
        }

        var isComplete: Bool { stream == nil || isOver }

        func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> CodingStep {
            var step = CodingStep()
            if stream == nil { stream = ccodings_brotli_create(library.functions) }
            guard let stream else {
                step.failure = .outOfMemory
                return step
            }
            if !isOver {
                let done = ccodings_brotli_decode(
                    library.functions, stream, input.baseAddress, input.count, output.baseAddress, output.count)
                step.add(done)
                isOver = Int(done.result) == CCODINGS_BROTLI_DECODER_RESULT_SUCCESS
                // The library may request more input although it still holds output.
                mayHoldOutput = !isOver && done.produced == output.count
                if Int(done.result) == CCODINGS_BROTLI_DECODER_RESULT_ERROR {
                    step.failure = failure(ccodings_brotli_error(library.functions, stream))
                }
            }
            if isOver { step.consumed = input.count }
            return step
        }

        func failure(_ code: CInt) -> ContentDecodingFailure {
            let (last, first) = (
                CCODINGS_BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES, CCODINGS_BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES
            )
            if (last...first).contains(Int(code)) { return .outOfMemory }
            let message = ccodings_brotli_message(library.functions, code).map { String(cString: $0) }
            return .damaged("br: \(message ?? "error \(code)")")
        }
    }
#endif
