import Endpoints

/// Remembers a request as it was sent behind all interceptors, where more may have been added than an interceptor in front of them saw.
package final class SentRequest: AttemptObserver {
    private let last = Locked<(request: NetworkRequest?, isShared: Bool)>((nil, false))

    package init() {}

    /// The last attempt; `nil` where the answer came from an interceptor.
    package var request: NetworkRequest? { last.withLock { $0.request } }
    /// Whether it was sent on behalf of another call, whose answer was shared.
    package var isShared: Bool { last.withLock { $0.isShared } }

    package func attemptWillBegin(_ request: NetworkRequest) {
        remember(request, isShared: false)
    }

    package func attemptWasShared(_ request: NetworkRequest) {
        remember(request, isShared: true)
    }

    package func attemptDidEnd(_ result: Result<NetworkResponse, TransportError>) {}

    /// Without its observers, of which this is one: the two would keep each other.
    private func remember(_ request: NetworkRequest, isShared: Bool) {
        var request = request
        request.attemptObserver = nil
        last.withLock { $0 = (request, isShared) }
    }
}
