import Endpoints
import Foundation
import NetworkCore
import NetworkTesting
import Testing

/// A seeded generator, so that a failure can be repeated.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

extension NetworkSessionManager {
    /// The error a request ends with; `nil` when it succeeds.
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
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// How often a completion ran and with what, to be waited for.
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
