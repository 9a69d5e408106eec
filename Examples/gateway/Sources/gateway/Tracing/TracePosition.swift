import Tracing

/// The position of a span in its trace, as `traceparent` has it (W3C Trace Context level 1 §3.2).
struct TracePosition: Sendable, Hashable {
    private let high: UInt64
    private let low: UInt64
    private let span: UInt64

    private init(high: UInt64, low: UInt64, span: UInt64) {
        self.high = high
        self.low = low
        self.span = span
    }

    /// Creates the position of the first span of a new trace.
    init() {
        self.init(high: .random(in: 1 ... .max), low: .random(in: .min ... .max), span: .random(in: 1 ... .max))
    }

    /// Creates a position from a field of version 00; `nil` if it is malformed.
    init?(field: String) {
        let parts = field.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "00", parts[1].utf8.count == 32, parts[2].utf8.count == 16,
            parts[1...2].allSatisfy({ $0.utf8.allSatisfy { $0 &- 0x30 < 10 || $0 &- 0x61 < 6 } }),
            let high = UInt64(parts[1].prefix(16), radix: 16), let low = UInt64(parts[1].suffix(16), radix: 16),
            let span = UInt64(parts[2], radix: 16), high | low > 0, span > 0
        else { return nil }
        self.init(high: high, low: low, span: span)
    }

    /// The position of a new child span.
    var child: TracePosition { TracePosition(high: high, low: low, span: .random(in: 1 ... .max)) }
    var traceID: String { Self.hexadecimal(high) + Self.hexadecimal(low) }
    var spanID: String { Self.hexadecimal(span) }
    var field: String { "00-\(traceID)-\(spanID)-01" }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

private enum TracePositionKey: ServiceContextKey {
    typealias Value = TracePosition
}

extension ServiceContext {
    var position: TracePosition? {
        get { self[TracePositionKey.self] }
        set { self[TracePositionKey.self] = newValue }
    }
}
