import Endpoints
import Foundation
import NetworkCore
import NetworkTesting
import Testing

/// Whether `DATA_TRANSFER_SLOW` is set, with which tests run more iterations.
let isSlowRun = ProcessInfo.processInfo.environment["DATA_TRANSFER_SLOW"] != nil

/// Whether the tests run with a sanitizer.
let isSanitized = ["TSAN_OPTIONS", "ASAN_OPTIONS"].contains { ProcessInfo.processInfo.environment[$0] != nil }

extension LoopbackServer {
    /// Creates a request for a path of this server.
    func request(
        _ path: String, method: HTTPMethod = .get, headers: HTTPHeaders = [:], body: Data? = nil,
        timeouts: RequestTimeouts = RequestTimeouts()
    ) -> NetworkRequest {
        NetworkRequest(method: method, url: url(path), headers: headers, body: body.map(RequestContent.data), timeouts: timeouts)
    }
}

/// Sends a request that is expected to fail, and returns its error.
func failure(
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
    func expectGoodResponses(_ server: LoopbackServer, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let count = isSlowRun ? 1000 : 20
        var good = 0
        for _ in 0..<count where try await response(for: server.request("/good")).body == Data("good".utf8) { good += 1 }
        #expect(good == count, sourceLocation: sourceLocation)
    }
}

/// A random number generator with the same numbers in each run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
