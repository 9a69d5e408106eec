import Synchronization
import Tracing

/// A tracer that keeps all spans in memory, and injects and extracts their contexts as W3C Trace Context level 1 does.
package final class InMemoryTracer: Tracer {
    /// The position of a span in its trace.
    package struct Position: Sendable, Hashable {
        fileprivate var high: UInt64
        fileprivate var low: UInt64
        fileprivate var span: UInt64

        /// The ID of the trace: 16 bytes in hexadecimal.
        package var traceID: String { hexadecimal([high, low]) }
        /// The ID of the span: 8 bytes in hexadecimal.
        package var spanID: String { hexadecimal([span]) }

        /// The value of a `traceparent` field (W3C Trace Context level 1 §3.2).
        fileprivate var field: String {
            String(unsafeUninitializedCapacity: 55) { bytes in
                bytes.initialize(repeating: UInt8(ascii: "-"))
                for index in [0, 1, 53] { bytes[index] = UInt8(ascii: "0") }
                bytes[54] = UInt8(ascii: "1")
                write(high, to: bytes, at: 3)
                write(low, to: bytes, at: 19)
                write(span, to: bytes, at: 36)
                return 55
            }
        }
    }

    private enum PositionKey: ServiceContextKey {
        typealias Value = Position
    }

    private struct State {
        var ended: [InMemorySpan] = []
        /// The index of the oldest span, once the maximum number is kept.
        var oldest = 0
    }

    private let state = Mutex(State())
    /// Not under the lock, for which tasks on several threads would wait.
    private let seed = Atomic(UInt64.random(in: 1 ... .max))
    private let maximum: Int
    private let ratio: UInt64

    /// Creates a tracer without spans.
    ///
    /// - Parameters:
    ///   - maximum: The number of ended spans that are kept, the latest ones. Default: 10,000.
    ///   - ratio: One of how many traces is recorded. Default: 1, all of them; 0 records none.
    package init(maximum: Int = 10_000, recordsOneOf ratio: UInt64 = 1) {
        self.maximum = maximum
        self.ratio = ratio
    }

    /// The recorded spans that have ended, in the order of their ends.
    package var spans: [InMemorySpan] { state.withLock { Array($0.ended[$0.oldest...] + $0.ended[..<$0.oldest]) } }

    /// Returns the position of a context in a trace.
    package static func position(of context: ServiceContext) -> Position? { context[PositionKey.self] }

    /// Starts a span, as a child of the span whose position is in the context, if any.
    package func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> InMemorySpan {
        var context = context()
        let parent = context[PositionKey.self]
        let position = Position(high: parent?.high ?? next(), low: parent?.low ?? next(), span: next())
        context[PositionKey.self] = position
        return InMemorySpan(
            name: operationName, kind: kind, context: context, position: position, parent: parent?.span,
            start: instant().nanosecondsSinceEpoch, isRecording: ratio > 0 && position.low % ratio == 0, tracer: self)
    }

    /// Returns the next number of a sequence that does not repeat within 2^64 (Vigna's SplitMix64).
    private func next() -> UInt64 {
        var mixed = seed.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return max(1, mixed ^ (mixed >> 31))
    }

    fileprivate func add(_ span: InMemorySpan) {
        // The span that is dropped is released after the lock.
        _ = state.withLock { state -> InMemorySpan? in
            if state.ended.count < maximum {
                state.ended.append(span)
                return nil
            }
            let dropped = state.ended[state.oldest]
            state.ended[state.oldest] = span
            state.oldest = (state.oldest + 1) % maximum
            return dropped
        }
    }

    package func forceFlush() {}

    package func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let position = context[PositionKey.self] else { return }
        injector.inject(position.field, forKey: "traceparent", into: &carrier)
    }

    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let field = extractor.extract(key: "traceparent", from: carrier) else { return }
        let parts = field.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "00", parts[1].utf8.count == 32, parts[2].utf8.count == 16,
            (parts[1] + parts[2]).allSatisfy({ $0.isHexDigit && !$0.isUppercase }),
            let high = UInt64(parts[1].prefix(16), radix: 16), let low = UInt64(parts[1].dropFirst(16), radix: 16),
            let span = UInt64(parts[2], radix: 16), span > 0, high > 0 || low > 0
        else { return }
        context[PositionKey.self] = Position(high: high, low: low, span: span)
    }
}

/// A span that an ``InMemoryTracer`` keeps.
package final class InMemorySpan: Span {
    private struct State {
        var name: String
        var attributes: SpanAttributes = [:]
        var events: [SpanEvent] = []
        var status: SpanStatus?
        var end: UInt64?
        /// The tracer that keeps the span when it ends; `nil` afterwards, or if the span is not recorded.
        var tracer: InMemoryTracer?
    }

    package let kind: SpanKind
    package let context: ServiceContext
    package let position: InMemoryTracer.Position
    private let parent: UInt64?
    /// The ID of the parent span; `nil` if the span begins a trace.
    package var parentID: String? { parent.map { hexadecimal([$0]) } }
    package let start: UInt64
    package let isRecording: Bool
    private let state: Mutex<State>

    init(
        name: String, kind: SpanKind, context: ServiceContext, position: InMemoryTracer.Position, parent: UInt64?,
        start: UInt64, isRecording: Bool, tracer: InMemoryTracer
    ) {
        state = Mutex(State(name: name, tracer: isRecording ? tracer : nil))
        self.kind = kind
        self.context = context
        self.position = position
        self.parent = parent
        self.start = start
        self.isRecording = isRecording
    }

    package var operationName: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    /// The attributes that were set on the span.
    package var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { state.withLock { $0.attributes = newValue } }
    }

    /// The events of the span, in their order.
    package var events: [SpanEvent] { state.withLock { $0.events } }
    /// The status of the span; `nil` if none was set.
    package var status: SpanStatus? { state.withLock { $0.status } }
    /// When the span has ended, in nanoseconds since 1970; `nil` while it has not.
    package var endTime: UInt64? { state.withLock { $0.end } }

    /// Sets the status of the span.
    package func setStatus(_ status: SpanStatus) {
        state.withLock { $0.status = status }
    }

    /// Adds an event to the span.
    package func addEvent(_ event: SpanEvent) {
        state.withLock { $0.events.append(event) }
    }

    /// Adds an event with the name `exception` to the span.
    package func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        addEvent(SpanEvent(name: "exception", at: instant(), attributes: attributes))
    }

    /// Does nothing: links are not kept.
    package func addLink(_ link: SpanLink) {}

    /// Ends the span. A second call does nothing.
    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let time = instant().nanosecondsSinceEpoch
        let tracer = state.withLock { state in
            defer { state.tracer = nil }
            state.end = state.end ?? time
            return state.tracer
        }
        tracer?.add(self)
    }
}

/// Returns numbers with 16 hexadecimal digits each.
private func hexadecimal(_ numbers: [UInt64]) -> String {
    String(unsafeUninitializedCapacity: 16 * numbers.count) { bytes in
        for (index, number) in numbers.enumerated() { write(number, to: bytes, at: 16 * index) }
        return 16 * numbers.count
    }
}

/// Writes a number as 16 hexadecimal digits.
private func write(_ number: UInt64, to bytes: UnsafeMutableBufferPointer<UInt8>, at start: Int) {
    for index in 0..<16 {
        let digit = UInt8(truncatingIfNeeded: number >> (60 - 4 * UInt64(index))) & 0xF
        bytes[start + index] = digit < 10 ? 0x30 + digit : 0x57 + digit
    }
}
