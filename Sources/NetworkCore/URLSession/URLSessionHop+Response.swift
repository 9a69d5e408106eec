import Endpoints
import Foundation

extension URLSessionHop {
    /// What the events of this hop add up to.
    func response(_ received: Received, _ error: (any Error)?) throws(TransportError) -> NetworkResponse {
        let activity = transfer.activity.withLock { $0 }
        if let error {
            let code = (error as NSError).code
            guard received.wasChallenged, received.response != nil, code == URLError.Code.cancelled.rawValue else {
                throw URLSessionErrors.transportError(error, phase: activity.phase, request: request)
            }
        }
        // On Linux, a redirect that cannot be followed is no event.
        guard let response = received.response ?? task.response as? HTTPURLResponse else {
            let reason = received.isForeign ? "the response is not HTTP" : "it ended without a response"
            throw TransportError(.malformedResponse, reason, phase: .receive, request: request)
        }
        return NetworkResponse(
            statusCode: response.statusCode, headers: HTTPHeaders(response), body: received.body, url: request.url,
            timings: timings(received, activity))
    }

    private func timings(_ received: Received, _ activity: URLSessionActivity) -> TransferTimings {
        var timings = received.timings
        timings.queued = .nanoseconds(Int64(clamping: activity.queued))
        timings.total = .nanoseconds(Int64(URLSessionClock.now - activity.submitted))
        timings.redirects = transfer.redirects
        timings.bytesSent = Int64(request.body?.data?.count ?? 0)
        timings.bytesReceived = Int64(received.body.count)
        return timings
    }
}
