import Endpoints
import Foundation
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkTransport

/// A chain calls interceptors in two phases exactly as if each called the next.
///
/// Random interceptors run twice with the same random decisions: once in two phases, and once inside a wrapper that hides the phases.
/// Everything they and the session manager observe must be equal.
@Suite(.timeLimit(.minutes(10))) struct InterceptorChainTests {
    /// What happened, in order, and the random decisions, which depend on that order.
    private final class Journal: Sendable {
        private let random: SharedGenerator
        private let entries = Locked<[String]>([])

        init(seed: UInt64) { random = SharedGenerator(seed) }

        var all: [String] { entries.withLock { $0 } }

        func note(_ entry: String) { entries.withLock { $0.append(entry) } }

        func isChosen(_ oneOf: Int) -> Bool { random.next(below: oneOf) == 0 }
    }

    /// An interceptor that waits, fails, replaces results and sends requests again at random.
    private struct Phased: PhasedInterceptor {
        let name: String
        let journal: Journal

        func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
            try await inPhases(request, next: next)
        }

        func prepare(_ request: inout NetworkRequest) throws(TransportError) -> InterceptorState? {
            if journal.isChosen(4) { return nil }
            return try pass(&request)
        }

        func prepareWaiting(_ request: inout NetworkRequest) async throws(TransportError) -> InterceptorState {
            journal.note("\(name) waits")
            await Task.yield()
            return try pass(&request)
        }

        private func pass(_ request: inout NetworkRequest) throws(TransportError) -> InterceptorState {
            let received = request
            if journal.isChosen(12) {
                journal.note("\(name) refuses")
                throw TransportError(.notAdmitted, name, request: request)
            }
            if journal.isChosen(2) { request.headers["X-Path"] = (request.headers["X-Path"] ?? "") + "/" + name }
            journal.note("\(name) passes \(request.headers["X-Path"] ?? "")")
            return .attempt(received, name.count)
        }

        func receive(_ response: inout NetworkResponse, _ state: InterceptorState, of request: NetworkRequest) -> Bool {
            journal.note("\(name) receives \(describe(state)) \(response.statusCode)")
            if journal.isChosen(6) { response.statusCode += 1 }
            return !journal.isChosen(5)
        }

        func fail(_ error: inout TransportError, _ state: InterceptorState, of request: NetworkRequest) -> Bool {
            journal.note("\(name) fails \(describe(state)) \(error.code) \(error.message)")
            if journal.isChosen(6) { error = TransportError(.cancelled, name, request: request) }
            return !journal.isChosen(5)
        }

        func proceed(
            from state: InterceptorState, after result: Result<NetworkResponse, TransportError>, next: NetworkExchange
        ) async throws(TransportError) -> NetworkResponse {
            journal.note("\(name) proceeds \(describe(state)) \(describe(result))")
            guard case .attempt(let request, _) = state else { return try result.get() }
            if journal.isChosen(3) { return try result.get() }
            if journal.isChosen(4) { throw TransportError(.connectionLost, name, request: request) }
            return try await next(request)
        }
    }

    /// Hides the phases of an interceptor, so that it is called with `intercept(_:next:)`.
    private struct Nested: NetworkInterceptor {
        let base: Phased

        func intercept(
            _ request: NetworkRequest, next: @escaping NetworkExchange
        ) async throws(TransportError) -> NetworkResponse {
            try await base.intercept(request, next: next)
        }
    }

    private struct Session: NetworkSessionManager {
        let journal: Journal

        func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
            journal.note("sent \(request.headers["X-Path"] ?? "")")
            if journal.isChosen(4) { throw TransportError(.connectionLost, "session", request: request) }
            return NetworkResponse(statusCode: journal.isChosen(3) ? 503 : 200, url: request.url)
        }
    }

    /// Sends a request through interceptors, each of which `isPhased` tells to call in phases.
    private static func journal(seed: UInt64, count: Int, isPhased: (Int) -> Bool) async -> [String] {
        let journal = Journal(seed: seed)
        let interceptors = (0..<count).map { index -> any NetworkInterceptor in
            let interceptor = Phased(name: String(repeating: "i", count: index + 1), journal: journal)
            return isPhased(index) ? interceptor : Nested(base: interceptor)
        }
        let session = InterceptedSession(interceptors: interceptors, session: Session(journal: journal))
        do throws(TransportError) {
            let response = try await session.response(for: NetworkRequest(url: URL(string: "http://host/")!))
            journal.note("result \(response.statusCode)")
        } catch {
            journal.note("error \(describe(.failure(error)))")
        }
        return journal.all
    }

    @Test func `interceptors in phases and nested interceptors observe the same in the same order`() async throws {
        var proceeded = 0
        for seed in 0..<3000 as Range<UInt64> {
            let count = Int(seed % 7)
            let nested = await Self.journal(seed: seed, count: count) { _ in false }
            let phased = await Self.journal(seed: seed, count: count) { _ in true }
            let mixed = await Self.journal(seed: seed, count: count) { (seed >> UInt64($0)) & 1 == 0 }
            try #require(phased == nested, "seed \(seed)")
            try #require(mixed == nested, "seed \(seed)")
            proceeded += nested.count { $0.contains("proceeds") }
        }
        #expect(proceeded > 1000)
    }
}

private func describe(_ result: Result<NetworkResponse, TransportError>) -> String {
    switch result {
    case .success(let response): "\(response.statusCode)"
    case .failure(let error): "\(error.code) \(error.message)"
    }
}

private func describe(_ state: InterceptorState) -> String {
    guard case .attempt(let request, let number) = state else { return "unknown" }
    return "\(number) \(request.headers["X-Path"] ?? "")"
}
