import DataTransfer
import NetworkPipeline
import Tracing

/// What is known about one endpoint: its metrics, and what its spans have in common. `nil` without the instrument.
final class ObservedEndpoint: Sendable {
    let series: EndpointSeries?
    let template: SpanTemplate?

    init(series: EndpointSeries? = nil, template: SpanTemplate? = nil) {
        self.series = series
        self.template = template
    }
}

/// One call that is measured, traced, or both: then in one object, as calls are frequent.
final class ObservedCall: InstrumentedCall {
    let endpoint: ObservedEndpoint
    /// Begins the spans of the call; `nil` if it is not traced.
    let source: SpanSource?
    /// The context of the caller's task, whose children the spans are; `nil` if there is none, or the call is not traced.
    let parent: ServiceContext?

    init(_ endpoint: ObservedEndpoint, _ source: SpanSource?) {
        self.endpoint = endpoint
        self.source = source
        parent = source == nil ? nil : ServiceContext.current
    }

    func beginAttempt(_ request: inout NetworkRequest, number: Int) -> (any InstrumentedAttempt)? {
        ObservedAttempt(self, &request, number: number)
    }

    func end(_ outcome: LoggedOutcome) {
        endpoint.series?.endCall(outcome)
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
        ObservedCall(table[EndpointKey(request)], tracing.source)
    }
}
