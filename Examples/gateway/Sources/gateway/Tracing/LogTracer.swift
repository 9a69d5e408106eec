import Logging
import Tracing

/// A tracer that logs each span at `debug`, and propagates contexts as `traceparent` (W3C Trace Context level 1). A real program uses the tracer of its
/// tracing system instead.
struct LogTracer: Tracer {
    private let logger: Logger

    init(_ logger: Logger) {
        self.logger = logger
    }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> LogSpan {
        var context = context()
        let parent = context.position
        context.position = parent?.child ?? TracePosition()
        return LogSpan(
            operationName, kind, context, parent, at: instant().nanosecondsSinceEpoch,
            logger: logger.logLevel <= .debug ? logger : nil)
    }

    func forceFlush() {}

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        if let position = context.position { injector.inject(position.field, forKey: "traceparent", into: &carrier) }
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let field = extractor.extract(key: "traceparent", from: carrier) else { return }
        context.position = TracePosition(field: field)
    }
}
