import NetworkCore

// What `NetworkObservation` has, with the missing import. Where that module is imported, its declarations are used.

/// Unavailable without `NetworkObservation`, which contains the observer of the events of calls.
@available(*, unavailable, message: "add `import NetworkObservation`, and that product to the dependencies of the target")
public typealias ExchangeObserver = Any

/// Unavailable without `NetworkObservation`, which contains the events of calls.
@available(*, unavailable, message: "add `import NetworkObservation`, and that product to the dependencies of the target")
@dynamicMemberLookup
public struct ExchangeEvent: Sendable {
    /// Unavailable: see the type.
    public subscript(dynamicMember name: String) -> Any { self }
}

/// Unavailable without `NetworkObservation`, which contains the chart of calls.
@available(*, unavailable, message: "add `import NetworkObservation`, and that product to the dependencies of the target")
public struct Waterfall: Sendable {
    /// Unavailable: see the type.
    public init(maximumCalls: Int = 0) {}
}

/// Unavailable without `NetworkObservation`, which contains the position of a request in a distributed trace.
@available(*, unavailable, message: "add `import NetworkObservation`, and that product to the dependencies of the target")
public struct TraceContext: Sendable {
    /// Unavailable: see the type.
    public static var current: TraceContext? { nil }

    /// Unavailable: see the type.
    public init(isSampled: Bool = true) {}

    /// Unavailable: see the type.
    public init?(traceparent: String, tracestate: String? = nil) {}
}

/// Unavailable without `NetworkObservation`, which contains the count of calls in flight.
@available(*, unavailable, message: "add `import NetworkObservation`, and that product to the dependencies of the target")
public struct NetworkActivity: NetworkInterceptor {
    /// Unavailable: see the type.
    public init(onChange: @escaping @Sendable (Bool) -> Void = { _ in }) {}

    /// Sends the request unchanged.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        try await next(request)
    }
}

@available(*, unavailable)
extension NetworkInterceptor where Self == NetworkActivity {
    /// Unavailable without `NetworkObservation`, which contains the interceptor that reports events of calls to an observer.
    @available(*, unavailable, message: "add `import NetworkObservation`, and that product to the dependencies of the target")
    @_disfavoredOverload
    public static func observation(_ observer: Any, clock: Any? = nil) -> NetworkActivity { NetworkActivity() }

    /// Unavailable without `NetworkObservation`, which contains the interceptor that reports events of calls to a closure.
    @available(*, unavailable, message: "add `import NetworkObservation`, and that product to the dependencies of the target")
    @_disfavoredOverload
    public static func observation(_ onEvent: (ExchangeEvent) -> Void) -> NetworkActivity { NetworkActivity() }

    /// Unavailable without `NetworkObservation`, which contains the interceptor that adds the fields of a trace.
    @available(*, unavailable, message: "add `import NetworkObservation`, and that product to the dependencies of the target")
    @_disfavoredOverload
    public static var trace: NetworkActivity { NetworkActivity() }
}
