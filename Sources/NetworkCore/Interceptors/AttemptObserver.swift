import Endpoints

/// Hears of each time a request is really sent, behind all interceptors. Travels in the request's context.
package protocol AttemptObserver: Sendable {
    /// What the interceptors made of the request is about to be handed to the session manager.
    func attemptWillBegin(_ request: NetworkRequest)
    /// The response, or in a streamed exchange its head, has come; or it failed.
    func attemptDidEnd(_ result: Result<NetworkResponse, TransportError>)
    /// Nothing was sent: what was sent for another call answers this one too. Does nothing by default.
    func attemptWasShared(_ request: NetworkRequest)
    /// The answer is a stored one, whether or not an attempt has validated it. Does nothing by default.
    func answerIsStored()
    /// The one of a type that was added last, where several hear. Itself by default.
    func observer<Observer: AttemptObserver>(_ type: Observer.Type) -> Observer?
}

extension AttemptObserver {
    package func attemptWasShared(_ request: NetworkRequest) {}
    package func answerIsStored() {}
    package func observer<Observer: AttemptObserver>(_ type: Observer.Type) -> Observer? { self as? Observer }
}

private enum AttemptObserverKey: RequestContextKey {
    typealias Value = any AttemptObserver
}

extension NetworkRequest {
    package var attemptObserver: (any AttemptObserver)? {
        get { context[AttemptObserverKey.self] }
        set { context[AttemptObserverKey.self] = newValue }
    }

    /// Has an observer hear too, after those that hear already.
    package mutating func addAttemptObserver(_ observer: any AttemptObserver) {
        attemptObserver = attemptObserver.map { BothObservers(first: $0, second: observer) } ?? observer
    }
}

private struct BothObservers: AttemptObserver {
    let first: any AttemptObserver
    let second: any AttemptObserver

    func attemptWillBegin(_ request: NetworkRequest) {
        first.attemptWillBegin(request)
        second.attemptWillBegin(request)
    }

    func attemptDidEnd(_ result: Result<NetworkResponse, TransportError>) {
        first.attemptDidEnd(result)
        second.attemptDidEnd(result)
    }

    func attemptWasShared(_ request: NetworkRequest) {
        first.attemptWasShared(request)
        second.attemptWasShared(request)
    }

    func answerIsStored() {
        first.answerIsStored()
        second.answerIsStored()
    }

    func observer<Observer: AttemptObserver>(_ type: Observer.Type) -> Observer? {
        second.observer(type) ?? first.observer(type)
    }
}

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
