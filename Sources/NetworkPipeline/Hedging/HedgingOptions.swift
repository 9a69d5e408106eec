import NetworkCore

/// The options that decide when a ``HedgingInterceptor`` starts a second attempt.
public struct HedgingOptions: Sendable, Hashable {
    /// The share of the latest latencies of the origin that the first attempt must have exceeded, 0.5 to 1. Default: 0.95, the
    /// 95th percentile.
    public var percentile: Double
    /// The number of latest latencies per origin, 1 to 1,000. Default: 256.
    public var window: Int
    /// The number of latencies below which ``initialDelay`` applies, at most ``window``. Default: 20.
    public var minimumLatencies: Int
    /// The delay before a second attempt until enough latencies of the origin are known, at most 24 hours; with `nil`, no second
    /// attempt is started until then. Default: `nil`.
    public var initialDelay: Duration?
    /// The shortest delay before a second attempt, at most 24 hours. Default: 10 milliseconds.
    public var minimumDelay: Duration

    /// Creates options from these parameters.
    ///
    /// The values are checked when a request passes the interceptor; an invalid one is
    /// ``NetworkCore/TransportError/Code/invalidConfiguration``.
    public init(
        percentile: Double = 0.95, window: Int = 256, minimumLatencies: Int = 20, initialDelay: Duration? = nil,
        minimumDelay: Duration = .milliseconds(10)
    ) {
        self.percentile = percentile
        self.window = window
        self.minimumLatencies = minimumLatencies
        self.initialDelay = initialDelay
        self.minimumDelay = minimumDelay
    }

    /// Returns the delay before a second attempt; `nil` if none is to be started.
    func delay(_ latencies: LatencyWindow?) -> Duration? {
        let known = latencies.flatMap { $0.count >= minimumLatencies ? $0.percentile(percentile) : nil }
        return (known ?? initialDelay).map { max($0, minimumDelay) }
    }

    var configurationError: String? {
        if !(percentile >= 0.5 && percentile <= 1) { return "percentile is \(percentile); it must be 0.5...1" }
        if !(1...1000).contains(window) { return "window is \(window); it must be 1...1000" }
        if !(1...window).contains(minimumLatencies) {
            return "minimumLatencies is \(minimumLatencies); it must be 1...\(window), the window"
        }
        let times = Duration.zero ... .seconds(86_400)
        if let initialDelay, !times.contains(initialDelay) { return "initialDelay is \(initialDelay); it must be 0...86400 s" }
        if !times.contains(minimumDelay) { return "minimumDelay is \(minimumDelay); it must be 0...86400 s" }
        return nil
    }
}
