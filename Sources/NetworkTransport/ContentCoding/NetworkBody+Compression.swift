import Endpoints
import Foundation
import NetworkSupport

extension NetworkBody {
    /// Whether bodies can be compressed: zlib was found.
    package static var isCompressible: Bool { GzipEncoder.isAvailable }

    /// The maximum size of a body in memory that is compressed before it is sent, in bytes.
    static let maximumCompressedAtOnce = 256 << 10

    /// The number of bytes that are compressed before other tasks may run.
    private static let compressedBetweenYields = 64 << 10

    /// The number of bytes, which is read from the file system without blocking the thread if the body is a file; `nil` if it is not known.
    ///
    /// - Throws: ``TransportError/Code/bodyFailed``.
    package func measured() async throws(TransportError) -> Int64? { try await measuredLength(for: nil) }

    /// Whether ``measured()`` reads from the file system.
    package var needsMeasuring: Bool { looksAtFiles }

    /// Whether the body was sent and cannot be sent again.
    package var isSpent: Bool {
        if case .stream(let stream) = source { stream.isUsedUp } else { false }
    }

    /// Returns the body in gzip format (RFC 1952).
    ///
    /// At most ``maximumCompressedAtOnce`` bytes in memory are compressed at once. Another body is compressed while it is sent, again in each
    /// attempt: it is as replayable as this one, its length is not known, and this one is read as fast as the connection accepts the result.
    /// Its failures are those of this body, and so are its trailers.
    ///
    /// - Parameter level: 1, the fastest, to 9, the smallest.
    /// - Throws: ``TransportError/Code/outOfResources`` if zlib cannot be used.
    package func compressed(level: Int) throws(TransportError) -> NetworkBody {
        if let data, data.count <= Self.maximumCompressedAtOnce {
            let encoder = try GzipEncoder.make(level: level)
            var result = Data()
            var offset = 0
            while let piece = try encoder.encode(data, from: &offset) { result.append(piece) }
            while let piece = try encoder.finish() { result.append(piece) }
            return NetworkBody(source: .data(PaddedBytes(result)), trailers: trailers)
        }
        return NetworkBody(
            source: .stream(
                ContentStream(length: nil, isReplayable: isReplayable) { sink in
                    let encoder = try GzipEncoder.make(level: level)
                    try await send { chunk in
                        for slice in chunk.slices(of: Self.compressedBetweenYields) {
                            var offset = 0
                            while let piece = try encoder.encode(slice, from: &offset) { try await sink(piece) }
                            // A body that becomes much smaller rarely reaches the sink, which waits and ends it.
                            await Task.yield()
                            try Task.checkCancellation()
                        }
                    }
                    while let piece = try encoder.finish() { try await sink(piece) }
                }), trailers: trailers)
    }
}

extension Data {
    /// The bytes in slices of at most `count` bytes.
    fileprivate func slices(of count: Int) -> some Sequence<Data> {
        stride(from: startIndex, to: endIndex, by: count).lazy.map { self[$0..<Swift.min($0 + count, endIndex)] }
    }
}

extension GzipEncoder {
    fileprivate static func make(level: Int) throws(TransportError) -> GzipEncoder {
        guard let encoder = GzipEncoder(level: level) else {
            throw .gzipFailed("zlib cannot be used", code: .outOfResources)
        }
        return encoder
    }
}

extension TransportError {
    /// Returns the error for a body that cannot be compressed.
    static func gzipFailed(_ reason: String, code: Code = .bodyFailed) -> TransportError {
        TransportError(code, "the body cannot be compressed with gzip: \(reason)")
    }
}
