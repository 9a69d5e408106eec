import DataTransfer
import NetworkPipeline

/// What is known about one endpoint: its metrics, and what its spans have in common. `nil` without the instrument.
struct ObservedEndpoint: Sendable {
    var series: EndpointSeries?
    var template: SpanTemplate?
}

/// One call that is measured, traced, or both: then in one object, as calls are frequent.
final class ObservedCall: InstrumentedCall {
    private let series: EndpointSeries?
    private let trace: CallTrace?

    /// Creates a call.
    ///
    /// - Parameters:
    ///   - series: The metrics of the endpoint; `nil` if it is not measured.
    ///   - trace: What the spans of the call need; `nil` if it is not traced.
    init(_ series: EndpointSeries?, _ trace: CallTrace?) {
        self.series = series
        self.trace = trace
    }

    func beginAttempt(_ request: inout NetworkRequest, number: Int) -> (any InstrumentedAttempt)? {
        let span = trace?.beginSpan(&request, number: number)
        series?.beginAttempt(number: number)
        return ObservedAttempt(series, span)
    }

    func end(_ outcome: LoggedOutcome) {
        series?.endCall(outcome)
    }
}

/// One attempt of a call that is measured, traced, or both.
private final class ObservedAttempt: InstrumentedAttempt {
    private let series: EndpointSeries?
    private let span: AttemptSpan?
    private let began = ContinuousClock.now

    init(_ series: EndpointSeries?, _ span: AttemptSpan?) {
        self.series = series
        self.span = span
    }

    func end(_ response: NetworkResponse?, _ error: TransportError?) {
        let timings = response?.timings ?? error?.timings
        let status = response?.statusCode
        let duration = began.duration(to: .now)
        series?.endAttempt(status: status, error: error?.code.rawValue, queued: timings?.queued, duration: duration)
        span?.end(status: status, error: error, timings, duration: duration)
    }
}

/// Measures and traces calls at once, in place of two instruments.
struct CombinedInstrument: RequestInstrument {
    private let tracing: TracingInstrument
    private let table: BoundedTable<ObservedEndpoint>

    init(_ metrics: MetricsInstrument, _ tracing: TracingInstrument) {
        self.tracing = tracing
        table = BoundedTable(maximum: metrics.maximumEndpoints) { key in
            ObservedEndpoint(series: metrics.series(of: key), template: SpanTemplate(key))
        }
    }

    func beginCall(_ request: NetworkRequest) -> (any InstrumentedCall)? {
        let endpoint = table[EndpointKey(request)]
        return ObservedCall(endpoint.series, endpoint.template.flatMap(tracing.beginCall))
    }
}
