import Logging
import Synchronization
import Tracing

/// A span that is logged when it ends.
final class LogSpan: Span {
    private struct State {
        var name: String
        var attributes: SpanAttributes = [:]
        var isFailed = false
        var hasEnded = false
    }

    let context: ServiceContext
    private let kind: SpanKind
    private let parent: TracePosition?
    private let start: UInt64
    /// The logger; `nil` if the span is not recorded.
    private let logger: Logger?
    private let state: Mutex<State>

    init(_ name: String, _ kind: SpanKind, _ context: ServiceContext, _ parent: TracePosition?, at start: UInt64, logger: Logger?)
    {
        self.kind = kind
        self.context = context
        self.parent = parent
        self.start = start
        self.logger = logger
        state = Mutex(State(name: name))
    }

    var isRecording: Bool { logger != nil }

    var operationName: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { state.withLock { $0.attributes = newValue } }
    }

    func setStatus(_ status: SpanStatus) {
        state.withLock { $0.isFailed = status.code == .error }
    }

    func addEvent(_ event: SpanEvent) {}
    func addLink(_ link: SpanLink) {}
    func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {}

    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        guard let logger else { return }
        let end = instant().nanosecondsSinceEpoch
        let state = state.withLock { state in
            defer { state.hasEnded = true }
            return state
        }
        if state.hasEnded { return }
        var metadata: Logger.Metadata = [
            "span.kind": "\(kind)", "span.duration_us": "\((end - min(start, end)) / 1000)", "span.failed": "\(state.isFailed)",
            "trace.id": "\(context.position?.traceID ?? "")", "span.id": "\(context.position?.spanID ?? "")",
        ]
        if let parent { metadata["span.parent"] = "\(parent.spanID)" }
        state.attributes.forEach { name, value in metadata[name] = "\(value)" }
        logger.debug("span \(state.name)", metadata: metadata)
    }
}
