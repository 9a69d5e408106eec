import Endpoints
import Foundation

/// What is still to be sent of one HTTP/1.1 request.
///
/// The bytes on offer stay where they are until they have been taken: OpenSSL wants the same ones again (SSL_write(3)).
struct HTTP1Sending {
    /// What the head promised.
    var head = HTTP1SentHead()
    /// The head with a small body, or a piece of the body in its frame.
    private(set) var buffer: [UInt8] = []
    /// Where what is to be sent lies in the buffer.
    private var pending = 0..<0
    /// Bytes of the body that follow the head in the buffer.
    var copiedBody = 0
    /// A body in memory that is too large to be copied.
    var data: Data?
    var dataOffset = 0
    /// Whether pieces come from a file or a sequence.
    var isPumped = false
    /// Whether the body waits for a 100 (RFC 9110 §10.1.1).
    var awaitsContinue = false
    /// Whether all that was to be sent has been taken.
    var isComplete = false
    /// Whether the connection takes nothing any more.
    var hasFailed = false
    /// Whether any byte was taken.
    var hasBegun = false

    /// A body up to this size goes out with the head, in one piece.
    static let copiedBytes = 16 << 10
    /// The most that is read from a file or a sequence at once.
    static let pumpedBytes = 64 << 10
    /// The most that is offered at once.
    static let pieceBytes = 256 << 10

    mutating func reset() {
        let isSmall = buffer.count <= 4 << 10
        self = HTTP1Sending(buffer: isSmall ? buffer : [])
    }

    /// Begins with a head, and what is put behind it.
    mutating func begin(_ write: (inout [UInt8]) -> Void) {
        buffer.removeAll(keepingCapacity: true)
        write(&buffer)
        pending = 0..<buffer.count
    }

    /// Bytes of the buffer that have not been taken.
    var pendingCount: Int { pending.count }

    /// Whether there is something to offer.
    var hasBytes: Bool {
        if !pending.isEmpty { return true }
        guard let data, !awaitsContinue else { return false }
        return dataOffset < data.count
    }

    /// Calls `send` with the next bytes.
    func offer<Result>(_ send: (UnsafeRawBufferPointer) -> Result) -> Result {
        if !pending.isEmpty { return buffer.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[pending])) } }
        guard let data else { return send(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return data.withUnsafeBytes { bytes in
            send(UnsafeRawBufferPointer(rebasing: bytes[dataOffset..<min(bytes.count, dataOffset + Self.pieceBytes)]))
        }
    }

    /// Bytes were taken.
    mutating func take(_ count: Int) {
        hasBegun = true
        if pending.isEmpty { dataOffset += count } else { pending = (pending.lowerBound + count)..<pending.upperBound }
    }

    /// Puts the end of a chunked body into the buffer.
    mutating func putEnd() {
        begin { $0.append(contentsOf: [0x30, 0x0D, 0x0A, 0x0D, 0x0A]) }
    }

    /// Offers the next piece of a body that is sent without framing.
    mutating func refill(with piece: Data) {
        data = piece
        dataOffset = 0
    }

    /// Puts the next piece of a body into the buffer, in its frame if it is sent chunked (RFC 9112 §7.1).
    ///
    /// - Parameter read: Fills a buffer, and says with how many bytes.
    /// - Returns: How many bytes of the body that is.
    mutating func refill(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        let prefix = head.isChunked ? HTTP1Chunk.maximumPrefixBytes : 0
        let size = prefix + Self.pumpedBytes + 2
        if buffer.count < size { buffer = [UInt8](repeating: 0, count: size) }
        var pending = 0..<0
        let count = buffer.withUnsafeMutableBytes { bytes in
            let count = read(UnsafeMutableRawBufferPointer(rebasing: bytes[prefix..<(prefix + Self.pumpedBytes)]))
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
