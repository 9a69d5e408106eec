#if os(Linux)
    import CCodings

    /// Undoes `zstd` (RFC 8878): any number of frames, skippable ones included. What follows a frame has to be another.
    final class ZstdLayer: CodingLayer {
        /// 8 MiB: what a decoder of HTTP has to take, and an encoder may use (RFC 9659 §3).
        private static let windowLog: CInt = 23
        /// The longest header of a frame (RFC 8878 §3.1.1.1): magic number, descriptor, window, dictionary, content size.
        private static let maximumHeaderBytes = 18
        /// What zstd would like beyond a block is the header of the next one.
        private static let blockHeaderBytes = 3

        private(set) var mayHoldOutput = false
        private let library: CodingLibrary
        private var stream: UnsafeMutableRawPointer?
        /// How much was consumed of this frame, up to ``maximumHeaderBytes``.
        private var frameBytes = 0
        /// What it would like next, in bytes.
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

        /// How much zstd is to receive next.
        private var portion: Int {
            // An error costs all output of its call: so first what is held, and then each block by itself.
            if mayHoldOutput { return 0 }
            // A header byte by byte. When zstd sees a whole frame and has room for its content it decodes it in another way, which
            // does not look at the window, and takes formats from before RFC 8878: what is accepted would depend on how the
            // content arrives.
            if frameBytes < Self.maximumHeaderBytes { return 1 }
            // Where it does not want a header, such as in the last block, the last three bytes go one by one: the content's size
            // is checked with the last one.
            return max(1, wanted - Self.blockHeaderBytes)
        }

        func failure(_ result: CInt) -> ContentDecodingFailure {
            if Int(result) == -CCODINGS_ZSTD_error_memory_allocation { return .outOfMemory }
            let words = ccodings_zstd_message(library.functions, result).map { String(cString: $0) }
            return .damaged("zstd: \(words ?? "error \(-result)")")
        }
    }

    /// Undoes `br` (RFC 7932), whose window has at most 16 MiB. What follows the last meta-block is ignored, as Chromium does.
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
                // It may say that it needs more input though it holds output.
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
            let words = ccodings_brotli_message(library.functions, code).map { String(cString: $0) }
            return .damaged("br: \(words ?? "error \(code)")")
        }
    }
#endif
