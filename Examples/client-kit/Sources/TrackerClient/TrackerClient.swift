import DataTransfer
import Foundation
import NetworkPipeline

/// A client of the tracker.
///
/// ```swift
/// let tracker = TrackerClient(url: url, refreshToken: token)
/// for try await issue in tracker.issues(.open) { print(issue.id, issue.title) }
/// ```
///
/// It is a value, cheap to copy, and safe to use from any task.
public struct TrackerClient: Sendable {
    private let service: any DataTransferService

    /// Creates a client for a user.
    ///
    /// - Parameters:
    ///   - url: The base URL of the API.
    ///   - refreshToken: The token with which the client gets access tokens. Refused ones are renewed, once for all calls.
    ///   - retry: How calls are repeated after failures that may pass. Default: three attempts.
    ///   - session: Sends the requests. Tests pass a recording, or a stub.
    public init(
        url: URL, refreshToken: String, retry: RetryOptions = RetryOptions(),
        session: any NetworkSessionManager = DefaultSessionManager.shared
    ) {
        let configuration = APIConfiguration(baseURL: url, headers: ["Accept": "application/json"])
        // Requests for tokens have no credentials, and so a service without the interceptor that adds them.
        let tokens = DefaultDataTransferService(
            configuration: configuration, sessionManager: session,
            interceptors: RequestPipeline { $0.retry = .retry(retry) }.interceptors, decoder: Self.decoder)
        let credentials = RefreshingCredentials { old in
            let new = try await tokens.request(.tokens(for: old?.refreshToken ?? refreshToken))
            return .bearer(new.accessToken, refreshToken: new.refreshToken)
        }
        let pipeline = RequestPipeline {
            $0.authentication = .authentication(credentials, for: configuration)
            $0.deadline = .seconds(30)
            $0.retry = .retry(retry)
            // A POST is repeated with the same key, so that no issue is created twice.
            $0.idempotencyKeys = .idempotencyKeys
        }
        service = DefaultDataTransferService(
            configuration: configuration, sessionManager: session, interceptors: pipeline.interceptors,
            errorResolver: ErrorBodyResolver<TrackerError.Refusal>(), decoder: Self.decoder)
    }

    /// Returns the user of the token.
    public func me() async throws(TrackerError) -> User { try await value(of: .me) }

    /// Returns all issues, or those in a state, page by page. Nothing is requested before a loop starts.
    public func issues(_ state: Issue.State? = nil, pageSize: Int = 50) -> IssueSequence {
        IssueSequence(pages: service.pages(of: .issues(state, pageSize: pageSize), by: .linkHeader))
    }

    /// Returns an issue.
    public func issue(_ id: Issue.ID) async throws(TrackerError) -> Issue { try await value(of: .issue(id)) }

    /// Creates an issue.
    public func create(_ draft: IssueDraft) async throws(TrackerError) -> Issue { try await value(of: .create(draft)) }

    /// Opens or closes an issue.
    ///
    /// - Returns: The issue in its new state.
    @discardableResult
    public func set(_ state: Issue.State, of id: Issue.ID) async throws(TrackerError) -> Issue {
        try await value(of: .set(state, of: id))
    }

    private func value<Value>(of endpoint: Endpoint<Value>) async throws(TrackerError) -> Value {
        do {
            return try await service.request(endpoint)
        } catch {
            throw TrackerError(error)
        }
    }

    private static var decoder: TransferJSONDecoder {
        let decoder = TransferJSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }
}
