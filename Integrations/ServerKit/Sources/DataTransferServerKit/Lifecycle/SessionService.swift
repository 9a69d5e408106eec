import DataTransfer
import Logging
import ServiceLifecycle

/// Closes a session manager when the program is asked to shut down gracefully.
///
/// ```swift
/// let group = ServiceGroup(
///     services: [SessionService(session), server], gracefulShutdownSignals: [.sigterm], logger: logger)
/// try await group.run()
/// ```
///
/// It runs until graceful shutdown. Then it refuses new requests, waits until those under way have ended, and cancels those that are left at the end of
/// the grace period. A `ServiceGroup` shuts its services down in the opposite order of the list, each after the next has ended: put this one before
/// the servers that send requests, so that they can complete their responses first. If its task is cancelled, everything is cancelled at once.
///
/// Meanwhile, it records the numbers of connections, if it has metrics and the session manager counts them (`SocketSessionManager`).
public struct SessionService: Service {
    private let session: any ClosableSessionManager
    private let options: SessionServiceOptions
    private let logger: Logger?
    private let metrics: MetricsInstrument?
    private let clock: any Clock<Duration>

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - session: The session manager.
    ///   - options: The grace period, and how often connections are counted.
    ///   - logger: Receives the number of requests that were completed and cancelled, at `info`. Default: `nil`.
    ///   - metrics: Records the numbers of connections. Default: `nil`, which records none.
    ///   - clock: The clock for the time between two counts. Default: `ContinuousClock`.
    public init(
        _ session: any ClosableSessionManager, options: SessionServiceOptions = SessionServiceOptions(), logger: Logger? = nil,
        metrics: MetricsInstrument? = nil, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.session = session
        self.options = options
        self.logger = logger
        self.metrics = metrics
        self.clock = clock
    }

    /// Waits for graceful shutdown or the cancellation of the task, and closes the session manager.
    public func run() async throws {
        // Both end with an error if the task is cancelled, after which the session manager is closed at once.
        if let metrics, session.countsConnections {
            try? await cancelWhenGracefulShutdown { try await record(metrics) }
        } else {
            try? await gracefulShutdown()
        }
        let report = await session.close(grace: options.grace)
        metrics?.record(PoolCounts())
        logger?.info(
            "session manager was closed",
            metadata: [
                "completed": .stringConvertible(report.completed), "cancelled": .stringConvertible(report.cancelledCount),
            ])
        // The call of each is logged by its service.
        for error in report.cancelled {
            logger?.debug("request was cancelled at the end of the grace period", metadata: LogMetadata().adding(error).values)
        }
    }

    private func record(_ metrics: MetricsInstrument) async throws {
        while true {
            if let counts = await session.countedConnections() { metrics.record(counts) }
            try await clock.sleep(for: options.countingInterval)
        }
    }
}

/// A `ServiceGroup` logs each service that it starts and stops as text: this one is the name of its type.
extension SessionService: RedactedStringConvertible {}

/// Options of a ``SessionService``.
public struct SessionServiceOptions: Sendable {
    /// The time that requests under way have to end. Default: 10 seconds. With zero or less, they are cancelled at once.
    public var grace: Duration
    /// The time between two counts of connections; less than 100 milliseconds count as that. Default: 5 seconds.
    public var countingInterval: Duration {
        get { interval }
        set { interval = max(newValue, .milliseconds(100)) }
    }
    private var interval: Duration

    /// Creates options.
    public init(grace: Duration = .seconds(10), countingInterval: Duration = .seconds(5)) {
        self.grace = grace
        interval = max(countingInterval, .milliseconds(100))
    }
}
