import Endpoints
import Foundation
import NetworkCore
import NetworkTesting
import Testing

/// Larger loops where the environment asks for them.
let isSlowRun = ProcessInfo.processInfo.environment["DATA_TRANSFER_SLOW"] != nil

/// Whether a sanitizer watches.
let isSanitized = ["TSAN_OPTIONS", "ASAN_OPTIONS"].contains { ProcessInfo.processInfo.environment[$0] != nil }

extension LoopbackServer {
    /// A request for a path of this server.
    func request(
        _ path: String, method: HTTPMethod = .get, headers: HTTPHeaders = [:], body: Data? = nil,
        timeouts: RequestTimeouts = RequestTimeouts()
    ) -> NetworkRequest {
        NetworkRequest(method: method, url: url(path), headers: headers, body: body.map(RequestContent.data), timeouts: timeouts)
    }
}

/// The error of a request that has to fail.
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
    /// Whether a session has come through a fault: 20 requests in a row, 1,000 at full size.
    func answersClean(_ server: LoopbackServer, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let count = isSlowRun ? 1000 : 20
        var good = 0
        for _ in 0..<count where try await response(for: server.request("/good")).body == Data("good".utf8) { good += 1 }
        #expect(good == count, sourceLocation: sourceLocation)
    }
}

/// Numbers that are the same in each run (SplitMix64).
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
