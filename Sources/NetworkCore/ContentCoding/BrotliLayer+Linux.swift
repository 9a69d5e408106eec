#if os(Linux)
    import CCodings

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
