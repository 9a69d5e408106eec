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
    /// How many of ``bytesReceived`` were there before the call: a download that went on has some.
    public var bytesResumed: Int64
    /// Since the call.
    public var elapsed: Duration
    /// Both ways together, of late: the average over the past with a weight that halves every second, as of this event; 0 at the
    /// beginning. ``bytesPerSecond`` is the average since the call.
    public var recentBytesPerSecond: Double
    /// Whether nothing follows: the transfer has ended, well or not.
    public var isFinished: Bool

    /// Progress of these parts.
    public init(
        bytesSent: Int64 = 0, totalBytesToSend: Int64? = nil, bytesReceived: Int64 = 0, totalBytesToReceive: Int64? = nil,
        bytesResumed: Int64 = 0, elapsed: Duration = .zero, recentBytesPerSecond: Double = 0, isFinished: Bool = false
    ) {
        self.bytesSent = bytesSent
        self.totalBytesToSend = totalBytesToSend
        self.bytesReceived = bytesReceived
        self.totalBytesToReceive = totalBytesToReceive
        self.bytesResumed = bytesResumed
        self.elapsed = elapsed
        self.recentBytesPerSecond = recentBytesPerSecond
        self.isFinished = isFinished
    }

    /// From 0 to 1; `nil` while it is not known how much there is to send.
    public var fractionSent: Double? { Self.fraction(bytesSent, of: totalBytesToSend) }

    /// From 0 to 1; `nil` while it is not known how much there is to receive.
    public var fractionReceived: Double? { Self.fraction(bytesReceived, of: totalBytesToReceive) }

    /// How much of the whole transfer is done, from 0 to 1, by bytes: those sent and received, of those to send and to receive.
    ///
    /// Until the server says how long its answer is, the request's body alone counts; and `nil` stands for a body of unknown length, for an
    /// answer of unknown length that has begun, and for a transfer without a body whose answer has not begun. So it falls back once where a
    /// long answer follows a short body: show ``fractionReceived`` of a download.
    public var fraction: Double? {
        guard let totalBytesToSend else { return nil }
        guard let totalBytesToReceive else {
            return totalBytesToSend > 0 && bytesReceived == 0 ? fractionSent : nil
        }
        let (total, isTooLarge) = totalBytesToSend.addingReportingOverflow(totalBytesToReceive)
        return isTooLarge ? nil : Self.fraction(bytesSent.adding(clamped: bytesReceived), of: total)
    }

    /// What is left of the bytes known of, at ``recentBytesPerSecond``; `nil` where ``fraction`` is, or while nothing moves.
    public var timeRemaining: Duration? {
        guard let fraction, recentBytesPerSecond > 0 else { return nil }
        if fraction >= 1 { return .zero }
        let total = Double(totalBytesToSend ?? 0) + Double(totalBytesToReceive ?? 0)
        let seconds = (total - Double(bytesSent) - Double(bytesReceived)) / recentBytesPerSecond
        // A hundred years, which a `Duration` holds, stand for ever.
        return .seconds(seconds.clamped(to: 0...3_155_760_000, nan: 0))
    }

    /// Both ways together, on average since the call, without what was resumed; 0 at its beginning.
    public var bytesPerSecond: Double {
        let seconds = elapsed / .seconds(1)
        return seconds > 0 ? (Double(bytesSent) + Double(bytesReceived) - Double(bytesResumed)) / seconds : 0
    }

    private static func fraction(_ count: Int64, of total: Int64?) -> Double? {
        guard let total else { return nil }
        return total > 0 ? (Double(count) / Double(total)).clamped(to: 0...1) : 1
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
