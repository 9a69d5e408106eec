/// How far a transfer has come.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes of the request's body sent so far, in the current hop.
    public var bytesSent: Int64
    /// How many there are to send; `nil` while that is not known.
    public var totalBytesToSend: Int64?
    /// Bytes of the response's body received so far, in the current hop, before content decoding.
    public var bytesReceived: Int64
    /// How many there are to receive, as the server says; `nil` while that is not known.
    public var totalBytesToReceive: Int64?
    /// Since the call.
    public var elapsed: Duration
    /// Whether nothing follows: the transfer has ended, well or not.
    public var isFinished: Bool

    /// Progress of these parts.
    public init(
        bytesSent: Int64 = 0, totalBytesToSend: Int64? = nil, bytesReceived: Int64 = 0, totalBytesToReceive: Int64? = nil,
        elapsed: Duration = .zero, isFinished: Bool = false
    ) {
        self.bytesSent = bytesSent
        self.totalBytesToSend = totalBytesToSend
        self.bytesReceived = bytesReceived
        self.totalBytesToReceive = totalBytesToReceive
        self.elapsed = elapsed
        self.isFinished = isFinished
    }

    /// From 0 to 1; `nil` while it is not known how much there is to send.
    public var fractionSent: Double? { Self.fraction(bytesSent, of: totalBytesToSend) }

    /// From 0 to 1; `nil` while it is not known how much there is to receive.
    public var fractionReceived: Double? { Self.fraction(bytesReceived, of: totalBytesToReceive) }

    /// Both ways together, on average since the call; 0 at its beginning.
    public var bytesPerSecond: Double {
        let seconds = elapsed / .seconds(1)
        return seconds > 0 ? Double(bytesSent + bytesReceived) / seconds : 0
    }

    private static func fraction(_ count: Int64, of total: Int64?) -> Double? {
        guard let total else { return nil }
        return total > 0 ? min(Double(count) / Double(total), 1) : 1
    }
}

/// Hears how a transfer comes along. `NetworkCore`'s `ProgressMonitor` is one.
public protocol TransferProgressObserver: AnyObject, Sendable {
    /// Bytes have moved, or the transfer has ended.
    ///
    /// Called at most 20 times a second for one transfer, and once with ``TransferProgress/isFinished`` at its end, on a thread that other
    /// transfers depend on: it has to return at once.
    func transferDidProgress(_ progress: TransferProgress)
}
