import CoreMetrics
import DataTransfer
import NetworkPipeline

/// Measures requests with swift-metrics.
///
/// ```swift
/// let pipeline = RequestPipeline { $0.instruments = [.metrics()] }
/// ```
///
/// | Metric | Kind | Contents |
/// |---|---|---|
/// | `http.client.request.duration` | timer | each attempt, to the last byte of its response |
/// | `http.client.active_requests` | meter | attempts under way |
/// | `http.client.request.time_in_queue` | timer | the time in which an attempt waited for a connection |
/// | `http.client.request.resends` | counter | attempts after the first one of a call |
/// | `http.client.cache.hits` | counter | calls whose response came from the cache |
/// | `http.client.request.rejections` | counter | calls that have failed without being sent, for example because a circuit breaker is open |
/// | `http.client.open_connections` | meter | connections, by state `idle` or `active`; recorded by ``SessionService`` |
/// | `http.client.waiting_requests` | meter | requests that wait for a connection; recorded by ``SessionService`` |
///
/// The dimensions are `http.request.method`, `server.address`, `server.port`, `url.template`, and for timers and rejections
/// `http.response.status_code` and `error.type`. `url.template` is the name of the endpoint or its path template; no dimension contains a path. All
/// have limits, beyond which their value is `_OTHER`: see ``MetricsOptions``.
public struct MetricsInstrument: RequestInstrument {
    private let table: BoundedTable<ObservedEndpoint>
    private let connections: ConnectionSeries
    let maximumEndpoints: Int

    /// Creates an instrument.
    ///
    /// - Parameters:
    ///   - options: The limits of the dimensions.
    ///   - factory: The backend. Default: `nil`, which is that of `MetricsSystem` when the first request of an endpoint is sent.
    public init(options: MetricsOptions = MetricsOptions(), factory: (any MetricsFactory)? = nil) {
        table = BoundedTable(maximum: options.maximumEndpoints) { key in
            let series = EndpointSeries(key, maximumOutcomes: options.maximumOutcomes, factory ?? MetricsSystem.factory)
            return ObservedEndpoint(series: series)
        }
        maximumEndpoints = options.maximumEndpoints
        connections = ConnectionSeries(maximumOrigins: options.maximumOrigins, factory: factory)
    }

    /// Begins to measure a call.
    public func beginCall(_ request: NetworkRequest) -> (any InstrumentedCall)? {
        ObservedCall(table[EndpointKey(request)], nil)
    }

    func series(of key: EndpointKey) -> EndpointSeries? { table[key].series }

    /// Records the numbers of connections and of waiting requests, which ``SessionService`` does regularly.
    ///
    /// - Parameter counts: Those of a session manager. Origins that are missing have no connections any more.
    public func record(_ counts: PoolCounts) {
        connections.record(counts)
    }
}

extension MetricsInstrument: RedactedStringConvertible {}

extension RequestInstrument where Self == MetricsInstrument {
    /// Measures requests with swift-metrics.
    public static func metrics(
        options: MetricsOptions = MetricsOptions(), factory: (any MetricsFactory)? = nil
    ) -> MetricsInstrument {
        MetricsInstrument(options: options, factory: factory)
    }
}

/// Limits of the dimensions of metrics. A value below 1 counts as 1.
public struct MetricsOptions: Sendable {
    /// The maximum number of combinations of method, server and endpoint. All further ones are counted together as `_OTHER`. Default: 1,000.
    public var maximumEndpoints: Int
    /// The maximum number of combinations of status and error type for each endpoint. All further ones are counted together as `_OTHER`. Default: 50.
    public var maximumOutcomes: Int
    /// The maximum number of origins whose connections are counted separately. All further ones are counted together as `_OTHER`. Default: 100.
    public var maximumOrigins: Int

    /// Creates limits.
    public init(maximumEndpoints: Int = 1000, maximumOutcomes: Int = 50, maximumOrigins: Int = 100) {
        self.maximumEndpoints = maximumEndpoints
        self.maximumOutcomes = maximumOutcomes
        self.maximumOrigins = maximumOrigins
    }
}

/// Returns a duration in nanoseconds. One that does not fit is the maximum.
func nanoseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflows ? .max : product.addingReportingOverflow(attoseconds / 1_000_000_000).partialValue
}
