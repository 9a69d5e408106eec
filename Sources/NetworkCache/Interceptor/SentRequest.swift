import NetworkCore

/// Remembers the request as it was sent behind all interceptors, where credentials may have been added that the cache did not see.
final class SentRequest: AttemptObserver {
    private let outer: (any AttemptObserver)?
    private let last = Locked<NetworkRequest?>(nil)

    /// - Parameter outer: Who listened before.
    init(_ outer: (any AttemptObserver)?) {
        self.outer = outer
    }

    /// The last attempt; `nil` where the answer came from an interceptor.
    var request: NetworkRequest? { last.withLock { $0 } }

    func attemptWillBegin(_ request: NetworkRequest) {
        last.withLock { $0 = request }
        outer?.attemptWillBegin(request)
    }

    func attemptDidEnd(_ result: Result<NetworkResponse, TransportError>) {
        outer?.attemptDidEnd(result)
    }
}
