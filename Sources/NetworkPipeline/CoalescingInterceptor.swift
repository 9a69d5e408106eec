import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// An interceptor that sends identical concurrent GET requests as one exchange.
///
/// Requests are identical if they have the same URL, the same header fields, including `Authorization` and `Accept`, and a session manager
/// with the same identity (``NetworkCore/SessionIdentity``): client certificate, proxy, trust and cookies. Thus a request never shares a response
/// that another credential received. Fields that only identify a request, such as `traceparent`, `X-Request-ID` and those of the initializer, are
/// not compared. Requests that name another method, as with `X-HTTP-Method-Override`, are not shared. The exchange runs in a separate task and is
/// cancelled when the last waiting request has been cancelled. It has the priority and the time limits of the first request; if they expire,
/// waiting requests with time left are sent separately. Streams, and requests with another redirect policy than
/// ``Endpoints/RedirectPolicy/follow``, are not shared.
public final class CoalescingInterceptor: NetworkInterceptor {
    private struct Key: Hashable {
        var url: URL
        var fields: [String: [[UInt8]]]
        /// Fields that are otherwise not compared may be marked as credentials. With the identity of the session manager.
        var credentials: RequestCredentials
        /// Interceptors behind this one may add a credential to one request and not to another.
        var requiresAuthentication: Bool
        /// A request must not share a response that was received under a weaker trust policy than its own.
        var trust: TrustPolicy?
    }

    /// A response that several requests share.
    private struct Shared {
        var response: NetworkResponse
        /// The request that was sent for all of them, as it was sent.
        var sent: NetworkRequest?
    }

    private let flights = SingleFlight<Key, Result<Shared, TransportError>>(cancelsUnused: true)
    private let shared = Locked(0)
    private let time: TimeSource
    private let ignoredFields: Set<String>

    /// Creates an interceptor without running exchanges.
    package init(ignoring fields: Set<String> = [], clock: any Clock<Duration> = ContinuousClock()) {
        time = TimeSource(clock)
        ignoredFields = Set(fields.map(\.asciiLowercased))
    }

    /// The number of requests that have shared the exchange of another request.
    package var sharedCount: Int { shared.withLock(\.self) }

    /// Joins a running identical exchange, or starts one.
    ///
    /// - Throws: What the shared exchange throws; ``NetworkCore/TransportError/Code/cancelled`` or
    ///   ``NetworkCore/TransportError/Code/timedOut`` for this request alone.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError)
        -> NetworkResponse
    {
        guard request.method == .get, request.body == nil, request.redirects.isDefault, !request.headers.replaceMethod else {
            return try await next(request)
        }
        let key = Key(
            url: request.url, fields: compared(request), credentials: request.credentials,
            requiresAuthentication: request.requiresAuthentication, trust: request.statedTrust)
        let call = flights.join(key) { await Self.exchange(request, next) }
        if !call.isFirst { shared.withLock { $0 += 1 } }
        do throws(TransportError) {
            // The exchange applies the deadline of the first request itself, and knows the phase in which it passes.
            var waiting = request
            if call.isFirst { waiting.deadline = nil }
            let shared = try await call.promise.value("a shared exchange", for: waiting, on: time)
            if !call.isFirst, let sent = shared.sent { request.report(.shared(sent)) }
            // A body that is still arriving can be read only once, and a connection belongs to one request.
            let isShareable = shared.response.body.isReplayable && shared.response.upgrade == nil
            return isShareable || call.isFirst ? shared.response : try await next(request)
        } catch {
            flights.leave(call)
            // The time limit of the first request has expired, not the one of this request.
            guard !call.isFirst, error.isTimeout, !Task.isCancelled, !(request.deadline?.hasPassed ?? false) else {
                if !call.isFirst { request.report(.shared(request)) }
                throw error
            }
            return try await next(request)
        }
    }

    private static func exchange(_ request: NetworkRequest, _ next: NetworkExchange) async -> Result<Shared, TransportError> {
        let sent = SentRequest()
        var request = request
        request.addCallObserver(sent)
        do throws(TransportError) {
            let response = try await next(request)
            return .success(Shared(response: response, sent: sent.request))
        } catch {
            return .failure(error)
        }
    }

    /// The bytes of the values, by the names of their fields: values with different bytes may be equal as text.
    private func compared(_ request: NetworkRequest) -> [String: [[UInt8]]] {
        Dictionary(grouping: request.headers) { $0.name.asciiLowercased }.filter { name, _ in
            request.credentials.contains(header: name)
                || !HeaderFields.identifiesRequest(name) && !ignoredFields.contains(name)
        }.mapValues { $0.map { Array($0.value.utf8) } }
    }
}

extension NetworkInterceptor where Self == CoalescingInterceptor {
    /// Sends identical concurrent GET requests as one exchange.
    ///
    /// Create one interceptor and use it in all services that share responses.
    ///
    /// - Parameters:
    ///   - fields: The names of further fields that have another value in each request and do not change the response, unless they are marked as
    ///     credentials. Default: none.
    ///   - clock: The clock that measures the deadlines of waiting requests.
    public static func coalescing(
        ignoring fields: Set<String> = [], clock: any Clock<Duration> = ContinuousClock()
    ) -> CoalescingInterceptor {
        CoalescingInterceptor(ignoring: fields, clock: clock)
    }
}

extension CoalescingInterceptor: RedactedStringConvertible {}
