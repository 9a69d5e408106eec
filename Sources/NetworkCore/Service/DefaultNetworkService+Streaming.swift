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
        let journal = journal.hearing(of: request.context)
        let entry = journal.open(request)
        let failed: NetworkResponse
        do throws(TransportError) {
            let response = try await send(request)
            if endpoint.acceptedStatuses.contains(response.statusCode) {
                var head = response.head()
                head.stream = response.body
                journal.note(head, entry)
                return journaled(response, entry)
            }
            failed = response.head(
                body: try await response.body.collectedStart(
                    upTo: Self.maximumErrorBodyBytes, within: Self.maximumErrorBodyTime))
        } catch {
            if let progress = request.progress { await Optional(progress).settled() }
            let failure = NetworkError(error)
            journal.close(entry, failure)
            throw failure
        }
        journal.note(failed, entry)
        journal.close(entry, .status(failed))
        throw .status(failed)
    }

    private func send(_ request: NetworkRequest) async throws(TransportError) -> StreamedResponse {
        guard let intercepted = intercepted(for: request) else { return try await session.stream(for: request) }
        let (request, relay) = request.relayed()
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

    /// Tells the logger too when the body fails.
    private func journaled(_ response: StreamedResponse, _ entry: LoggedRequest?) -> StreamedResponse {
        guard entry != nil else { return response }
        var response = response
        response.body = response.body.observed { [journal] error in
            if let error { journal.close(entry, NetworkError(error)) }
        }
        return response
    }
}
