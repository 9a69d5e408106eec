// What can be asked about an error whose type is not known: one of a `Task`, of a task group, or of a `do` whose calls throw errors of several types.
extension Error {
    /// The status of the response, for an error of this framework that has one; otherwise `nil`.
    public var statusCode: Int? { callFacts.statusCode }
    /// Whether the request or the task was cancelled: an error of this framework, or `CancellationError`.
    public var isCancelled: Bool { callFacts.isCancelled }
    /// Whether a time limit was exceeded, in any phase; `false` for the errors of others.
    public var isTimeout: Bool { callFacts.isTimeout }
    /// Whether the network caused the failure, rather than the request or the response; `false` for the errors of others.
    public var isConnectivity: Bool { callFacts.isConnectivity }
    /// Whether the same request may succeed later: the status is 408, 425, 429, 502, 503 or 504, the network failed, a time limit was exceeded, or
    /// the body is incomplete (``TransportError/isRetryable``); also for downloads whose file was in use, and for uploads that can be continued.
    /// It does not indicate whether repeating the request is safe. `false` for the errors of others.
    public var isRetryable: Bool { callFacts.isRetryable }

    private var callFacts: CallFacts { (self as? any CallError)?.facts ?? CallFacts(isCancelled: self is CancellationError) }
}

/// An error of a call, of any layer.
package protocol CallError: Error {
    var facts: CallFacts { get }
}

/// What can be asked about the error of a call.
package struct CallFacts: Sendable {
    fileprivate let statusCode: Int?
    fileprivate let isCancelled: Bool
    fileprivate let isTimeout: Bool
    fileprivate let isConnectivity: Bool
    fileprivate let isRetryable: Bool

    package init(
        statusCode: Int? = nil, isCancelled: Bool = false, isTimeout: Bool = false, isConnectivity: Bool = false,
        isRetryable: Bool = false
    ) {
        self.statusCode = statusCode
        self.isCancelled = isCancelled
        self.isTimeout = isTimeout
        self.isConnectivity = isConnectivity
        self.isRetryable = isRetryable
    }
}

extension TransportError: CallError {
    package var facts: CallFacts {
        CallFacts(isCancelled: isCancelled, isTimeout: isTimeout, isConnectivity: isConnectivity, isRetryable: isRetryable)
    }
}

extension NetworkError: CallError {
    package var facts: CallFacts {
        guard let status = statusCode else { return transportError?.facts ?? CallFacts() }
        return CallFacts(statusCode: status, isRetryable: NetworkError.temporaryStatuses.contains(status))
    }
}
