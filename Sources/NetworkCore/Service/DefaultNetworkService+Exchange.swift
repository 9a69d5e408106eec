import Endpoints
import NetworkLogging

// One call, buffered: what both faces do before the request is sent, and with what comes back.
extension DefaultNetworkService {
    /// Sends a request through the interceptors, each attempt told to the journal, and ends its progress.
    func exchange(_ request: NetworkRequest, _ journal: CallJournal?) async throws(TransportError) -> NetworkResponse {
        guard let intercepted = intercepted(for: request) else {
            journal?.attemptWillBegin(request)
            let result = await Self.result { () async throws(TransportError) in try await session.response(for: request) }
            journal?.attemptDidEnd(result)
            return try result.get()
        }
        var (request, relay) = request.relayed()
        defer { relay?.finish() }
        if let journal { request.addAttemptObserver(journal) }
        return try await intercepted.response(for: request)
    }

    static func result<Value>(_ work: () async throws(TransportError) -> Value) async -> Result<Value, TransportError> {
        do throws(TransportError) {
            return .success(try await work())
        } catch {
            return .failure(error)
        }
    }

    /// What both faces do with what came back.
    static func check(
        _ result: Result<NetworkResponse, TransportError>, of request: NetworkRequest, _ accepted: AcceptedStatuses,
        _ journal: CallJournal?
    ) throws(NetworkError) -> NetworkResponse {
        switch result {
        case .success(let response):
            if accepted.contains(response.statusCode) {
                journal?.end(response)
                return response
            }
            throw refusal(response, of: request, journal)
        case .failure(let error): throw failure(error, of: request, journal)
        }
    }

    /// A response whose status the endpoint does not accept.
    static func refusal(_ response: NetworkResponse, of request: NetworkRequest, _ journal: CallJournal?) -> NetworkError {
        var response = response
        response.method = request.method
        let failure = NetworkError.status(response)
        journal?.end(failure)
        return failure
    }

    static func failure(_ error: TransportError, of request: NetworkRequest, _ journal: CallJournal?) -> NetworkError {
        var error = error
        // That of a credential's refresh, for example, knows of no request.
        if error.request == nil { error.request = TransportError.text(of: request) }
        let failure = NetworkError(error)
        journal?.end(failure)
        return failure
    }
}
