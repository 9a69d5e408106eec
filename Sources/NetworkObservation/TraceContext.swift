import Endpoints
import NetworkCore
import NetworkLogging
import NetworkSupport

/// The position of a request in a distributed trace (W3C Trace Context level 1, §3.2).
public struct TraceContext: Sendable, Hashable {
    /// The ID of the whole trace: 16 bytes in hexadecimal, not all zero.
    public var traceID: String
    /// The ID of the request that is sent: 8 bytes in hexadecimal, not all zero.
    public var parentID: String
    /// Whether the sender records the trace.
    public var isSampled: Bool
    /// The vendor-specific part, `tracestate`, which is passed on unchanged.
    public var state: String?

    /// The context of the current task, which a server sets to that of the request that it processes.
    ///
    /// Requests of the task then belong to that trace.
    @TaskLocal public static var current: TraceContext?

    /// Creates a context for a new trace with random IDs.
    public init(isSampled: Bool = true) {
        traceID = Self.randomID(words: 2)
        parentID = Self.randomID(words: 1)
        self.isSampled = isSampled
    }

    /// Creates a context from a `traceparent` field of version 00 or later (§3.2.2, §4.3); `nil` if it is malformed.
    public init?(traceparent: String, tracestate: String? = nil) {
        let parts = traceparent.parts(at: "-").map(String.init)
        guard parts.count >= 4, Self.isHexadecimal(parts[0], 2), parts[0] != "ff", parts[0] != "00" || parts.count == 4,
            Self.isHexadecimal(parts[1], 32), parts[1].contains(where: { $0 != "0" }), Self.isHexadecimal(parts[2], 16),
            parts[2].contains(where: { $0 != "0" }), Self.isHexadecimal(parts[3], 2), let flags = UInt8(parts[3], radix: 16)
        else { return nil }
        traceID = parts[1]
        parentID = parts[2]
        isSampled = flags & 1 == 1
        state = tracestate
    }

    /// A context in the same trace, with a new random ``parentID``.
    package var child: TraceContext {
        var child = self
        child.parentID = Self.randomID(words: 1)
        return child
    }

    /// The value of the `traceparent` field, such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
    public var traceparent: String { "00-\(traceID)-\(parentID)-\(isSampled ? "01" : "00")" }

    private static func isHexadecimal(_ text: String, _ length: Int) -> Bool {
        text.utf8.count == length && text.utf8.allSatisfy { $0 &- 0x30 < 10 || $0 &- 0x61 < 6 }
    }

    private static func randomID(words: Int) -> String {
        var text = ""
        for _ in 0..<words {
            let digits = String(UInt64.random(in: 1 ... .max), radix: 16)
            text += String(repeating: "0", count: 16 - digits.count) + digits
        }
        return text
    }
}

/// An interceptor that sends `traceparent` and `tracestate` (W3C Trace Context).
///
/// The request joins the trace of the current task (``TraceContext/current``); without one, a new trace is started.
///
/// After the retry interceptor, each attempt has a separate parent ID. A request that already has a `traceparent` field
/// keeps it.
public struct TraceInterceptor: NetworkInterceptor {
    init() {}

    /// Adds the fields and sends the request.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        guard !request.headers.contains("traceparent") else { return try await next(request) }
        let context = TraceContext.current?.child ?? TraceContext()
        var request = request
        request.headers.set(context.traceparent, for: "traceparent")
        if let state = context.state { request.headers.set(state, for: "tracestate") }
        return try await next(request)
    }
}

extension NetworkInterceptor where Self == TraceInterceptor {
    /// Sends `traceparent` and `tracestate` fields (W3C Trace Context).
    public static var trace: TraceInterceptor { TraceInterceptor() }
}

extension TraceInterceptor: RedactedStringConvertible {}
