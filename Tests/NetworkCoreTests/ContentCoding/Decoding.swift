#if os(Linux)
    import Testing

    @testable import NetworkTransport

    /// The outcome of decoding a content.
    struct DecodingOutcome: Equatable {
        var output: [UInt8] = []
        var failure: ContentDecodingFailure?
        /// A violated rule of ``ContentDecoder``; `nil` if there is none.
        var violation: String?
    }

    /// Decodes as the engine does: in pieces, with some room for output.
    ///
    /// - Parameters:
    ///   - pieces: The length of the next piece, at least 1.
    ///   - room: The room for the next output, at least 1.
    ///   - maximumOutput: Decoding stops after more than this number of bytes.
    func decode(
        _ content: [UInt8], _ coding: String, ratio: Int = 1100, maximumOutput: Int = .max, pieces: () -> Int = { .max },
        room: () -> Int = { 1 << 16 }
    ) -> DecodingOutcome {
        var outcome = DecodingOutcome()
        guard let decoder = ContentDecoder(contentEncoding: coding, maximumRatio: ratio) else {
            outcome.violation = "it is not offered"
            return outcome
        }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        do throws(ContentDecodingFailure) {
            var rest = content[...]
            while !rest.isEmpty {
                var piece = rest.prefix(pieces())
                rest = rest.dropFirst(piece.count)
                while !piece.isEmpty || decoder.mayHoldOutput {
                    let count = min(room(), buffer.count)
                    let (consumed, produced) = try call(decoder, piece, &buffer, count)
                    if consumed == 0, produced == 0, !piece.isEmpty {
                        outcome.violation = "no progress with \(piece.count) bytes"
                    }
                    if outcome.violation != nil || outcome.output.count > maximumOutput { return outcome }
                    outcome.output += buffer[..<produced]
                    piece = piece.dropFirst(consumed)
                }
            }
            try decoder.finish()
        } catch {
            outcome.failure = error
            outcome.violation = violation(of: decoder, after: error)
        }
        return outcome
    }

    private func call(
        _ decoder: ContentDecoder, _ piece: ArraySlice<UInt8>, _ buffer: inout [UInt8], _ count: Int
    ) throws(ContentDecodingFailure) -> (consumed: Int, produced: Int) {
        let result = piece.withUnsafeBytes { input in
            buffer.withUnsafeMutableBytes { output in
                Result { () throws(ContentDecodingFailure) in
                    try decoder.decode(input, into: UnsafeMutableRawBufferPointer(rebasing: output[..<count]))
                }
            }
        }
        return try result.get()
    }

    /// Returns a description if the decoder does not repeat its failure.
    private func violation(of decoder: ContentDecoder, after failure: ContentDecodingFailure) -> String? {
        var buffer: [UInt8] = [0]
        do throws(ContentDecodingFailure) {
            _ = try call(decoder, [1, 2, 3], &buffer, 1)
            return "it decodes after a failure"
        } catch {
            if error != failure { return "another failure: \(error)" }
        }
        do throws(ContentDecodingFailure) {
            try decoder.finish()
            return "it ends well after a failure"
        } catch {
            return error == failure ? nil : "another failure at the end: \(error)"
        }
    }

#endif
