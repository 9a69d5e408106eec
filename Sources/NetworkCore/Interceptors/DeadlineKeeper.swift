import Endpoints

/// An interceptor that sets a call's deadline, and heeds what the endpoint says of it.
package protocol DeadlineKeeper: NetworkInterceptor {}

/// Sets the deadline that an endpoint asks for, in services whose interceptors set none.
struct EndpointDeadline: DeadlineKeeper {
    func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        guard let limit = request.timeouts.deadline.limit else { return try await next(request) }
        return try await request.exchange(by: request.deadline(after: limit, clock: nil), next)
    }
}

extension NetworkRequest {
    /// A deadline that an endpoint, or whoever else is named, has set for this request.
    ///
    /// - Parameter clock: `nil` for the continuous one.
    package func deadline(
        after limit: Duration, clock: (any Clock<Duration>)?, source: String = "set by the endpoint"
    ) -> Deadline {
        guard let clock else { return .continuous(after: limit, source: source, endsWithHead: isStreamed) }
        return Deadline(after: limit, clock: clock, source: source, endsWithHead: isStreamed)
    }

    /// Sends the request with a deadline, or the earlier one that it has already; the error says that it ran out, and who had set it.
    package func exchange(
        by deadline: Deadline, _ next: NetworkExchange
    ) async throws(TransportError) -> NetworkResponse {
        var request = self
        var deadline = deadline
        if let before = request.deadline, before.remaining <= deadline.remaining {
            deadline = before
        } else {
            request.deadline = deadline
        }
        do throws(TransportError) {
            return try await next(request)
        } catch {
            throw deadline.named(in: error, of: request)
        }
    }
}
