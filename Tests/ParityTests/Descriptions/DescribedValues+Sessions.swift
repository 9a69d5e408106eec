import DataTransfer
import Foundation
import NetworkCache
import NetworkRecordings
import NetworkTesting
import NetworkURLSession
import NetworkWebSocket
import Testing

import NetworkCore
@testable import NetworkEngine
@_spi(SessionManagers) @testable import NetworkTransport

extension DescribedValues {
    static func core(_ m: Marks, in folder: URL) throws -> [Any] {
        let material = TrustMaterial.data(m.data)
        let cookie = StoredCookie(name: "sid", value: m.secret, domain: "api.test")
        let cookies = CookieStore()
        try cookies.set(cookie)
        var trust = TrustPolicy(roots: .pem(material), pins: [.certificate(material)])
        trust.clientIdentity = ClientIdentity(certificate: material, passphrase: m.secret)
        let proxy = ProxyConfiguration.http(host: "p.test", port: 1, username: m.secret, password: m.secret)
        let configuration = SessionConfiguration {
            $0.proxy = proxy
            $0.cookies = .stored(in: cookies)
            $0.trustByHost = ["api.test": trust]
            $0.route.nameServer = .https(m.url)
        }
        let plain = SessionConfiguration {
            $0.proxy = proxy
            $0.cookies = .stored(in: cookies)
        }
        let identity = TrustRequirements.Identity(
            certificates: Array(m.data), key: Array(m.data), container: Array(m.data), passphrase: m.secret)
        let rules = try CallRules(plain)
        let driver = try rules.driver(for: m.request)
        let monitor = ProgressMonitor()
        monitor.transferDidProgress(TransferProgress())
        let service = DefaultNetworkService(
            configuration: m.api, sessionManager: m.session, interceptors: [Unredacted(url: m.url, password: m.secret)])
        let timings = TransferTimings(protocolName: m.name, serverAddress: .init(address: m.name, port: 1))
        let exchange = NetworkExchange { (_: NetworkRequest) async throws(TransportError) in m.response }
        let values: [Any] = [
            exchange,
            TaskCancellable {
            } completion: { (_: Result<Void, Never>) in
            }, RetryAttempt(of: m.request, number: 1, outcome: .failure(m.error)), BackgroundThreads.completions,
            ClientIdentity(certificate: material, key: material, passphrase: m.secret),
            ClosingReport(cancelled: [m.error]),
            ConnectionEvent(.init(rawValue: m.name), origin: m.name, reason: .init(rawValue: m.name)),
            ConnectionEvent.Kind(rawValue: m.name), ConnectionEvent.Reason(rawValue: m.name), cookies,
            CookieStoreError.Code(rawValue: m.name),
            SocketSessionManager(configuration: plain), Deadline(after: .seconds(1), clock: ContinuousClock(), source: m.name),
            service,
            FoundationProgress(), HTTPVersionChoice(rawValue: m.name), NetworkBody.data(m.data).makeAsyncIterator(),
            m.response, NetworkResponse.ServerAddress(address: m.name, port: 1),
            PoolCounts(byOrigin: [m.name: ConnectionCounts()]), monitor,
            proxy, configuration, configuration.route, RouteOptions.LocalAddress.interface(m.name),
            RouteOptions.NameServer.https(m.url),
            driver, configuration.cookies, rules, SessionIdentity(named: m.text), cookie,
            StreamEnd(trailers: m.headers), StrictTransport.file(m.file),
            TLSFailure(rawValue: m.name), timings, TransportError.Code(rawValue: m.name), material,
            TrustPin.publicKey(sha256: Data(repeating: 1, count: 32)), trust,
            try TrustRequirements(TrustPolicy()), identity,
            TrustRequirements.Roots.certificates([Array("public".utf8)], andSystem: false),
            trust.roots, URLSessionManager(configuration: plain),
        ]
        let fields = [LoggedField(name: "Authorization", value: m.secret), LoggedField(name: "X-Note", value: m.text)]
        let logged = LoggedRequest(url: m.url, headers: fields, body: .data(m.data), endpointName: m.text)
        return values + [
            ConsoleLogger { _ in }, CurlCommand(logged), LoggedBody.data(m.data), fields[0], fields[1],
            LoggedOutcome(error: m.error),
            LoggedOutcome.Source(rawValue: m.name), LoggedPhase(name: m.name, duration: .zero), logged,
            LoggedResponse(statusCode: 200, url: m.url, headers: fields, body: m.data, protocolName: m.name),
            Redaction(extraFieldNames: [m.name]),
        ] as [Any]
    }

    static func cache(_ m: Marks, in folder: URL) async throws -> [Any] {
        let partition = CachePartition(credentialsOf: m.request)
        let named = CachePartition(named: m.text)
        let key = CacheKey(url: m.url, partition: partition)
        let entry = CacheEntry(
            StoredResponse(
                key: key, varying: [.init(name: "Cookie", value: m.secret)], headers: m.headers, body: m.data, url: m.url,
                requestTime: Date(), responseTime: Date()))
        let memory = MemoryCacheStore()
        memory.save(entry)
        let values = ValueCache()
        try await values.set(m.secret, for: m.text, lifetime: .seconds(60))
        return [
            entry, CacheOptions(ignoredFields: [m.name]), CacheInterceptor(store: memory), key, partition, named,
            CacheRemoval(rawValue: m.name),
            CacheSelection.key(key),
            CacheSelection.url(m.url), CacheSelection.partition(partition), CacheStoreError.Code(rawValue: m.name),
            try DiskCacheStore(directory: folder.appendingPathComponent("cache")), memory, values, values.partition(m.secret),
        ]
    }

    static func testing(_ m: Marks, in folder: URL) async throws -> [Any] {
        let logger = InMemoryLogger()
        logger.log(request: m.request.logged)
        logger.log(error: m.error)
        let recording = RecordingSessionManager(m.session)
        _ = try await recording.response(for: m.request)
        _ = try await m.session.response(for: m.request)
        let body = HTTPArchive.Body(m.data)
        let archive = HTTPArchive(entries: [
            .init(
                request: .init(url: m.url.absoluteString, headers: m.headers, body: body),
                response: .init(statusCode: 200, headers: m.headers, body: body, finalURL: m.url.absoluteString))
        ])
        let file = folder.appendingPathComponent("a.har")
        try archive.write(to: file)
        let response = LoopbackResponse(headers: m.headers, body: m.data)
        let server = try LoopbackServer { LoopbackRoute(.get, "/\(m.name)", inOrder: response) }
        let request = LoopbackRequest(method: .get, target: "/\(m.text)?token=\(m.secret)", headers: m.headers, body: m.data)
        let session = m.session
        _ = try await session.response(for: m.request)
        let stubs = StubDataTransferService(fixtures: StubFixtures(folder: m.file))
        _ = try? await stubs.response(for: m.endpoint)
        let recorder = WebSocketRecorder()
        let entry = WebSocketRecording.Entry(.server, .text(m.secret))
        let closing = WebSocketRecording.Entry(.server, closing: .normal, reason: m.secret)
        let recorded = try RecordedSession(file.path, live: m.session, environment: ["TOKEN": m.secret])
        return [
            archive, logger, LoopbackFault.badChunkSize(m.name), request, response,
            LoopbackRoute(.get, m.name, inOrder: response), server,
            LoopbackWebSocketFault.header(m.name, for: m.name), LoopbackWebSocketFault.raw(Data()), ManualClock(), recorded,
            recording,
            ReplayOptions(ignoredQueryItems: [m.name]), ReplaySessionManager(archive, fallback: m.session), stubs,
            StubFixtures(folder: m.file), m.stub, session, recorder, WebSocketRecording(subprotocol: m.text, entries: [entry]),
            entry, closing,
        ]
    }

    static func webSockets(_ m: Marks) async throws -> [Any] {
        @Sendable func open() async throws -> WebSocket {
            let session = StubSessionManager()
            session.enqueueWebSocket { socket in
                for index in 0..<4 { try await socket.send(.text("\(index) \(m.secret)")) }
                while try await socket.receive() != nil {}
            }
            return try await session.webSocket(
                for: URL(string: "ws://me:\(m.secret)@api.test/\(m.text)?token=\(m.secret)")!, headers: m.headers)
        }
        let stub = StubSessionManager()
        stub.enqueueWebSocket { socket in while try await socket.receive() != nil {} }
        let upgraded = try await stub.stream(
            for: NetworkRequest(
                url: m.url,
                headers: [
                    "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
                    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
                ])
        ).upgradedConnection
        let (socket, streamed) = (try await open(), try await open())
        _ = try await socket.receive()
        var streams = streamed.streams.makeAsyncIterator()
        let stream = try await streams.next()!
        let decoder = WebSocketDecoder<String> { "\($0)" }
        let live = ReconnectingWebSocket { try await open() }
        _ = try await live.receive()
        let closed = try await open()
        await closed.close(reason: m.secret)
        return [
            try #require(upgraded), live, socket, closed, WebSocketDecoder<String> { "\($0)" },
            WebSocketError.Code(rawValue: m.name),
            WebSocketMessage.text(m.secret), WebSocketMessage.binary(m.data), socket.messages,
            socket.messages.makeAsyncIterator(),
            WebSocketOptions { $0.subprotocols = [m.secret] }, WebSocketReconnection(), stream, stream.makeAsyncIterator(),
            streamed.streams, streams, socket.messages(as: decoder), socket.messages(as: decoder).makeAsyncIterator(),
        ]
    }
}
