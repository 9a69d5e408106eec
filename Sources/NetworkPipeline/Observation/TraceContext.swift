import Endpoints
import NetworkCore

/// The position of a request in a trace, as W3C Trace Context level 1 writes it (§3.2).
public struct TraceContext: Sendable, Hashable {
    /// 16 bytes in hexadecimal, not all zero: the same in the whole trace.
    public var traceID: String
    /// 8 bytes in hexadecimal, not all zero: who sends.
    public var parentID: String
    /// Whether the caller records it.
    public var isSampled: Bool
    /// What vendors add, handed on as it is.
    public var state: String?

    /// That of the current task: what a server read from the request that it answers. Requests then belong to that trace.
    @TaskLocal public static var current: TraceContext?

    /// A new trace, of random identifiers.
    public init(isSampled: Bool = true) {
        traceID = Self.randomID(words: 2)
        parentID = Self.randomID(words: 1)
        self.isSampled = isSampled
    }

    /// Reads `traceparent`, of version 00 or a later one (§3.2.2, §4.3); `nil` for anything malformed.
    public init?(traceparent: String, tracestate: String? = nil) {
        let parts = traceparent.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 4, Self.isHexadecimal(parts[0], 2), parts[0] != "ff", parts[0] != "00" || parts.count == 4,
            Self.isHexadecimal(parts[1], 32), parts[1].contains(where: { $0 != "0" }), Self.isHexadecimal(parts[2], 16),
            parts[2].contains(where: { $0 != "0" }), Self.isHexadecimal(parts[3], 2), let flags = UInt8(parts[3], radix: 16)
        else { return nil }
        traceID = parts[1]
        parentID = parts[2]
        isSampled = flags & 1 == 1
        state = tracestate
    }

    /// The same trace, sent by somebody new.
    public var child: TraceContext {
        var child = self
        child.parentID = Self.randomID(words: 1)
        return child
    }

    /// `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`
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

/// Sends `traceparent` and `tracestate` (W3C Trace Context): of the current task's trace (``TraceContext/current``), else of a new one.
///
/// Behind a retry each attempt has an identifier of its own. A request that has a `traceparent` already keeps it.
public struct TraceInterceptor: NetworkInterceptor {
    /// An interceptor; it holds nothing.
    public init() {}

    /// Adds the fields.
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
    /// Sends `traceparent` and `tracestate`.
    public static var trace: TraceInterceptor { TraceInterceptor() }
}
