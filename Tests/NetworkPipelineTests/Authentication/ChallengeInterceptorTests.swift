import DataTransfer
import Foundation
import NetworkCache
import NetworkCore
import NetworkSupport
import NetworkTesting
import TransferTestSupport
import Testing

@testable import NetworkPipeline

/// A server that requires Digest authentication, and remembers how each nonce was used.
private final class DigestModel: Sendable {
    struct State {
        var random: SeededGenerator
        /// The nonces that are still valid, with the nonce counts that were used.
        var nonces: [String: Set<String>] = [:]
        var issued = 0
        /// The nonces of the challenges with which sessions began, by the nonces that followed.
        var beginnings: [String: String] = [:]
        var replays = 0
        var requests: [String: Int] = [:]
        var accepted = 0
        var rejectedPasswords = 0
    }

    let algorithms: [String]
    let protection: String
    let password: String
    let state: Locked<State>

    init(seed: UInt64, algorithms: [String], protection: String, password: String) {
        self.algorithms = algorithms
        self.protection = protection
        self.password = password
        state = Locked(State(random: SeededGenerator(seed: seed)))
    }

    func respond(_ request: NetworkRequest) -> StubResponse {
        state.withLock { state in
            state.requests[request.headers["X-Call"] ?? "", default: 0] += 1
            guard let value = request.headers["Authorization"] else { return challenge(&state, isStale: false) }
            let fields = AuthenticationChallenge.parse(value)[0]
            let nonce = fields["nonce"] ?? ""
            guard let used = state.nonces[nonce] else { return challenge(&state, isStale: state.random.chance(50)) }
            let count = fields["nc"] ?? ""
            if used.contains(count) { state.replays += 1 }
            state.nonces[nonce]?.insert(count)
            guard value == expected(fields, request, state.beginnings) else {
                state.rejectedPasswords += 1
                return challenge(&state, isStale: false)
            }
            // A nonce is forgotten now and then.
            if state.random.chance(10) { state.nonces[nonce] = nil }
            state.accepted += 1
            var headers: HeaderFields = [:]
            if state.random.chance(20) {
                let next = newNonce(&state)
                state.beginnings[next] = state.beginnings[nonce] ?? nonce
                headers["Authentication-Info"] = "nextnonce=\"\(next)\", qop=auth"
            }
            return .text("ok", headers: headers)
        }
    }

    /// The value for the correct password and the same nonces.
    private func expected(
        _ fields: AuthenticationChallenge, _ request: NetworkRequest, _ beginnings: [String: String]
    ) -> String? {
        let nonce = fields["nonce"] ?? ""
        let parameters =
            #"realm="r", nonce="\#(beginnings[nonce] ?? nonce)", algorithm=\#(fields["algorithm"] ?? ""), qop="\#(protection)""#
        let challenge = AuthenticationChallenge.parse("Digest " + parameters)[0]
        guard
            let first = DigestSession(challenge, user: "u", password: password, clientNonce: fields["cnonce"] ?? ""),
            let count = fields["nc"].flatMap({ Int($0, radix: 16) }), count > 0, count < 10_000
        else { return nil }
        let session = first.next(nonce: nonce)
        let body = request.body?.data.map { fields["algorithm"]!.hasPrefix("MD5") ? MD5.digest(of: $0) : SHA256.digest(of: $0) }
        var value = ""
        for _ in 0..<count {
            value = session.authorization(
                method: request.method.rawValue, target: request.target, bodyDigest: body?.hexadecimal,
                clientNonce: fields["cnonce"] ?? "")
        }
        return value
    }

    private func newNonce(_ state: inout State) -> String {
        state.issued += 1
        let nonce = "nonce \(state.issued)"
        state.nonces[nonce] = []
        return nonce
    }

    private func challenge(_ state: inout State, isStale: Bool) -> StubResponse {
        // Servers may also repeat a nonce.
        let known = state.nonces.keys.filter { state.beginnings[$0] == nil }.sorted().first
        let nonce = known != nil && state.random.chance(30) ? known! : newNonce(&state)
        var headers: HeaderFields = [:]
        for algorithm in algorithms {
            headers.add(
                #"Digest realm="r", nonce="\#(nonce)", algorithm=\#(algorithm), qop="\#(protection)", stale=\#(isStale)"#,
                for: "WWW-Authenticate")
        }
        return .status(401, headers: headers)
    }
}

@Suite(.timeLimit(.ofStorm)) struct ChallengeInterceptorTests {
    private let session = StubSessionManager()
    private let api = try! APIConfiguration("https://api.test")

    private func service(
        over session: StubSessionManager? = nil, password: String = "secret1",
        schemes: Set<ChallengeInterceptor.Scheme> = [.digest, .basic],
        base: String = "https://api.test"
    ) throws -> DefaultDataTransferService {
        let api = try APIConfiguration(base)
        let interceptor: any NetworkInterceptor = .authenticationOnChallenge(
            user: "u", password: password, for: api, schemes: schemes)
        return DefaultDataTransferService(
            configuration: api, sessionManager: session ?? self.session, interceptors: [interceptor])
    }

    private func endpoint(_ call: Int, body: EndpointBody? = nil) -> Endpoint<Void> {
        var endpoint = Endpoint<Void>(path: "a", method: body == nil ? .get : .put, headerParameters: ["X-Call": "\(call)"])
        endpoint.body = body
        endpoint.acceptedStatuses = .any
        return endpoint
    }

    /// The statuses of calls that are made one after another.
    private func statuses(_ service: DefaultDataTransferService, count: Int = 1) async throws -> [Int] {
        var statuses: [Int] = []
        for call in 0..<count { statuses.append(try await service.response(for: endpoint(call)).statusCode) }
        return statuses
    }

    /// Whatever nonces a server issues, repeats and forgets: no nonce is used twice with the same count, a correct password is accepted
    /// unless the server forgets nonces faster than a request can use them, and each call sends at most three requests.
    @Test(
        arguments: [["MD5"], ["SHA-256"], ["MD5-sess", "SHA-256-sess"], ["SHA-512-256", "MD5", "SHA-256"]], ["auth", "auth-int"])
    func `concurrent requests use no nonce count twice`(algorithms: [String], protection: String) async throws {
        for seed in 0..<runs(5, slow: 20) {
            let model = DigestModel(seed: UInt64(seed), algorithms: algorithms, protection: protection, password: "secret1")
            let session = StubSessionManager()
            session.route { model.respond($0) }
            let service = try service(over: session)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for call in 0..<30 {
                    group.addTask {
                        try await service.response(
                            for: endpoint(call, body: call % 3 == 0 ? .data(Data("body \(call)".utf8)) : nil)
                        )
                        .statusCode
                    }
                }
                return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
            }
            let state = model.state.withLock { $0 }
            #expect(state.replays == 0 && state.rejectedPasswords == 0, "seed \(seed)")
            #expect(statuses[200, default: 0] >= 27 && Set(statuses.keys).isSubset(of: [200, 401]), "seed \(seed): \(statuses)")
            #expect(state.requests.values.allSatisfy { $0 <= 3 })
        }
    }

    @Test func `a wrong password is sent once for each challenge, and its 401 is returned`() async throws {
        let model = DigestModel(seed: 1, algorithms: ["SHA-256"], protection: "auth", password: "secret1")
        session.route { model.respond($0) }
        #expect(try await statuses(try service(password: "wrong12"), count: 3) == [401, 401, 401])
        #expect(model.state.withLock(\.rejectedPasswords) == 3)
    }

    @Test func `Digest is preferred to Basic, and SHA-256 to MD5`() async throws {
        session.route { request in
            guard request.headers["Authorization"] == nil else { return .text("ok") }
            var headers: HeaderFields = ["WWW-Authenticate": #"Basic realm="r", Digest realm="r", nonce="n""#]
            headers.add(#"Digest realm="r", nonce="n", algorithm=SHA-256"#, for: "WWW-Authenticate")
            return .status(401, headers: headers)
        }
        #expect(try await statuses(try service()) == [200])
        #expect(session.requests.last?.headers["Authorization"]?.contains("algorithm=SHA-256") == true)
        #expect(try await statuses(try service(schemes: [.basic])) == [200])
        #expect(session.requests.last?.headers["Authorization"] == "Basic dTpzZWNyZXQx")
    }

    private struct BasicCase: Sendable {
        let base: String
        let schemes: Set<ChallengeInterceptor.Scheme>
        let status: Int

        init(_ base: String, _ schemes: Set<ChallengeInterceptor.Scheme>, _ status: Int) {
            self.base = base
            self.schemes = schemes
            self.status = status
        }
    }

    @Test func `the password itself is sent over TLS only, unless that is allowed`() async throws {
        session.route { request in
            request.headers["Authorization"] != nil
                ? .text("ok") : .status(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])
        }
        let cases = [
            BasicCase("https://api.test", [.basic], 200), BasicCase("http://api.test", [.basic], 401),
            BasicCase("http://127.evil.test", [.basic], 401), BasicCase("http://127.0.0.1.test", [.basic], 401),
            BasicCase("http://localhost.test", [.basic], 401), BasicCase("http://127.0.0.1:81", [.basic], 200),
            BasicCase("http://[::1]:81", [.basic], 200), BasicCase("http://localhost:81", [.basic], 200),
            BasicCase("http://api.test", [.basicWithoutEncryption], 200), BasicCase("https://api.test", [.digest], 401),
            BasicCase("https://api.test", [], 401),
        ]
        for row in cases {
            let count = session.requests.count
            #expect(try await statuses(try service(schemes: row.schemes, base: row.base)) == [row.status], "\(row)")
            let hasSent = session.requests.dropFirst(count).contains { $0.headers.contains("Authorization") }
            #expect(hasSent == (row.status == 200), "\(row)")
        }
    }

    @Test func `other origins receive no credentials`() async throws {
        session.route { _ in .status(401, headers: ["WWW-Authenticate": #"Digest realm="r", nonce="n""#]) }
        let service = try service()
        var elsewhere = Endpoint<Void>(path: "https://other.test/a", isFullPath: true)
        elsewhere.acceptedStatuses = [401]
        _ = try await service.response(for: elsewhere)
        #expect(session.requests.allSatisfy { !$0.headers.contains("Authorization") } && session.requests.count == 1)
    }

    @Test func `a request whose body can be read only once is not sent again`() async throws {
        session.route { _ in .status(401, headers: ["WWW-Authenticate": #"Digest realm="r", nonce="n""#]) }
        let chunks = AsyncStream<Data> { $0.finish() }
        #expect(try await service().response(for: endpoint(1, body: .stream(chunks))).statusCode == 401)
        #expect(session.requests.count == 1)
    }

    @Test(arguments: [false, true]) func `auth-int covers a file and a stream`(isFile: Bool) async throws {
        let file = URL.temporaryDirectory.appending(path: "auth-int-\(UUID())")
        try Data("content".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        session.route { request in
            request.headers.contains("Authorization")
                ? .text("ok") : .status(401, headers: ["WWW-Authenticate": #"Digest realm="r", nonce="n", qop="auth-int""#])
        }
        let stream = NetworkBody.stream {
            AsyncStream<Data> { continuation in
                continuation.yield(Data("content".utf8))
                continuation.finish()
            }
        }
        let service = try service()
        for count in 1...2 {
            _ = try await service.response(
                for: endpoint(1, body: isFile ? .file(file) : EndpointBody(contentType: "text/plain", content: stream)))
            let fields = AuthenticationChallenge.parse(session.requests.last?.headers["Authorization"] ?? "")[0]
            let model = DigestSession(
                AuthenticationChallenge.parse(#"Digest realm="r", nonce="n", qop="auth-int""#)[0], user: "u", password: "secret1")!
            var expected = ""
            for _ in 0..<count {
                expected = model.authorization(
                    method: "PUT", target: "/a", bodyDigest: MD5.digest(of: "content".utf8).hexadecimal,
                    clientNonce: fields["cnonce"] ?? "")
            }
            #expect(session.requests.last?.headers["Authorization"] == expected)
        }
        #expect(session.requests.count == 3)
    }

    @Test func `the password appears in no text`() async throws {
        session.route { _ in .status(401, headers: ["WWW-Authenticate": #"Digest realm="r", nonce="n""#]) }
        let error = await #expect(throws: DataTransferError.self) {
            try await service(password: "very secret").request(Endpoint<Void>(path: "a"))
        }
        #expect(!"\(try #require(error))".contains("very secret"))
    }

    @Test func `responses are cached for the user, not for each digest`() async throws {
        let model = DigestModel(seed: 3, algorithms: ["SHA-256"], protection: "auth", password: "secret1")
        session.route { request in
            var response = model.respond(request)
            if request.headers.contains("Authorization") { response = .text("ok", headers: ["Cache-Control": "max-age=60"]) }
            return response
        }
        let store = MemoryCacheStore()
        func service(_ password: String) -> DefaultDataTransferService {
            DefaultDataTransferService(
                configuration: api, sessionManager: session,
                interceptors: [
                    .authenticationOnChallenge(user: "u", password: password, for: api), CacheInterceptor(store: store),
                ])
        }
        let reader = service("secret1")
        for _ in 0..<4 { _ = try await reader.response(for: endpoint(1)) }
        // The challenge, the first response; the second request of the same user is the first with credentials at once.
        let count = session.requests.count
        #expect(count == 2)
        _ = try await reader.response(for: endpoint(1))
        #expect(session.requests.count == count)
        _ = try await service("other12").response(for: endpoint(1))
        #expect(session.requests.count == count + 2)
    }
}
