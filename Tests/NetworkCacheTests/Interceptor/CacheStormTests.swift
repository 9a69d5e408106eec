import Endpoints
import Foundation
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkCache
@testable import NetworkTransport

/// Random requests of several users, session managers, hosts and tenants, through one cache and one coalescing interceptor, to a server that does
/// its best to mix them: equal entity tags for all, `public`, 304 to everything, `Content-Location` of others. Each body states the request to
/// which it is the response, and no caller may receive that of another one.
@Suite(.timeLimit(.ofStorm))
struct CacheStormTests {
    /// What selects a response: host, user, session manager, tenant and method.
    struct Place: Hashable {
        var url: Int
        var host: String
        var user: String
        var session: String
        var tenant: String
        var method = "GET"

        var text: String { "\(url) \(host) \(user) \(session) \(tenant) \(method)" }
    }

    /// A session manager that is one identity for the server.
    private final class Peer: NetworkSessionManager {
        let name: String
        let identity: SessionIdentity
        let cookieStore: CookieStore?
        let random: SharedGenerator
        let count = Locked(0)

        init(_ name: String, _ random: SharedGenerator, _ change: (inout SessionConfiguration) -> Void) {
            let configuration = SessionConfiguration(change)
            self.name = name
            self.random = random
            cookieStore = configuration.cookies.store
            identity = SessionIdentity(configuration, cookies: cookieStore)
        }

        func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
            count.withLock { $0 += 1 }
            for _ in 0..<random.next(below: 3) { await Task.yield() }
            if random.next(below: 40) == 0 { throw TransportError(.connectionLost, "closed", request: request) }
            let place = Place(
                url: Int(request.url.lastPathComponent) ?? -1,
                host: request.headers["X-Forwarded-Host"] ?? request.headers["Host"] ?? request.url.host ?? "",
                user: request.headers["Authorization"] ?? request.headers["X-Api-Key"] ?? "nobody", session: name,
                tenant: request.headers["X-Tenant"] ?? "none", method: request.headers["X-HTTP-Method-Override"] ?? "GET")
            func pick(_ texts: String?...) -> String? { texts[random.next(below: texts.count)] }
            var headers: HeaderFields = [:]
            headers["Cache-Control"] = pick(
                "max-age=60", "public, max-age=60, immutable", "no-cache", "max-age=1, stale-while-revalidate=90",
                "max-age=1, stale-if-error=90", "no-cache=\"X-A\", max-age=9", "private", nil)
            headers["ETag"] = pick("\"1\"", "\"1\"", "W/\"1\"", nil)
            headers["Last-Modified"] = pick("Sun, 06 Nov 1994 08:49:37 GMT", nil)
            headers["Vary"] = pick("Accept-Language", "X-Tenant", "Authorization, Accept-Language", nil, nil)
            headers["Content-Location"] = pick("https://b.test/1", "/1", request.urlText, nil)
            headers["Set-Cookie"] = pick("a=\(place.user)", nil, nil)
            let isConditional = request.headers.contains("If-None-Match") || request.headers.contains("If-Modified-Since")
            let status =
                isConditional && random.next(below: 2) == 0 ? 304 : [200, 200, 200, 200, 404, 503][random.next(below: 6)]
            let body = status == 304 || request.method == .head ? "" : place.text
            return NetworkResponse(statusCode: status, headers: headers, body: .data(Data(body.utf8)), url: request.url)
        }
    }

    private struct Chain {
        var session: InterceptedSession
        var name: String
        /// Whether the partition is the name of the user.
        var isNamed: Bool
    }

    private static func chains(_ random: SharedGenerator, _ now: @escaping @Sendable () -> Date) -> (
        [Chain], CoalescingInterceptor, [Peer]
    ) {
        let store = MemoryCacheStore(limits: CacheStoreLimits(maximumBytes: 1 << 19))
        let byCredentials = CacheInterceptor(store: store, now: now)
        let byName = CacheInterceptor(
            store: store,
            partition: { CachePartition(named: $0.headers["Authorization"] ?? $0.headers["X-Api-Key"] ?? "nobody") }, now: now)
        let coalescing = CoalescingInterceptor()
        func identity(_ text: String) -> ClientIdentity { ClientIdentity(certificate: .data(Data(text.utf8))) }
        let peers: [Peer] = [
            Peer("plain", random) { _ in }, Peer("certificate 1", random) { $0.trust.clientIdentity = identity("1") },
            Peer("certificate 2", random) { $0.trust.clientIdentity = identity("2") },
            Peer("cookies 1", random) { $0.cookies = .separate }, Peer("cookies 2", random) { $0.cookies = .separate },
            Peer("proxy", random) { $0.proxy = .http(host: "p.test", port: 1, username: "u", password: "p") },
        ]
        var chains: [Chain] = []
        for peer in peers {
            for (cache, isNamed) in [(byCredentials, false), (byName, true)] {
                let session = InterceptedSession(interceptors: [cache, coalescing], session: peer)
                chains.append(Chain(session: session, name: peer.name, isNamed: isNamed))
            }
        }
        return (chains, coalescing, peers)
    }

    private static func request(_ chain: Chain, _ random: SharedGenerator) -> (NetworkRequest, Place)? {
        func pick<Value>(_ values: [Value]) -> Value { values[random.next(below: values.count)] }
        let (host, number) = (pick(["a.test", "b.test"]), random.next(below: 4))
        guard let url = URL(string: "https://\(host)/\(number)") else { return nil }
        var request = NetworkRequest(method: pick([.get, .get, .get, .get, .get, .head, .post]), url: url)
        var place = Place(url: number, host: host, user: "nobody", session: chain.name, tenant: "none")
        let user = pick(["ada", "bob", nil])
        if let user {
            place.user = user
            let name = pick(["Authorization", "X-Api-Key"])
            if random.next(below: 2) == 0 { request.setCredential(user, for: name) } else { request.headers[name] = user }
        }
        if let tenant = pick(["a.test", "c.test", nil, nil]) {
            place.host = tenant
            request.headers[pick(["Host", "X-Forwarded-Host"])] = tenant
        }
        // A name replaces the fields that are no target.
        if !chain.isNamed, let tenant = pick(["one", "two", nil, nil]) {
            place.tenant = tenant
            request.headers["X-Tenant"] = tenant
        }
        if random.next(below: 20) == 0 {
            place.method = "DELETE"
            request.headers["X-HTTP-Method-Override"] = "DELETE"
        }
        request.headers["X-Correlation-ID"] = String(random.next())
        request.headers["Accept-Language"] = pick(["de", "en", nil])
        request.headers["Cache-Control"] = pick([
            nil, nil, nil, "max-stale", "no-cache", "no-store", "max-age=5", "only-if-cached",
        ])
        return (request, place)
    }

    @Test(arguments: 0..<runs(2, slow: 10))
    func `no response to another user, host, tenant or session manager is received`(seed: Int) async throws {
        let random = SharedGenerator(UInt64(seed))
        let time = TestTime()
        let (chains, coalescing, peers) = Self.chains(random) { time.now }
        var (received, mixed) = (0, 0)
        // At most six requests at a time, of which several are alike.
        for _ in 0..<runs(400, slow: 8_000) {
            time.advance(Double(random.next(below: 4)))
            let chain = chains[random.next(below: chains.count)]
            var batch: [(Chain, NetworkRequest, Place)] = []
            for _ in 0..<2 {
                guard let (request, place) = Self.request(chain, random) else { continue }
                batch.append((chain, request, place))
                batch.append((chain, request, place))
                var other = (chains[random.next(below: chains.count)], request, place)
                other.2.session = other.0.name
                if other.0.isNamed == chain.isNamed { batch.append(other) }
            }
            let outcomes = await withTaskGroup(of: (Bool, String?).self) { group in
                for (chain, request, place) in batch {
                    group.addTask {
                        guard let response = try? await chain.session.response(for: request) else { return (false, nil) }
                        let body = String(decoding: response.data, as: UTF8.self)
                        let isOwn = body.isEmpty || body == place.text
                        return (true, isOwn ? nil : "\(place.text) received \(body): \(response.headers["Cache-Status"] ?? "")")
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            received += outcomes.count { $0.0 }
            for case let (_, failure?) in outcomes {
                mixed += 1
                if mixed < 5 { Issue.record("seed \(seed): \(failure)") }
            }
        }
        let sent = peers.reduce(0) { $0 + $1.count.withLock(\.self) }
        #expect(mixed == 0 && sent < received && coalescing.sharedCount > 0, "\(received) received, \(sent) sent")
    }
}
