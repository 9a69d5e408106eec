#if os(Linux)
    import Testing

    @testable import NetworkCore

    /// What came of a content.
    struct DecodingOutcome: Equatable {
        var output: [UInt8] = []
        var failure: ContentDecodingFailure?
        /// A broken promise of ``ContentDecoder``.
        var complaint: String?
    }

    /// Decodes as the engine does: in pieces, with some room for output.
    ///
    /// - Parameters:
    ///   - pieces: The length of the next piece, at least 1.
    ///   - room: The room for the next output, at least 1.
    ///   - maximumOutput: Stops there.
    func decode(
        _ content: [UInt8], _ coding: String, ratio: Int = 1100, maximumOutput: Int = .max, pieces: () -> Int = { .max },
        room: () -> Int = { 1 << 16 }
    ) -> DecodingOutcome {
        var outcome = DecodingOutcome()
        guard let decoder = ContentDecoder(contentEncoding: coding, maximumRatio: ratio) else {
            outcome.complaint = "it is not offered"
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
                        outcome.complaint = "no progress with \(piece.count) bytes"
                    }
                    if outcome.complaint != nil || outcome.output.count > maximumOutput { return outcome }
                    outcome.output += buffer[..<produced]
                    piece = piece.dropFirst(consumed)
                }
            }
            try decoder.finish()
        } catch {
            outcome.failure = error
            outcome.complaint = complaint(about: decoder, after: error)
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

    /// A failure stays.
    private func complaint(about decoder: ContentDecoder, after failure: ContentDecodingFailure) -> String? {
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
