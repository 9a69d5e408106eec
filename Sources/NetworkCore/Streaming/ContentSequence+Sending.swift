import Endpoints
import Foundation

extension ContentSequence {
    /// How many bytes it will be; `nil` when one of its streams does not know. Looks at all files in any case, so that one that is missing
    /// is an error before a byte is sent.
    ///
    /// - Throws: ``TransportError/Code/bodyFailed``.
    func length(for request: NetworkRequest?) throws(TransportError) -> Int64? {
        var total: Int64? = 0
        for length in try lengths(for: request) {
            guard let length, let soFar = total else {
                total = nil
                continue
            }
            let (sum, isTooLarge) = soFar.addingReportingOverflow(length)
            if isTooLarge {
                throw TransportError(.bodyFailed, "the body is too large for its length to be told", request: request)
            }
            total = sum
        }
        return total
    }

    private func measuredLengths() async throws(TransportError) -> [Int64?] {
        guard looksAtFiles else { return try lengths(for: nil) }
        return try await BackgroundThreads.files.value { () throws(TransportError) in try lengths(for: nil) }
    }

    /// Whether its length is that of files.
    var looksAtFiles: Bool { segments.contains(where: \.content.looksAtFiles) }

    private func lengths(for request: NetworkRequest?) throws(TransportError) -> [Int64?] {
        var lengths: [Int64?] = []
        for segment in segments {
            do throws(TransportError) {
                lengths.append(try segment.content.length(for: request))
            } catch {
                throw error.named(segment.name)
            }
        }
        return lengths
    }

    /// Hands all bytes to `sink`, which returns when there is room for more.
    ///
    /// - Parameter length: What has been announced.
    func send(length: Int64?, to sink: (Data) async throws -> Void) async throws {
        // The files may have changed since; which of them, nobody knows.
        let lengths = try await measuredLengths()
        let total = lengths.reduce(Int64?.some(0)) { sum, next in
            guard let sum, let next else { return nil }
            return sum &+ next
        }
        guard total == length else {
            throw TransportError(
                .bodyFailed,
                "the body's files have changed: \(length.map(String.init) ?? "unknown") bytes were announced, now there are \(total.map(String.init) ?? "unknown")"
            )
        }
        for (segment, length) in zip(segments, lengths) {
            do throws(TransportError) {
                try await segment.send(length: length, to: sink)
            } catch {
                throw error.named(segment.name)
            }
        }
    }
}

extension ContentSequence.Segment {
    fileprivate func send(length: Int64?, to sink: (Data) async throws -> Void) async throws(TransportError) {
        guard let forbidden else { return try await content.send(length: length, to: sink) }
        var search = BytePatternSearch(forbidden)
        try await content.send(length: length) { chunk in
            if search.finds(in: chunk) { throw TransportError(.bodyFailed, "it contains the multipart boundary") }
            try await sink(chunk)
        }
    }
}

extension TransportError {
    /// The same failure, told of one part of the body.
    fileprivate func named(_ name: String?) -> TransportError {
        guard let name else { return self }
        var error = TransportError(
            code, "part \"\(name.printable)\": \(message)", phase: phase, engineCode: engineCode, underlying: underlying)
        error.request = request
        return error
    }
}
