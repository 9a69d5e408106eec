import Endpoints
import Foundation
import NetworkPipeline
import NetworkRecordings
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkCache
import NetworkCore
@testable import NetworkTransport

/// The identity of a session manager is part of the keys of the cache and of coalescing.
@Suite(.timeLimit(.minutes(10)))
struct CacheIdentityTests {
    private static let certificate = TrustMaterial.data(Data("one".utf8))

    /// One change of each property that selects a user or a peer. The others are listed below.
    private static let changes: [String: [@Sendable (inout SessionConfiguration) -> Void]] = [
        "proxy": [
            { $0.proxy = .none }, { $0.proxy = .http(host: "p", port: 1) },
            { $0.proxy = .http(host: "p", port: 1, username: "u") },
            { $0.proxy = .http(host: "p", port: 1, username: "u", password: "p1") },
            { $0.proxy = .http(host: "p", port: 1, username: "u", password: "p2") },
            { $0.proxy = .http(host: "p", port: 1, excludedHosts: ["a"]) }, { $0.proxy = .socks5(host: "p", port: 1) },
            { $0.proxy = .https(host: "p", port: 1) },
        ],
        "route": [
            { $0.route.addresses = ["a.test": ["10.0.0.1"]] }, { $0.route.addresses = ["a.test": ["10.0.0.2"]] },
            { $0.route.family = .ipv4 }, { $0.route.localAddress = .interface("eth0") },
            { $0.route.nameServer = .https(URL(filePath: "/dns")) },
        ],
        "unixSocketPath": [{ $0.unixSocketPath = "/a" }, { $0.unixSocketPath = "/b" }],
        "strictTransport": [{ $0.strictTransport = .inMemory }],
        "allowsInsecureRedirects": [{ $0.allowsInsecureRedirects = true }],
        "cookies": [{ $0.cookies = .separate }, { $0.cookies = .separate }],
        "profile": [{ $0.profile = "ada" }, { $0.profile = "bob" }],
        "trust": [
            { $0.trust.clientIdentity = ClientIdentity(certificate: certificate) },
            { $0.trust.clientIdentity = ClientIdentity(certificate: .data(Data("two".utf8))) },
            { $0.trust.clientIdentity = ClientIdentity(certificate: .file(URL(filePath: "/missing"))) },
            { $0.trust.roots = .insecureWithoutVerification }, { $0.trust.roots = .pem(certificate) },
            { $0.trust.roots = .systemAnd(pem: certificate) }, { $0.trust.pins = [] },
            { $0.trust.pins = [.publicKey(sha256: Data(count: 32))] }, { $0.trust.minimumTLSVersion = .v1_3 },
        ],
        "trustByHost": [
            { $0.trustByHost["a.test"] = TrustPolicy(clientIdentity: ClientIdentity(certificate: certificate)) },
            { $0.trustByHost["b.test"] = TrustPolicy(clientIdentity: ClientIdentity(certificate: certificate)) },
        ],
    ]

    /// Properties with which the same request receives the same response.
    private static let others: Set<String> = [
        "tlsKeyLogFile",
        "connectTimeout", "idleTimeout", "totalTimeout", "maximumBodyBytes", "maximumHeaderBytes", "maximumRedirects",
        "maximumHeaderFields", "maximumConnectionsPerHost", "maximumConnections", "maximumUpgradedConnections",
        "maximumIdleConnections",
        "idleConnectionLifetime", "maximumUsesPerConnection", "maximumDecodingRatio", "maximumStreamsPerHost", "httpVersion",
        "httpVersionByHost", "eventLoops", "completions", "userAgent",
    ]

    private static func identity(_ change: (inout SessionConfiguration) -> Void) -> SessionIdentity {
        let configuration = SessionConfiguration(change)
        return SessionIdentity(configuration, cookies: configuration.cookies.store)
    }

    @Test func `each property that selects a user or a peer changes the identity, and each property is known`() {
        let labels = Set(Mirror(reflecting: SessionConfiguration()).children.compactMap(\.label))
        #expect(
            labels.subtracting(Self.others) == Set(Self.changes.keys), "decide whether a new property selects a user or a peer")
        var texts: [String] = [Self.identity { _ in }.text]
        for change in Self.changes.values.joined() { texts.append(Self.identity(change).text) }
        #expect(Set(texts).count == texts.count && texts[0].isEmpty)
        for change in Self.changes.filter({ $0.key != "cookies" }).values.joined() {
            #expect(Self.identity(change) == Self.identity(change), "the same in all runs")
        }
        let named = Self.identity { $0.profile = "ada" }
        #expect(Self.identity { ($0.cookies, $0.profile) = (.separate, "ada") } == named)
        let probes = Self.identity {
            $0.route.keepAliveProbes = .init(idle: .seconds(1), interval: .seconds(1), maximumProbes: 1)
        }
        #expect(probes == .standard)
        #expect(SessionIdentity(named: "a") != SessionIdentity(named: "b") && SessionIdentity.unique() != .unique())
    }

    @Test func `the identity follows the contents of a file, and shows no secret`() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        var identities: Set<SessionIdentity> = []
        for text in ["canary one", "canary two"] {
            try Data(text.utf8).write(to: file)
            identities.insert(Self.identity { $0.trust.clientIdentity = ClientIdentity(certificate: .file(file)) })
        }
        identities.insert(Self.identity { $0.proxy = .http(host: "p", port: 1, username: "u", password: "canary") })
        #expect(identities.count == 3)
        for identity in identities { #expect(!"\(identity)\(identity.text)".contains("canary")) }
    }

    @Test(arguments: [false, true])
    func `session managers with different identities share nothing through the cache`(isNamed: Bool) async throws {
        let cache = CacheInterceptor(partition: isNamed ? CacheHarness.all : nil)
        let request = NetworkRequest(url: try #require(URL(string: CacheHarness.url)))
        var identities: [SessionIdentity] = Self.changes.values.joined().map { Self.identity($0) }
        identities += [.standard, .unstated, .unstated]
        let chains: [InterceptedSession] = identities.enumerated().map { index, identity -> InterceptedSession in
            let origin = StubSessionManager(identity: identity)
            origin.route { _ in
                StubResponse(headers: ["Cache-Control": "max-age=60", "ETag": "\"1\""], body: Data("\(index)".utf8))
            }
            return InterceptedSession(interceptors: [cache], session: origin)
        }
        for _ in 0..<2 {
            for (index, chain) in chains.enumerated() {
                #expect(try await chain.response(for: request).data == Data("\(index)".utf8))
            }
        }
        #expect(try await cache.remove(.partition(isNamed ? CachePartition(named: "all") : .withoutCredentials)) == chains.count)
    }

    @Test func `session managers with the same identity share responses, and a key can be made for them`() async throws {
        let identity = SessionIdentity(named: "one")
        let cache = CacheInterceptor()
        let request = NetworkRequest(url: try #require(URL(string: CacheHarness.url)))
        let origins = (0..<2).map { _ in StubSessionManager(identity: identity) }
        for origin in origins {
            origin.route { _ in StubResponse(headers: ["Cache-Control": "max-age=60"]) }
            _ = try await InterceptedSession(interceptors: [cache], session: origin).response(for: request)
        }
        #expect(origins.map(\.requests.count) == [1, 0])
        #expect(try await cache.remove(.key(cache.key(for: request))) == 0)
        #expect(try await cache.remove(.key(cache.key(for: request, sentBy: origins[1]))) == 1)
    }

    @Test func `an interceptor cannot lose or keep the identity by passing on another request`() async throws {
        struct Other: NetworkInterceptor {
            let kept = Locked<NetworkRequest?>(nil)
            func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
                let first = kept.withLock { kept in
                    defer { kept = kept ?? request }
                    return kept
                }
                return try await next(first ?? NetworkRequest(url: request.url))
            }
        }
        let (cache, other) = (CacheInterceptor(), Other())
        let request = NetworkRequest(url: try #require(URL(string: CacheHarness.url)))
        for name in ["one", "two"] {
            let origin = StubSessionManager(identity: SessionIdentity(named: name))
            origin.route { _ in StubResponse(headers: ["Cache-Control": "max-age=60"], body: Data(name.utf8)) }
            let chain = InterceptedSession(interceptors: [other, cache], session: origin)
            for _ in 0..<2 { #expect(try await chain.response(for: request).data == Data(name.utf8)) }
        }
    }

    @Test func `the identities of a session manager that wraps another one, and of those of this package`() {
        let inner = StubSessionManager(identity: SessionIdentity(named: "inner"))
        #expect(RecordingSessionManager(inner).identity == inner.identity)
        #expect(DefaultSessionManager.shared.identity == .standard)
        let cookies = DefaultSessionManager(configuration: SessionConfiguration { $0.cookies = .separate })
        #expect(cookies.identity != .standard)
        let archive = RecordingSessionManager(inner).archive
        #expect(ReplaySessionManager(archive).identity != ReplaySessionManager(archive).identity)
    }
}
