import Endpoints
import Foundation
import NetworkLogging

extension DefaultNetworkService {
    /// How much of the body of a response with a status that is not accepted is read for the error.
    private static let maximumErrorBodyBytes = 1 << 20
    /// How long that may take.
    private static let maximumErrorBodyTime = Duration.seconds(30)

    /// Requests an endpoint, with interceptors on the caller's task, and returns when the head of its response has come.
    ///
    /// - Throws: ``NetworkError``; at once when the task is cancelled, unless an interceptor holds it up. A status that the endpoint does
    ///   not accept is an error with the first MiB of its body, or what comes of it in 30 seconds. What fails later is thrown by the body, as ``TransportError``, and logged.
    public func stream(for endpoint: any Requestable) async throws(NetworkError) -> StreamedResponse {
        let request = try await settled(endpoint)
        let call = journal.hearing(of: request.context).open(request)
        let failed: NetworkResponse
        do throws(TransportError) {
            let response = try await send(request, call)
            if endpoint.acceptedStatuses.contains(response.statusCode) { return journaled(response, call) }
            failed = response.head(
                body: try await response.body.collectedStart(
                    upTo: Self.maximumErrorBodyBytes, within: Self.maximumErrorBodyTime))
        } catch {
            if let progress = request.progress { await Optional(progress).settled() }
            throw Self.failure(error, of: request, call)
        }
        throw Self.refusal(failed, of: request, call)
    }

    private func send(_ request: NetworkRequest, _ call: CallJournal?) async throws(TransportError) -> StreamedResponse {
        guard let intercepted = intercepted(for: request) else {
            call?.attemptWillBegin(request)
            let result = await Self.result { () async throws(TransportError) in try await session.stream(for: request) }
            call?.attemptDidEnd(result.map { $0.exchanged })
            return try result.get()
        }
        var (request, relay) = request.relayed()
        if let call { request.addAttemptObserver(call) }
        do throws(TransportError) {
            let response = try await intercepted.stream(for: request)
            relay?.expectEnd()
            if let relay { await Optional(relay).settled() }
            return response
        } catch {
            relay?.finish()
            throw error
        }
    }

    /// Tells the logger too how the body ends.
    private func journaled(_ response: StreamedResponse, _ call: CallJournal?) -> StreamedResponse {
        guard let call else { return response }
        var response = response
        let head = response.head()
        response.body = response.body.observed { error in
            if let error { call.end(NetworkError(error)) } else { call.end(head) }
        }
        return response
    }
}

extension StreamedResponse {
    /// As it passes interceptors.
    fileprivate var exchanged: NetworkResponse {
        var response = head()
        response.stream = body
        return response
    }
}
