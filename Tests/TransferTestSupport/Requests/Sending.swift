import Endpoints
import Foundation
import NetworkCore
import NetworkTesting
import Testing

extension LoopbackServer {
    /// Creates a request for a path of this server.
    package func request(
        _ path: String, method: RequestMethod = .get, headers: HeaderFields = [:], body: Data? = nil,
        timeouts: RequestTimeouts = RequestTimeouts()
    ) -> NetworkRequest {
        NetworkRequest(method: method, url: url(path), headers: headers, body: body.map(NetworkBody.data), timeouts: timeouts)
    }
}

/// Sends a request that is expected to fail, and returns its error.
package func failure(
    of session: some NetworkSessionManager, _ request: NetworkRequest, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> TransportError {
    do throws(TransportError) {
        let response = try await session.response(for: request)
        Issue.record("succeeded with \(response)", sourceLocation: sourceLocation)
        throw TransportError(.other, "it should have failed")
    } catch {
        return error
    }
}

extension NetworkSessionManager {
    /// Checks that a session manager works after a fault: sends 20 requests in sequence, or 1,000 in slow runs, and expects them
    /// all to succeed.
    package func expectGoodResponses(_ server: LoopbackServer, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let count = runs(20, slow: 400)
        var good = 0
        for _ in 0..<count where try await response(for: server.request("/good")).data == Data("good".utf8) { good += 1 }
        #expect(good == count, sourceLocation: sourceLocation)
    }
}
