import Endpoints
import Foundation
import NetworkCore
import NetworkTesting
import Testing

extension NetworkSessionManager {
    /// Sends a request and returns its error, or `nil` if it succeeds.
    func error(for request: NetworkRequest) async -> TransportError? {
        do throws(TransportError) {
            _ = try await response(for: request)
            return nil
        } catch {
            return error
        }
    }
}

extension NetworkResponse {
    var text: String { String(decoding: data, as: UTF8.self) }
}

/// Records the results that a completion handler receives, so that a test can wait for them.
actor Outcomes {
    private var results: [Result<NetworkResponse, TransportError>] = []
    private var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    var all: [Result<NetworkResponse, TransportError>] { results }

    func add(_ result: Result<NetworkResponse, TransportError>) {
        results.append(result)
        let ready = waiting.filter { $0.count <= results.count }
        waiting.removeAll { $0.count <= results.count }
        for waiter in ready { waiter.continuation.resume() }
    }

    /// Releases the responses.
    func clear() {
        results = []
    }

    func wait(count: Int) async -> [Result<NetworkResponse, TransportError>] {
        if results.count < count {
            await withCheckedContinuation { waiting.append((count, $0)) }
        }
        return results
    }

    nonisolated var completion: @Sendable (Result<NetworkResponse, TransportError>) -> Void {
        { result in Task { await self.add(result) } }
    }
}
