import Tracing

/// A tracer whose spans record nothing, although they say that they do: what it costs is the cost of the adapter alone.
package final class DiscardingTracer: Tracer {
    private let span = DiscardedSpan()

    package init() {}

    package func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> DiscardedSpan {
        span
    }

    package func forceFlush() {}

    package func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        injector.inject("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", forKey: "traceparent", into: &carrier)
    }

    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {}
}

/// A span that records nothing.
package final class DiscardedSpan: Span {
    package let context = ServiceContext.topLevel
    package let isRecording = true

    package var operationName: String {
        get { "" }
        set {}
    }

    package var attributes: SpanAttributes {
        get { [:] }
        set {}
    }

    package func setStatus(_ status: SpanStatus) {}
    package func addEvent(_ event: SpanEvent) {}
    package func addLink(_ link: SpanLink) {}
    package func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {}
    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {}
}
