import DataTransfer
import Foundation
import NetworkCore
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

/// Logins, logouts, refreshes and requests in random order, compared with a model of which credentials may be sent.
@Suite(.timeLimit(.ofStorm)) struct RefreshModelTests {
    private static let rounds = ProcessInfo.processInfo.environment["DATA_TRANSFER_SLOW"] == nil ? 1_000 : 10_000

    /// The number of the current identity, incremented before (`started`) and after (`completed`) each login and logout.
    private struct Identity: Sendable {
        var started = 0
        var completed = 0
    }

    @Test func `a refresh never restores the previous identity`() async throws {
        let server = StubSessionManager()
        // Tokens are `IDENTITY.NUMBER`; the first token of each identity has expired.
        server.route { request in
            let token = request.headers["Authorization"]?.dropFirst("Bearer identity-".count) ?? ""
            return token.hasSuffix(".0") ? .status(401) : .text(String(token))
        }
        let api = try APIConfiguration("https://api.test")
        var refreshes = 0
        // How many there are in a round depends on the order of tasks.
        for round in 0..<Self.rounds * 10 where round < Self.rounds || refreshes <= Self.rounds {
            var random = SeededGenerator(seed: UInt64(round))
            let pauses = (0..<8).map { _ in random.below(12) }
            let credentials = RefreshingCredentials(initial: .bearer("identity-0.0")) { old in
                for _ in 0..<pauses[0] { await Task.yield() }
                guard let token = old?.token, let dot = token.lastIndex(of: ".") else { throw CancellationError() }
                if pauses[1] == 0 { throw CancellationError() }
                return .bearer("\(token[..<dot]).\((Int(token[token.index(after: dot)...]) ?? 0) + 1)")
            }
            let service = DefaultNetworkService(
                configuration: api, sessionManager: server, interceptors: [.authentication(credentials, for: api)])
            let identity = Locked(Identity())
            await withTaskGroup(of: Void.self) { group in
                for request in 0..<3 {
                    group.addTask {
                        for _ in 0..<pauses[2 + request] { await Task.yield() }
                        let least = identity.withLock(\.completed)
                        let result = try? await service.response(for: Endpoint<Void>(path: "\(round)-\(request)-\(least)"))
                        guard let result else { return }
                        let sent = String(decoding: result.data, as: UTF8.self).split(separator: ".").first.flatMap { Int($0) }
                        let most = identity.withLock(\.started)
                        #expect(
                            sent.map { $0 >= least && $0 <= most } ?? false, "round \(round): \(result.data), \(least)...\(most)")
                    }
                }
                group.addTask {
                    for change in 1...2 {
                        for _ in 0..<pauses[4 + change] { await Task.yield() }
                        identity.withLock { $0.started = change }
                        credentials.set(pauses[7] % 3 == change ? nil : .bearer("identity-\(change).0"))
                        identity.withLock { $0.completed = change }
                    }
                }
            }
            refreshes += credentials.refreshCount
            judge(server.requests, round)
        }
        #expect(refreshes > Self.rounds)
    }

    /// Each call is sent with the credentials of only one identity, which was not replaced before the call began.
    private func judge(_ requests: [NetworkRequest], _ round: Int) {
        var identities: [String: Set<String>] = [:]
        for request in requests.suffix(12) where request.url.path.hasPrefix("/\(round)-") {
            guard let token = request.headers["Authorization"]?.dropFirst("Bearer identity-".count) else { continue }
            let identity = String(token.prefix { $0 != "." })
            identities[request.url.path, default: []].insert(identity)
            let least = request.url.path.split(separator: "-").last.flatMap { Int($0) } ?? 0
            #expect(Int(identity).map { $0 >= least } ?? false, "round \(round): \(token) in \(request.url.path)")
        }
        for (path, identities) in identities { #expect(identities.count == 1, "round \(round), \(path): \(identities)") }
    }

    @Test func `a waiting request is not sent with the credentials of another identity`() async throws {
        let session = StubSessionManager(returning: .text("ok"))
        let api = try APIConfiguration("https://api.test")
        let isRefreshing = AsyncStream.makeStream(of: Void.self)
        let unending = AsyncStream.makeStream(of: Void.self)
        let credentials = RefreshingCredentials(initial: .bearer("first-token", expires: .distantPast)) { _ in
            isRefreshing.continuation.yield()
            // Waits until the refresh is cancelled.
            for await _ in unending.stream {}
            return .bearer("second-token")
        }
        let service = DefaultNetworkService(
            configuration: api, sessionManager: session, interceptors: [.authentication(credentials, for: api)])
        let waiting = Task { try await service.response(for: Endpoint<Void>(path: "a")) }
        for await _ in isRefreshing.stream { break }
        credentials.set(.bearer("other-token"))
        let error = await #expect(throws: NetworkError.self) { try await waiting.value }
        #expect(error?.transportError?.code == .authenticationFailed)
        #expect(session.requests.isEmpty)
        _ = try await service.response(for: Endpoint<Void>(path: "b"))
        #expect(session.requests.map { $0.headers["Authorization"] } == ["Bearer other-token"])
    }

    @Test func `a refresh receives the parts of the old credential`() async throws {
        let old = Locked<Credential?>(nil)
        let credentials = RefreshingCredentials(
            initial: .bearer("access-token", refreshToken: "refresh-token", expires: .distantPast)
        ) { credential in
            old.withLock { $0 = credential }
            return .bearer("newer-token")
        }
        let api = try APIConfiguration("https://api.test")
        let service = DefaultNetworkService(
            configuration: api, sessionManager: StubSessionManager(returning: .text("ok")),
            interceptors: [.authentication(credentials, for: api)])
        _ = try await service.response(for: Endpoint<Void>(path: "a"))
        #expect(old.withLock { $0?.token } == "access-token" && old.withLock { $0?.refreshToken } == "refresh-token")
        #expect(!"\(old.withLock { $0 } as Any)".contains("refresh-token"))
    }
}
