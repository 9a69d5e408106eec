import NetworkCore

/// Remembers the request as it was sent behind all interceptors, where credentials may have been added that the cache did not see.
final class SentRequest: AttemptObserver {
    private let last = Locked<NetworkRequest?>(nil)

    /// The last attempt; `nil` where the answer came from an interceptor.
    var request: NetworkRequest? { last.withLock { $0 } }

    func attemptWillBegin(_ request: NetworkRequest) {
        last.withLock { $0 = request }
    }

    func attemptDidEnd(_ result: Result<NetworkResponse, TransportError>) {}
}
