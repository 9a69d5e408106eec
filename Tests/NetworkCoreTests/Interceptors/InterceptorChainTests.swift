import Endpoints
import Foundation
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkTransport

/// A chain calls interceptors exactly as if each called the next itself.
///
/// Random interceptors run twice with the same random decisions: once in a chain, and once nested in closures. Everything they and the session manager
/// observe must be equal.
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
    private struct Random: NetworkInterceptor {
        let name: String
        let journal: Journal

        func intercept(
            _ request: consuming NetworkRequest, next: NetworkExchange
        ) async throws(TransportError) -> NetworkResponse {
            let received = request
            if journal.isChosen(4) { await Task.yield() }
            if journal.isChosen(12) {
                journal.note("\(name) refuses")
                throw TransportError(.notAdmitted, name, request: received)
            }
            var passed = received
            if journal.isChosen(2) { passed.headers["X-Path"] = (passed.headers["X-Path"] ?? "") + "/" + name }
            journal.note("\(name) passes \(passed.headers["X-Path"] ?? "")")
            do throws(TransportError) {
                var response = try await next(passed)
                journal.note("\(name) receives \(response.statusCode)")
                if journal.isChosen(6) { response.statusCode += 1 }
                return journal.isChosen(5) ? try await next(received) : response
            } catch {
                journal.note("\(name) fails \(error.code) \(error.message)")
                if journal.isChosen(6) { throw TransportError(.cancelled, name, request: received) }
                if journal.isChosen(5) { return try await next(received) }
                throw error
            }
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

    /// Sends a request through interceptors, in a chain or nested.
    private static func journal(seed: UInt64, count: Int, isNested: Bool) async -> [String] {
        let journal = Journal(seed: seed)
        let interceptors = (0..<count).map { Random(name: String(repeating: "i", count: $0 + 1), journal: journal) }
        let session = Session(journal: journal)
        let exchange =
            isNested
            ? interceptors.reversed().reduce(NetworkExchange(session.response)) { next, interceptor in
                NetworkExchange { (request) async throws(TransportError) in try await interceptor.intercept(request, next: next) }
            }
            : NetworkExchange(InterceptedSession(interceptors: interceptors, session: session).response)
        do throws(TransportError) {
            let response = try await exchange(NetworkRequest(url: URL(string: "http://host/")!))
            journal.note("result \(response.statusCode)")
        } catch {
            journal.note("error \(error.code) \(error.message)")
        }
        return journal.all
    }

    @Test func `interceptors in a chain and nested interceptors observe the same in the same order`() async throws {
        var repeated = 0
        for seed in 0..<3000 as Range<UInt64> {
            let count = Int(seed % 7)
            let nested = await Self.journal(seed: seed, count: count, isNested: true)
            let chain = await Self.journal(seed: seed, count: count, isNested: false)
            try #require(chain == nested, "seed \(seed)")
            if nested.count(where: { $0.hasPrefix("sent") }) > 1 { repeated += 1 }
        }
        #expect(repeated > 300)
    }
}
