#if os(Linux)
    import CCodings

    /// What one call of a decoder did.
    struct CodingStep {
        var consumed = 0
        var produced = 0
        /// Ends the content behind what was produced. The layer is not called again.
        var failure: ContentDecodingFailure?

        mutating func add(_ step: ccodings_step) {
            consumed += step.consumed
            produced += step.produced
        }
    }

    /// Undoes one coding. Keeps the library's state, which is created with the first byte.
    protocol CodingLayer: AnyObject {
        /// Whether a call without input may produce more: the last one filled its output.
        var mayHoldOutput: Bool { get }

        /// Whether the content may end here: it is complete, or there was none.
        var isComplete: Bool { get }

        /// Consumes all of the input or fills the output, which is not empty, or fails.
        func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> CodingStep
    }

    extension UnsafeRawBufferPointer {
        /// From an offset, at most the count.
        func part(from offset: Int, atMost count: Int = .max) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(rebasing: self[offset...].prefix(count))
        }
    }

    extension UnsafeMutableRawBufferPointer {
        /// From an offset, at most the count.
        func part(from offset: Int, atMost count: Int = .max) -> UnsafeMutableRawBufferPointer {
            UnsafeMutableRawBufferPointer(rebasing: self[offset...].prefix(count))
        }
    }
#endif
