import NetworkTransport
import Endpoints
import Foundation

/// The unsent part of one HTTP/1.1 request.
///
/// Bytes that were offered keep their address until they are sent: OpenSSL requires the same bytes again (SSL_write(3)).
struct HTTP1Sending {
    /// The properties of the written head.
    package var head = HTTP1SentHead()
    /// The head together with a small body, or a piece of the body with its chunk framing.
    private(set) var buffer: [UInt8] = []
    /// The range of the buffer that has not been sent yet.
    private var pending = 0..<0
    /// The number of bytes of the body that follow the head in the buffer.
    var copiedBody = 0
    /// A body or a piece of one that is too large to be copied into the buffer.
    var data: Data?
    var dataOffset = 0
    /// Whether the body is read piece by piece from a file or a sequence.
    var isStreamed = false
    /// Whether the body waits for a response with status 100 (RFC 9110 §10.1.1).
    var awaitsContinue = false
    /// Whether the whole request has been sent.
    var isComplete = false
    /// Whether the connection accepts no more bytes.
    var hasFailed = false
    /// Whether any byte has been sent.
    var hasBegun = false

    /// The maximum size of a body that is copied behind the head, to be sent in one piece, in bytes.
    static let copiedBytes = 16 << 10
    /// The maximum number of bytes that are read from a file or a sequence at once.
    static let streamedBytes = 64 << 10
    /// The maximum number of bytes that are offered at once.
    static let pieceBytes = 256 << 10

    /// Prepares for the next request. Keeps a small buffer.
    mutating func reset() {
        let isSmall = buffer.count <= 4 << 10
        self = HTTP1Sending(buffer: isSmall ? buffer : [])
    }

    /// Replaces the contents of the buffer with the bytes that `write` appends.
    mutating func begin(_ write: (inout [UInt8]) -> Void) {
        buffer.removeAll(keepingCapacity: true)
        write(&buffer)
        pending = 0..<buffer.count
    }

    /// The number of unsent bytes in the buffer.
    var pendingCount: Int { pending.count }

    /// Whether there are bytes to offer.
    var hasBytes: Bool {
        if !pending.isEmpty { return true }
        guard let data, !awaitsContinue else { return false }
        return dataOffset < data.count
    }

    /// Calls `send` with the next unsent bytes, without removing them.
    func offer<Result>(_ send: (UnsafeRawBufferPointer) -> Result) -> Result {
        if !pending.isEmpty { return buffer.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[pending])) } }
        guard let data else { return send(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return data.withUnsafeBytes { bytes in
            send(UnsafeRawBufferPointer(rebasing: bytes[dataOffset..<min(bytes.count, dataOffset + Self.pieceBytes)]))
        }
    }

    /// Removes bytes that were sent.
    mutating func take(_ count: Int) {
        hasBegun = true
        if pending.isEmpty { dataOffset += count } else { pending = (pending.lowerBound + count)..<pending.upperBound }
    }

    /// Puts the end of a chunked body into the buffer, with its trailers.
    mutating func putEnd(_ trailers: HeaderFields) {
        begin { HTTP1RequestWriter.appendEnd(trailers, to: &$0) }
    }

    /// Sets the next piece of a body that is sent without chunk framing. It is not copied.
    mutating func refill(with piece: Data) {
        data = piece
        dataOffset = 0
    }

    /// Puts the next piece of a body into the buffer, with chunk framing if the body is sent chunked (RFC 9112 §7.1).
    ///
    /// - Parameter read: Fills a buffer, and returns the number of bytes.
    /// - Returns: The number of bytes of the body.
    mutating func refill(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        let prefix = head.isChunked ? HTTP1Chunk.maximumPrefixBytes : 0
        let size = prefix + Self.streamedBytes + 2
        if buffer.count < size { buffer = [UInt8](repeating: 0, count: size) }
        var pending = 0..<0
        let count = buffer.withUnsafeMutableBytes { bytes in
            let count = read(UnsafeMutableRawBufferPointer(rebasing: bytes[prefix..<(prefix + Self.streamedBytes)]))
            guard head.isChunked, count > 0 else {
                pending = prefix..<(prefix + count)
                return count
            }
            withUnsafeTemporaryAllocation(byteCount: HTTP1Chunk.maximumPrefixBytes, alignment: 1) { line in
                let lineBytes = HTTP1Chunk.writeSize(count, into: line)
                let start = prefix - lineBytes
                UnsafeMutableRawBufferPointer(rebasing: bytes[start..<prefix]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: line[..<lineBytes]))
                pending = start..<(prefix + count + 2)
            }
            bytes[prefix + count] = 0x0D
            bytes[prefix + count + 1] = 0x0A
            return count
        }
        self.pending = pending
        return count
    }
}
