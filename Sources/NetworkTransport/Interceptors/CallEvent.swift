import Endpoints
import NetworkLogging
import NetworkSupport

/// What happens to a call between its service and its session manager: the stream of events from which logs, metrics and charts are made.
package enum CallEvent: Sendable {
    /// A request is passed to the session manager, as the interceptors have changed it.
    ///
    /// `ago` is the time since then: above zero for an attempt that ran beside another one and has taken its place.
    case sent(NetworkRequest, ago: Duration)
    /// The attempt has ended: the response, or the head of a streamed response, was received, or the attempt has failed.
    case attempted(Result<NetworkResponse, TransportError>)
    /// The session manager follows a redirect, with this request, which is not sent yet. Receiving it must not block.
    case redirected(NetworkRequest)
    /// An informational response except 100 and 101 was received, on a thread that moves bytes. Receiving it must not block.
    case informed(InformationalResponse)
    /// Nothing was sent, because the response to this request of another call is shared with this call.
    case shared(NetworkRequest)
    /// The response comes from the cache, whether or not an attempt validated it.
    case stored
    /// Another attempt follows after a pause.
    case retried(after: Duration, because: String)
    /// A field of a response from an origin is malformed, and was ignored.
    case ignored(field: String, origin: String)
    /// A remark of an interceptor.
    case noted(String)

    /// Returns the event with another observer of its request.
    package func observed(by observer: (any CallObserver)?) -> CallEvent {
        switch self {
        case .sent(let request, let ago): .sent(request.observed(by: observer), ago: ago)
        case .redirected(let request): .redirected(request.observed(by: observer))
        case .shared(let request): .shared(request.observed(by: observer))
        case .attempted, .informed, .stored, .retried, .ignored, .noted: self
        }
    }
}

/// Receives the events of a call, in order. It is part of the request's context.
package protocol CallObserver: AnyObject, Sendable {
    /// Called on the thread on which the event occurs.
    func receive(_ event: CallEvent)
}

extension CallObserver {
    /// Sends a request with a session manager, and reports the beginning and the end of the attempt.
    @inline(__always) package func observe(
        _ request: NetworkRequest, _ session: any NetworkSessionManager
    ) async throws(TransportError) -> NetworkResponse {
        receive(.sent(request, ago: .zero))
        do throws(TransportError) {
            let response = try await session.response(for: request)
            receive(.attempted(.success(response)))
            return response
        } catch {
            receive(.attempted(.failure(error)))
            throw error
        }
    }
}

private final class BothObservers: CallObserver {
    private let first: any CallObserver
    private let second: any CallObserver

    init(_ first: any CallObserver, _ second: any CallObserver) {
        self.first = first
        self.second = second
    }

    func receive(_ event: CallEvent) {
        first.receive(event)
        second.receive(event)
    }
}

private enum CallObserverKey: ContextKey { typealias Value = any CallObserver }

extension NetworkRequest {
    /// Receives the events of the call; `nil` if nothing does.
    package var callObserver: (any CallObserver)? {
        get { context[CallObserverKey.self] }
        set { context[CallObserverKey.self] = newValue }
    }

    /// Adds an observer, which receives events after the present ones.
    package mutating func addCallObserver(_ observer: any CallObserver) {
        if let present = callObserver { callObserver = BothObservers(present, observer) } else { callObserver = observer }
    }

    /// Returns the request with another observer in place of the present ones. An observer that keeps the request would retain itself otherwise.
    package func observed(by observer: (any CallObserver)?) -> NetworkRequest {
        var request = self
        request.callObserver = observer
        return request
    }

    /// Reports an event of the call.
    package func report(_ event: @autoclosure () -> CallEvent) {
        callObserver?.receive(event())
    }

    /// Whether informational responses are reported.
    var observesInformationalResponses: Bool { onInformationalResponse != nil || callObserver != nil }

    /// Passes an informational response to the closure of the request and to its observers.
    package func report(_ response: InformationalResponse) {
        report(.informed(response))
        onInformationalResponse?(response)
    }
}

/// What the events of a call add up to.
package struct CallTally: Sendable {
    /// The number of attempts.
    package private(set) var attempts = 0
    private var isShared = false
    private var isStored = false
    private let began = monotonicNanoseconds()

    /// Creates the tally of a call that begins now.
    package init() {}

    /// Counts an attempt.
    package mutating func beginAttempt() {
        attempts += 1
        // What was stored was not the response.
        isStored = false
    }

    /// Notes where the response comes from, if it is not an attempt of this call.
    package mutating func noteSource(_ event: CallEvent) {
        if case .shared = event { isShared = true }
        if case .stored = event { isStored = true }
    }

    /// Returns the outcome of the call, which ends now.
    package func outcome(_ statusCode: Int?, _ error: (any Error)?) -> LoggedOutcome {
        let source: LoggedOutcome.Source =
            isStored ? .cache : isShared ? .sharedAttempt : attempts > 0 ? .attempt : .interceptor
        let now = monotonicNanoseconds()
        return LoggedOutcome(
            statusCode: statusCode, error: error, source: source, attempts: attempts,
            duration: .nanoseconds(now - min(began, now)))
    }
}

/// Stores a request as it was sent after all interceptors.
///
/// An interceptor needs it to see what the interceptors after it added to the request.
package final class SentRequest: CallObserver {
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

    package func receive(_ event: CallEvent) {
        switch event {
        case .sent(let request, _): last.withLock { $0 = Last(request: request.observed(by: nil)) }
        case .shared(let request): last.withLock { $0 = Last(request: request.observed(by: nil), isShared: true) }
        case .redirected(let request):
            var request = request.observed(by: nil)
            request.body = nil
            last.withLock { [request] in $0.redirects.append(request) }
        case .attempted, .informed, .stored, .retried, .ignored, .noted: break
        }
    }
}
