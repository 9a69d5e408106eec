import DataTransfer
import NetworkPipeline
import Tracing

/// Traces attempts with swift-distributed-tracing: each is a client span, whose context is sent with the request.
///
/// ```swift
/// let pipeline = RequestPipeline { $0.instruments = [.tracing()] }
/// ```
///
/// A span is a child of the context of the task that sends the request (`ServiceContext.current`), so that requests which a server sends for one of
/// its own requests belong to the trace of that. Its name is the method and the name or path template of the endpoint. Its attributes are those of
/// OpenTelemetry's semantic conventions for HTTP clients, `url.full` with secrets redacted. All are set when it ends. `network.protocol.version` is left
/// out if it is 1.1.
///
/// Events are recorded for the phases of the attempt, each at the end of the phase: `http.queue`, `http.lookup`,
/// `http.connect`, `http.tls`, `http.first_byte`. The phases follow each other, so that each lasts from the event before, or from the start of the span. Phases that
/// did not take place have no event, nor has a queue of less than a millisecond; an attempt with redirects has none, because the phases are those of the last request alone.
///
/// The span of a streamed response ends with its body. A tracer that does not record a span costs little more than sending the context.
public struct TracingInstrument: RequestInstrument {
    private let known: SpanSource?
    private let table: BoundedTable<ObservedEndpoint>

    /// Creates an instrument.
    ///
    /// - Parameter tracer: Creates the spans, and injects their contexts. Default: `nil`: the tracer of `InstrumentationSystem` or `withTracer(_:_:)`
    ///   creates the spans, and the instrument of `InstrumentationSystem`, of which the tracer may be a part, injects the contexts.
    public init(tracer: (any Tracer)? = nil) {
        known = tracer.map { SpanSource($0, $0) }
        table = BoundedTable(maximum: 1000) { ObservedEndpoint(template: SpanTemplate($0)) }
    }

    /// Begins to trace a call, unless nothing is configured that could trace it.
    public func beginCall(_ request: NetworkRequest) -> (any InstrumentedCall)? {
        source.map { ObservedCall(table[EndpointKey(request)], $0) }
    }

    /// What begins the spans; `nil` if nothing is configured that could trace a call.
    var source: SpanSource? {
        if let known { return known }
        let instrument = InstrumentationSystem.instrument
        if instrument is NoOpInstrument { return nil }
        // An instrument is most often the tracer itself. If it combines several, the first tracer among them is used.
        return SpanSource(instrument as? any Tracer ?? InstrumentationSystem.tracer, instrument)
    }
}

extension TracingInstrument: RedactedStringConvertible {}

/// Begins spans, and writes their contexts to header fields.
final class SpanSource: Sendable {
    let tracer: any Tracer
    let instrument: any Instrument

    init(_ tracer: any Tracer, _ instrument: any Instrument) {
        self.tracer = tracer
        self.instrument = instrument
    }
}

extension RequestInstrument where Self == TracingInstrument {
    /// Traces attempts with swift-distributed-tracing.
    public static func tracing(_ tracer: (any Tracer)? = nil) -> TracingInstrument { TracingInstrument(tracer: tracer) }
}
