/// The bytes that a connection or a stream is to send.
///
/// Bytes that were offered to the transport stay at their address until it has taken them: OpenSSL may have encrypted them
/// already. What is written meanwhile follows as the next batch.
struct OutputBuffer: Sendable {
    private var batch: [UInt8] = []
    private var offset = 0
    /// What is written, and follows the bytes that were offered.
    var pending: [UInt8] = []

    /// The capacity that is kept when all bytes were taken.
    private static let keptBytes = 64 << 10

    /// The number of bytes that wait.
    var count: Int { batch.count - offset + pending.count }
    var isEmpty: Bool { count == 0 }

    /// Offers the bytes that are first to be sent.
    ///
    /// - Parameter send: Returns a result and how many of the bytes were taken.
    mutating func offer<Result>(_ send: (UnsafeRawBufferPointer) -> (Result, taken: Int)) -> Result {
        offer { bytes, _ in send(bytes) }
    }

    /// Offers the bytes that are first to be sent.
    ///
    /// - Parameter send: Receives the bytes, and whether nothing follows them. Returns a result and how many of the bytes were
    ///   taken.
    mutating func offer<Result>(_ send: (UnsafeRawBufferPointer, _ isLast: Bool) -> (Result, taken: Int)) -> Result {
        if offset == batch.count {
            batch.removeAll(keepingCapacity: batch.capacity <= Self.keptBytes)
            offset = 0
            swap(&batch, &pending)
        }
        let isLast = pending.isEmpty
        let (result, taken) = batch.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[offset...]), isLast) }
        offset += taken
        return result
    }
}
