import Endpoints
import Foundation
import NetworkCore
import NetworkSupport
import NetworkTesting
import NetworkURLSession
import TransferTestSupport

/// Session managers, their settings, errors and responses.
extension ExtremeCall {
    private static let url = URL(string: "https://api.test/a")!
    /// The number of configurations that were used.
    private static let configurations = Locked(0)

    /// Sends a request that fails immediately, or whose connection is refused because there is no listener on the port.
    ///
    /// `URLSessionManager` takes longest: usually, it is used with each third configuration. The numbers of settings per extreme value are not
    /// multiples of 3, except for those of proxies, so that each setting is among them.
    private static func send(_ change: (inout SessionConfiguration) -> Void) async {
        var configuration = SessionConfiguration()
        change(&configuration)
        describe(configuration)
        var sessions: [any NetworkSessionManager] = [DefaultSessionManager(configuration: configuration)]
        let number = configurations.withLock { count in
            count += 1
            return count
        }
        if isSlowRun || number % 3 == 0 { sessions.append(URLSessionManager(configuration: configuration)) }
        for session in sessions {
            var request = NetworkRequest(url: URL(string: "http://127.0.0.1:1/")!)
            request.timeouts.total = .milliseconds(50)
            do {
                describe(try await session.response(for: request))
            } catch {
                describe(error)
            }
        }
    }

    static let core: [ExtremeCall] = [
        // Stored properties, which have no declaration in the table.
        ExtremeCall {
            for limit in Extreme.durations {
                await send { $0.connectTimeout = limit }
                await send { $0.idleTimeout = limit }
                await send { $0.totalTimeout = limit }
                await send { $0.idleConnectionLifetime = limit }
            }
        },
        ExtremeCall {
            let numbers: [any WritableKeyPath<SessionConfiguration, Int> & Sendable] = [
                \.maximumBodyBytes, \.maximumHeaderBytes, \.maximumHeaderFields, \.maximumRedirects, \.maximumConnectionsPerHost,
                \.maximumConnections,
                \.maximumIdleConnections, \.maximumUpgradedConnections, \.maximumDecodingRatio, \.maximumStreamsPerHost,
                \.eventLoops,
            ]
            for number in Extreme.integers {
                for path in numbers { await send { $0[keyPath: path] = number } }
                await send { $0.maximumUsesPerConnection = number }
            }
        },
        ExtremeCall("SessionIdentity.init(named:)") {
            for text in Extreme.texts { describe(SessionIdentity(named: text)) }
        },
        ExtremeCall {
            for text in Extreme.texts {
                await send { $0.unixSocketPath = text }
                await send { $0.userAgent = text }
                await send { $0.trustByHost = [text: TrustPolicy()] }
                await send { $0.httpVersionByHost = [text: .http1] }
                await send { $0.httpVersion = HTTPVersionChoice(rawValue: text) }
            }
        },
        ExtremeCall(
            "RouteOptions.NameServer.https(_:addresses:trust:)", "RouteOptions.LocalAddress.address(_:)",
            "RouteOptions.LocalAddress.interface(_:)",
            "RouteOptions.KeepAliveProbes.init(idle:interval:maximumProbes:)"
        ) {
            for text in Extreme.texts {
                await send { $0.route.addresses = [text: [text]] }
                await send { $0.route.addresses = ["a.example": [text]] }
                await send { $0.route.localAddress = .address(text) }
                await send { $0.route.localAddress = .interface(text) }
            }
            for limit in Extreme.durations {
                await send { $0.route.nameLifetime = limit }
                await send { $0.route.keepAliveProbes = .init(idle: limit) }
                await send { $0.route.keepAliveProbes = .init(interval: limit) }
            }
            for number in Extreme.integers { await send { $0.route.keepAliveProbes = .init(maximumProbes: number) } }
            for url in Extreme.urls {
                await send { $0.route.nameServer = .https(url, addresses: [url.absoluteString]) }
                await send { $0.tlsKeyLogFile = url }
                await send { $0.strictTransport = .file(url) }
            }
        },
        ExtremeCall(
            "ProxyConfiguration.http(host:port:username:password:excludedHosts:)",
            "ProxyConfiguration.https(host:port:username:password:excludedHosts:)",
            "ProxyConfiguration.socks5(host:port:username:password:resolvesNamesThere:excludedHosts:)"
        ) {
            for port in Extreme.integers {
                for proxy in [
                    ProxyConfiguration.http(host: "127.0.0.1", port: port), .https(host: "127.0.0.1", port: port),
                    .socks5(host: "127.0.0.1", port: port),
                ] {
                    describe(proxy)
                    if port != 65_536 { await send { $0.proxy = proxy } }
                }
            }
            for text in Extreme.shortTexts {
                for proxy in [
                    ProxyConfiguration.http(host: text, port: 1), .https(host: text, port: 1),
                    .http(host: "127.0.0.1", port: 1, username: text, password: text),
                    .socks5(host: "127.0.0.1", port: 1, username: text, password: text),
                    .socks5(host: "127.0.0.1", port: 1, excludedHosts: [text]),
                ] {
                    describe(proxy)
                    await send { $0.proxy = proxy }
                }
            }
        },
        ExtremeCall {
            let session = DefaultSessionManager()
            for url in Extreme.urls {
                var request = NetworkRequest(url: url)
                request.timeouts.total = .milliseconds(50)
                do { describe(try await session.response(for: request)) } catch { describe(error) }
            }
        },
        ExtremeCall("NetworkResponse.init(statusCode:headers:trailers:body:url:timings:)") {
            for status in Extreme.integers {
                let response = NetworkResponse(statusCode: status, url: url)
                describe(response)
                describe(NetworkError.status(response))
            }
        },
        ExtremeCall(
            "TLSFailure.init(rawValue:)", "TransportError.Code.init(rawValue:)", "HTTPVersionChoice.init(rawValue:)",
            "TransportError.init(_:_:phase:request:engineCode:underlying:tlsFailure:)"
        ) {
            for text in Extreme.texts {
                let code = TransportError.Code(rawValue: text)
                describe(HTTPVersionChoice(rawValue: text))
                describe(TransportError(code, text, tlsFailure: TLSFailure(rawValue: text)))
            }
            for number in Extreme.integers { describe(TransportError(.other, "x", engineCode: number)) }
        },
        ExtremeCall("Deadline.init(after:clock:source:endsWithHead:)") {
            for limit in Extreme.durations {
                for deadline in [
                    Deadline(after: limit, clock: ContinuousClock()), Deadline(after: limit, clock: SuspendingClock()),
                    Deadline(after: limit, clock: ManualClock(), source: Extreme.longTexts[0], endsWithHead: true),
                ] { _ = (deadline.remaining, deadline.hasPassed, "\(deadline.remaining)") }
            }
        },
        ExtremeCall(
            "StoredCookie.init(name:value:domain:isHostOnly:path:isSecure:isHTTPOnly:sameSite:expires:)",
            "CookieStoreError.Code.init(rawValue:)",
            "CookieLimits.init(maximumCookiesPerDomain:maximumCookies:maximumFieldsPerResponse:maximumFieldBytes:maximumFileBytes:)"
        ) {
            for number in Extreme.integers {
                let limits = CookieLimits(
                    maximumCookiesPerDomain: number, maximumCookies: number, maximumFieldsPerResponse: number,
                    maximumFieldBytes: number, maximumFileBytes: number)
                let store = CookieStore(limits: limits)
                for name in ["a", "b"] { try store.set(StoredCookie(name: name, value: "1", domain: "127.0.0.1")) }
                describe(store.cookies(for: url))
                await send { $0.cookies = .stored(in: store) }
                let file = FileManager.default.temporaryDirectory.appendingPathComponent("extremes-\(UUID().uuidString)")
                defer { try? FileManager.default.removeItem(at: file) }
                try store.save(to: file, includesSessionCookies: true)
                try? store.load(from: file)
            }
            let store = CookieStore()
            for text in Extreme.texts {
                describe(CookieStoreError.Code(rawValue: text))
                for cookie in [
                    StoredCookie(name: text, value: text, domain: text, path: text),
                    StoredCookie(name: text, value: "", domain: "a.test"),
                    StoredCookie(name: "a", value: text, domain: "a.test"), StoredCookie(name: "a", value: "", domain: text),
                    StoredCookie(name: "a", value: "", domain: "a.test", path: text),
                ] {
                    describe(cookie)
                    do { try store.set(cookie) } catch { describe(error) }
                    store.remove(cookie)
                }
            }
            for date in Extreme.dates { try? store.set(StoredCookie(name: "a", value: "", domain: "a.test", expires: date)) }
            for url in Extreme.urls { describe(store.cookies(for: url)) }
        },
        ExtremeCall(
            "TransferTimings.init(queued:nameLookup:connect:proxy:tls:send:firstByte:total:redirects:bytesSent:bytesReceived:protocolName:isReusedConnection:attempt:serverAddress:)",
            "NetworkResponse.ServerAddress.init(address:port:)"
        ) {
            for (number, time) in Extreme.pairs(Extreme.integers, Extreme.durations, usual: (1, .seconds(1))) {
                let timings = TransferTimings(
                    queued: time, nameLookup: time, connect: time, proxy: time, tls: time, send: time,
                    firstByte: time, total: time, redirects: number,
                    bytesSent: Int64(number), bytesReceived: Int64(number), protocolName: "\0", attempt: number,
                    serverAddress: NetworkResponse.ServerAddress(address: "\0", port: number))
                describe(timings)
                describe(NetworkResponse(statusCode: 200, url: url, timings: timings))
            }
        },
        ExtremeCall("SocketSessionManager.close(grace:)", "URLSessionManager.close(grace:)", "StubSessionManager.close(grace:)") {
            for grace in Extreme.durations {
                describe(await DefaultSessionManager().close(grace: grace))
                describe(await URLSessionManager().close(grace: grace))
                describe(await StubSessionManager().close(grace: grace))
            }
        },
        ExtremeCall(
            "ClosingReport.init(completed:cancelled:cancelledCount:)",
            "ConnectionCounts.init(idle:active:connecting:waiting:streams:multiplexed:upgraded:)",
            "SocketSessionManager.connectionEvents(maximumBuffered:)"
        ) {
            for number in Extreme.integers {
                describe(ClosingReport(completed: number, cancelledCount: number))
                let counts = ConnectionCounts(
                    idle: number, active: number, connecting: number, waiting: number, streams: number, multiplexed: number,
                    upgraded: number)
                describe(PoolCounts(byOrigin: ["a": counts, "b": counts]).total.open)
                #if os(Linux)
                    let session = SocketSessionManager()
                    let events = session.connectionEvents(maximumBuffered: number)
                    _ = await session.close(grace: .zero)
                    for await event in events { describe(event) }
                #endif
            }
        },
        ExtremeCall(
            "ConnectionEvent.init(_:origin:reason:missed:)", "ConnectionEvent.Kind.init(rawValue:)",
            "ConnectionEvent.Reason.init(rawValue:)"
        ) {
            for (text, number) in zip(Extreme.texts, Extreme.integers) {
                describe(
                    ConnectionEvent(
                        ConnectionEvent.Kind(rawValue: text), origin: text, reason: ConnectionEvent.Reason(rawValue: text),
                        missed: number))
            }
        },
        ExtremeCall(
            "NetworkBody.collected(maximumBytes:)", "NetworkResponse.collected(maximumBytes:)"
        ) {
            for number in Extreme.integers {
                let data = Data("abc".utf8)
                _ = try? await NetworkBody.data(data).collected(maximumBytes: number)
                let response = NetworkResponse(statusCode: number, body: .data(data), url: url)
                describe(response)
                _ = try? await response.collected(maximumBytes: number)
                let chunks = AsyncStream<Data> {
                    $0.yield(data)
                    $0.finish()
                }
                _ = try? await NetworkBody.stream(chunks).collected(maximumBytes: number)
            }
        },
        ExtremeCall(
            "ClientIdentity.init(certificate:key:passphrase:)", "ClientIdentity.init(pkcs12:passphrase:)",
            "TrustMaterial.file(bundle:name:)", "TrustPin.publicKey(sha256:)", "TLSVersion.init(rawValue:)"
        ) {
            for text in Extreme.shortTexts {
                let material = TrustMaterial.file(bundle: .main, name: text)
                var policy = TrustPolicy(roots: .pem(material))
                policy.pins = [.publicKey(sha256: text), .certificate(material)]
                policy.clientIdentity = ClientIdentity(certificate: material, key: material, passphrase: text)
                describe(policy)
                describe(ClientIdentity(certificate: .data(Data(text.utf8)), passphrase: text))
                policy.clientIdentity = ClientIdentity(pkcs12: material, passphrase: text)
                describe(policy)
                let changed = policy
                await send { $0.trust = changed }
            }
            for version in [0, 1, 0x0304, .max] as [UInt16] {
                await send { $0.trust.minimumTLSVersion = TLSVersion(rawValue: version) }
            }
        },
    ]
}
