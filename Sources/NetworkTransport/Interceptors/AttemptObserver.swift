import Endpoints
import NetworkSupport

/// Receives an event each time a request is sent, after all interceptors have processed it.
///
/// It is part of the request's context.
package protocol AttemptObserver: Sendable {
    /// Called before the request, as the interceptors changed it, is passed to the session manager.
    func attemptWillBegin(_ request: NetworkRequest)
    /// Called in place of ``attemptWillBegin(_:)`` some time after the beginning, for an attempt that ran beside another one and has
    /// taken its place. By default, calls that method.
    func attemptHasBegun(_ request: NetworkRequest, ago: Duration)
    /// Called when the response, or the head of a streamed response, was received.
    func attemptDidEnd(_ response: NetworkResponse)
    /// Called when the attempt has failed.
    func attemptDidFail(_ error: TransportError)
    /// Called when the session manager follows a redirect, with the next request, before it is sent. It must not block. Does
    /// nothing by default.
    func attemptWasRedirected(to request: NetworkRequest)
    /// Called for each informational response except 100 and 101, on a thread that moves bytes. It must not block. Does nothing by
    /// default.
    func attemptDidReceive(_ response: InformationalResponse)
    /// Called when nothing was sent because the response to another call's request is shared with this call. Does nothing by
    /// default.
    func attemptWasShared(_ request: NetworkRequest)
    /// Called when the response comes from the cache, whether or not an attempt validated it. Does nothing by default.
    func responseIsStored()
    /// Returns the observer of a type that was added last, or `nil`. By default, returns `self` if it has this type.
    func observer<Observer: AttemptObserver>(_ type: Observer.Type) -> Observer?
}

extension AttemptObserver {
    /// Sends a request with a session manager, and reports the beginning and the end of the attempt.
    @inline(__always) package func observe(
        _ request: NetworkRequest, _ session: any NetworkSessionManager
    ) async throws(TransportError) -> NetworkResponse {
        attemptWillBegin(request)
        do throws(TransportError) {
            let response = try await session.response(for: request)
            attemptDidEnd(response)
            return response
        } catch {
            attemptDidFail(error)
            throw error
        }
    }

    package func attemptDidEnd(with result: Result<NetworkResponse, TransportError>) {
        switch result {
        case .success(let response): attemptDidEnd(response)
        case .failure(let error): attemptDidFail(error)
        }
    }

    package func attemptHasBegun(_ request: NetworkRequest, ago: Duration) { attemptWillBegin(request) }
    package func attemptWasRedirected(to request: NetworkRequest) {}
    package func attemptDidReceive(_ response: InformationalResponse) {}
    package func attemptWasShared(_ request: NetworkRequest) {}
    package func responseIsStored() {}
    package func observer<Observer: AttemptObserver>(_ type: Observer.Type) -> Observer? { self as? Observer }
}

private enum AttemptObserverKey: ContextKey { typealias Value = any AttemptObserver }

extension NetworkRequest {
    package var attemptObserver: (any AttemptObserver)? {
        get { context[AttemptObserverKey.self] }
        set { context[AttemptObserverKey.self] = newValue }
    }

    /// Adds an observer, which is called after the present ones.
    package mutating func addAttemptObserver(_ observer: any AttemptObserver) {
        if let present = attemptObserver {
            attemptObserver = BothObservers(first: present, second: observer)
        } else {
            attemptObserver = observer
        }
    }
}

extension NetworkRequest {
    /// Whether informational responses are reported.
    package var observesInformationalResponses: Bool { onInformationalResponse != nil || attemptObserver != nil }

    /// Passes an informational response to the closure of the request and to its observers.
    package func report(_ response: InformationalResponse) {
        attemptObserver?.attemptDidReceive(response)
        onInformationalResponse?(response)
    }
}

private struct BothObservers: AttemptObserver {
    let first: any AttemptObserver
    let second: any AttemptObserver

    func attemptWillBegin(_ request: NetworkRequest) {
        first.attemptWillBegin(request)
        second.attemptWillBegin(request)
    }

    func attemptHasBegun(_ request: NetworkRequest, ago: Duration) {
        first.attemptHasBegun(request, ago: ago)
        second.attemptHasBegun(request, ago: ago)
    }

    func attemptDidEnd(_ response: NetworkResponse) {
        first.attemptDidEnd(response)
        second.attemptDidEnd(response)
    }

    func attemptDidFail(_ error: TransportError) {
        first.attemptDidFail(error)
        second.attemptDidFail(error)
    }

    func attemptWasRedirected(to request: NetworkRequest) {
        first.attemptWasRedirected(to: request)
        second.attemptWasRedirected(to: request)
    }

    func attemptDidReceive(_ response: InformationalResponse) {
        first.attemptDidReceive(response)
        second.attemptDidReceive(response)
    }

    func attemptWasShared(_ request: NetworkRequest) {
        first.attemptWasShared(request)
        second.attemptWasShared(request)
    }

    func responseIsStored() {
        first.responseIsStored()
        second.responseIsStored()
    }

    func observer<Observer: AttemptObserver>(_ type: Observer.Type) -> Observer? {
        second.observer(type) ?? first.observer(type)
    }
}

/// Stores a request as it was sent after all interceptors.
///
/// An interceptor needs it to see what the interceptors after it added to the request.
package final class SentRequest: AttemptObserver {
    private struct Last {
        var request: NetworkRequest?
        var isShared = false
        var redirects: [NetworkRequest] = []
    }

    private let last = Locked(Last())

    package init() {}

    /// The request of the last attempt; `nil` if an interceptor produced the response without one.
    package var request: NetworkRequest? { last.withLock { $0.request } }
    /// The requests that the session manager sent after it to follow redirects, in order, without their bodies.
    package var redirects: [NetworkRequest] { last.withLock { $0.redirects } }
    /// Whether it was sent for another call, whose response was shared with this one.
    package var isShared: Bool { last.withLock { $0.isShared } }

    package func attemptWillBegin(_ request: NetworkRequest) {
        remember(request, isShared: false)
    }

    package func attemptWasShared(_ request: NetworkRequest) {
        remember(request, isShared: true)
    }

    package func attemptDidEnd(_ response: NetworkResponse) {}
    package func attemptDidFail(_ error: TransportError) {}

    package func attemptWasRedirected(to request: NetworkRequest) {
        var request = request
        request.attemptObserver = nil
        request.body = nil
        last.withLock { $0.redirects.append(request) }
    }

    /// Stores the request without its observers: this is one of them, so the two would retain each other.
    private func remember(_ request: NetworkRequest, isShared: Bool) {
        var request = request
        request.attemptObserver = nil
        last.withLock { $0 = Last(request: request, isShared: isShared) }
    }
}
