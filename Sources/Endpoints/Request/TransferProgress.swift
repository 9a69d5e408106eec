import NetworkSupport

/// The progress of a transfer at one moment.
public struct TransferProgress: Sendable, Hashable {
    /// The number of request body bytes sent so far. Starts again at 0 after a redirect.
    public var bytesSent: Int64
    /// The total number of bytes to send; `nil` while it is not known.
    public var totalBytesToSend: Int64?
    /// The number of response body bytes received so far, before content decoding. Starts again at 0 after a redirect.
    public var bytesReceived: Int64
    /// The total number of bytes to receive, as reported by the server; `nil` while it is not known.
    public var totalBytesToReceive: Int64?
    /// The number of ``bytesReceived`` that existed before the call. Greater than 0 for a resumed download.
    public var bytesResumed: Int64
    /// The time since the call.
    public var elapsed: Duration
    /// The recent transfer rate in both directions together, in bytes per second; 0 in the first 0.2 seconds, unless the
    /// transfer has ended.
    ///
    /// It is an average whose weights halve for every second in the past. For the average since the call, use ``bytesPerSecond``.
    public var recentBytesPerSecond: Double
    /// Whether this is the last update: the transfer has succeeded, failed or been cancelled.
    public var isFinished: Bool

    /// Creates a progress value. The default is a transfer that has not begun.
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

    /// The sent fraction of the request body, from 0 to 1; `nil` while its total is not known.
    public var fractionSent: Double? { Self.fraction(bytesSent, of: totalBytesToSend) }

    /// The received fraction of the response body, from 0 to 1; `nil` while its total is not known.
    public var fractionReceived: Double? { Self.fraction(bytesReceived, of: totalBytesToReceive) }

    /// The completed fraction of the whole transfer, from 0 to 1: the bytes sent and received, divided by the total bytes to send
    /// and to receive.
    ///
    /// Until the length of the response is known, only the request body is counted. `nil` if the length of the request body is
    /// not known, if a response of unknown length has begun, or if there is no request body and the response has not begun. The
    /// value decreases once if a long response follows a short request body; for a download, use ``fractionReceived``.
    public var fraction: Double? {
        guard let totalBytesToSend else { return nil }
        guard let totalBytesToReceive else {
            return totalBytesToSend > 0 && bytesReceived == 0 ? fractionSent : nil
        }
        let (total, isTooLarge) = totalBytesToSend.addingReportingOverflow(totalBytesToReceive)
        return isTooLarge ? nil : Self.fraction(bytesSent.adding(clamped: bytesReceived), of: total)
    }

    /// The estimated time for the remaining known bytes at ``recentBytesPerSecond``; `nil` if ``fraction`` is `nil` or the rate
    /// is 0.
    public var timeRemaining: Duration? {
        guard let fraction, recentBytesPerSecond > 0 else { return nil }
        if fraction >= 1 { return .zero }
        let total = Double(totalBytesToSend ?? 0) + Double(totalBytesToReceive ?? 0)
        let seconds = (total - Double(bytesSent) - Double(bytesReceived)) / recentBytesPerSecond
        // Limited to a hundred years, so that the `Duration` cannot overflow.
        return .seconds(seconds.clamped(to: 0...3_155_760_000, nan: 0))
    }

    /// The average transfer rate in both directions together since the call, in bytes per second, without resumed bytes; 0 at the
    /// beginning.
    public var bytesPerSecond: Double {
        let seconds = elapsed / .seconds(1)
        return seconds > 0 ? (Double(bytesSent) + Double(bytesReceived) - Double(bytesResumed)) / seconds : 0
    }

    private static func fraction(_ count: Int64, of total: Int64?) -> Double? {
        guard let total else { return nil }
        return total > 0 ? (Double(count) / Double(total)).clamped(to: 0...1) : 1
    }
}

/// An observer that receives the progress of a transfer, such as `ProgressMonitor` of `NetworkCore`.
public protocol TransferProgressObserver: AnyObject, Sendable {
    /// Called when bytes were transferred, and when the transfer has ended.
    ///
    /// Called at most 20 times per second for each transfer, and once at its end with ``TransferProgress/isFinished``. The session managers of this
    /// package call it on a background thread, one call at a time for each request; the result of the call waits until the last one has returned.
    func transferDidProgress(_ progress: TransferProgress)
}
