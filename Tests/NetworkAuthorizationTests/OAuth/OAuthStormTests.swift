import DataTransfer
import Foundation
import NetworkCore
import NetworkAuthorization
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

/// Many tasks of several clients over one file, with failures at every step, judged by ``RotationServer``.
@Suite(.timeLimit(.ofStorm)) struct OAuthStormTests {
    /// A client as a process has it.
    private struct Process: Sendable {
        let store: FaultyStore
        let service: DefaultNetworkService

        init(_ server: RotationServer, _ file: URL, _ random: SharedGenerator, failPercent: Int) throws {
            store = FaultyStore(FileCredentialStore(file), random, failPercent: failPercent)
            let oauth = try OAuthClient(
                tokenURL: "https://auth.test/token", clientID: "app", session: RotationNetwork(server: server))
            let api = try APIConfiguration("https://api.test")
            service = DefaultNetworkService(
                configuration: api, sessionManager: RotationNetwork(server: server),
                interceptors: [.authentication(oauth.refreshing(savedIn: store), for: api)])
        }
    }

    private static let get = Endpoint<String>(path: "a", responseDecoder: .text)

    /// The error of the client in an error of the service.
    private static func oauthError(_ error: NetworkError) -> OAuthError? { error.transportError?.underlying as? OAuthError }

    @Test(arguments: [false, true]) func `no refresh token is sent twice after its rotation was saved`(hasGrace: Bool)
        async throws
    {
        var totals = (rotations: 0, lost: 0, revocations: 0, signIns: 0)
        let rounds: UInt64 = isSlowRun ? 100 : 6
        for seed in 0..<(rounds * 10) {
            // A few rounds may happen to have none of the rarer failures.
            let isComplete =
                totals.rotations > 10 && totals.lost > 0 && (hasGrace || totals.revocations > 0 && totals.signIns > 0)
            if seed >= rounds, isComplete { break }
            let folder = try TemporaryFolder()
            let file = folder.file("private/tokens.json")
            let faults = seed % 3 == 0 ? 0 : 40
            let server = RotationServer(seed: seed, file: file, hasGrace: hasGrace, faultPercent: faults)
            try await FileCredentialStore(file).signIn(with: server.signIn())
            let random = SharedGenerator(seed)
            let failPercent = seed % 3 == 1 ? 0 : 16
            let processes = Locked(
                try (0..<4).map { _ in try Process(server, file, random, failPercent: failPercent) })
            let signIns = Locked(0)
            await withTaskGroup(of: Void.self) { group in
                for task in 0..<24 {
                    group.addTask {
                        for _ in 0..<6 {
                            let index = task % 4
                            if failPercent > 0, random.next(below: 100) < 5,
                                let new = try? Process(server, file, random, failPercent: failPercent)
                            {
                                processes.withLock { processes in
                                    processes[index].store.kill()
                                    processes[index] = new
                                }
                            }
                            let service = processes.withLock { $0[index].service }
                            do throws(NetworkError) {
                                _ = try await service.response(for: Self.get)
                            } catch {
                                let text = "\(error) \(String(reflecting: error)) \(Self.oauthError(error).map { "\($0)" } ?? "")"
                                #expect(!text.contains("refresh-") && !text.contains("access-"), "\(text)")
                                guard Self.oauthError(error)?.requiresSignIn == true else { continue }
                                signIns.withLock { $0 += 1 }
                                try? await FileCredentialStore(file).signIn(with: server.signIn())
                            }
                        }
                    }
                }
            }
            #expect(server.violations.isEmpty, "seed \(seed): \(server.violations)")
            // Without a failure, the user never signs in again.
            if faults == 0, failPercent == 0 { #expect(server.revocations == 0 && signIns.withLock { $0 } == 0) }
            server.endFaults()
            let record = try #require(try await FileCredentialStore(file).load(), "seed \(seed)")
            if record.isRefused { try await FileCredentialStore(file).signIn(with: server.signIn()) }
            totals.rotations += server.rotations
            totals.lost += server.lost
            totals.revocations += server.revocations
            totals.signIns += signIns.withLock { $0 }
        }
        #expect(totals.rotations > 10 && totals.lost > 0, "\(totals)")
        if !hasGrace { #expect(totals.revocations > 0 && totals.signIns > 0, "\(totals)") }
    }

    @Test func `without failures, clients of one file refresh once for all and never sign in again`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("private/tokens.json")
        let server = RotationServer(seed: 1, file: file, hasGrace: false, faultPercent: 0, rejectPercent: 10)
        try await FileCredentialStore(file).signIn(with: server.signIn())
        let processes = try (0..<4).map { try Process(server, file, SharedGenerator(UInt64($0)), failPercent: 0) }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<40 {
                group.addTask {
                    for _ in 0..<10 {
                        do throws(NetworkError) {
                            _ = try await processes[task % 4].service.response(for: Self.get)
                        } catch {
                            // The renewed token may be rejected, too.
                            #expect(error.statusCode == 401, "\(error)")
                        }
                    }
                }
            }
        }
        #expect(server.violations.isEmpty && server.revocations == 0, "\(server.violations)")
        let record = try #require(try await FileCredentialStore(file).load())
        #expect(record.generation == server.rotations && server.rotations > 0)
    }

    #if os(Linux)
        /// Child processes refresh at the same time and are killed at arbitrary moments.
        @Test func `killed processes lose no refresh token unless a response was lost`() async throws {
            let folder = try TemporaryFolder()
            let file = folder.file("private/tokens.json")
            for hasGrace in [true, false] {
                let server = RotationServer(seed: 7, file: file, hasGrace: hasGrace, faultPercent: 0)
                let loopback = try LoopbackServer { (request: LoopbackRequest) throws -> LoopbackResponse in
                    guard request.method == .post else {
                        return .text("ok", status: server.use(request.headers["Authorization"]))
                    }
                    let form = String(decoding: request.body, as: UTF8.self).split(separator: "&")
                    let token = form.first { $0.hasPrefix("refresh_token=") }?.dropFirst(14) ?? ""
                    let (status, body) = server.refresh(String(token))
                    return .json(body, status: status)
                }
                try await FileCredentialStore(file).save(nil)
                try await FileCredentialStore(file).signIn(with: server.signIn())
                var signIns = 0
                // On a busy machine, processes may be killed before they refresh.
                for round in 0..<1000 where round < (isSlowRun ? 100 : 6) || server.rotations == 0 {
                    async let first: Void = Self.refreshUntilKilled(loopback.url, file, after: 1 + round &* 7_919 % 60)
                    async let second: Void = Self.refreshUntilKilled(loopback.url, file, after: 1 + round &* 104_729 % 60)
                    _ = await (first, second)
                    let record = try #require(try await FileCredentialStore(file).load(), "round \(round)")
                    #expect(server.violations.isEmpty, "round \(round): \(server.violations)")
                    if record.isRefused {
                        signIns += 1
                        try await FileCredentialStore(file).signIn(with: server.signIn())
                    }
                }
                #expect(server.rotations > 0)
                #expect(hasGrace ? signIns == 0 : signIns <= server.revocations)
                loopback.stop()
            }
        }

        private static func refreshUntilKilled(_ url: URL, _ file: URL, after milliseconds: Int) async {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [url = url as URL, file = file as URL, milliseconds = milliseconds as Int] in
                let oauth = try OAuthClient(tokenURL: url.absoluteString + "/token", clientID: "app")
                let api = APIConfiguration(baseURL: url)
                let service = DefaultNetworkService(
                    configuration: api,
                    interceptors: [.authentication(oauth.refreshing(savedIn: FileCredentialStore(file)), for: api)])
                _ = try? await service.response(for: Self.get)
                DispatchQueue(label: "killer").asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
                    kill(getpid(), SIGKILL)
                }
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<4 {
                        group.addTask { while true { _ = try? await service.response(for: Self.get) } }
                    }
                }
            }
        }
    #endif
}
