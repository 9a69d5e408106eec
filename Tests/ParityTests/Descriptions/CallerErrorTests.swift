import DataTransfer
import Foundation
import NetworkAuthorization
import NetworkCache
import NetworkPipeline
import NetworkTesting
import NetworkWebSocket
import Testing
import TransferTestSupport

/// What code of the application throws is in the text of the error that its caller receives, redacted and cut, and is the underlying error.
@Suite(.timeLimit(.minutes(10))) struct CallerErrorTests {
    static let words = "row 3 has 4 columns"
    static let secret = "hunter22"
    static let sentence = "\(words), password=\(secret)"

    private struct Described: Error, CustomStringConvertible { var description = CallerErrorTests.sentence }
    private struct Localized: LocalizedError { var errorDescription: String? = CallerErrorTests.sentence }
    private struct Plain: Error {
        var text = CallerErrorTests.words
        var password = CallerErrorTests.secret
    }
    private enum Choice: Error { case wrong(String) }

    static let errors: [any Error] = [
        Described(), Localized(), Plain(), Choice.wrong("\(words); password: \(secret)"),
        Described(description: words + String(repeating: " x", count: 100_000)),
        DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: sentence)),
        EncodingError.invalidValue(0, .init(codingPath: [], debugDescription: sentence)),
    ]

    /// Declarations whose errors are thrown as they are, without a text of this package.
    static let unchanged: Set<String> = [
        "CookieStore.removeAll(where:)", "FileCredentialStore.withLock(timeout:_:)",
        "InMemoryCredentialStore.withLock(timeout:_:)", "TaskCancellable.init(on:_:onElement:completion:)",
    ]

    @Test func `each entry that calls code of the application shows what it throws`() async throws {
        for error in Self.errors {
            let rows = try Entries(error: error).all
            for (name, failing) in rows {
                guard let shown = await failing() else {
                    Issue.record("\(name): did not fail")
                    continue
                }
                let text = "\(shown)"
                #expect(
                    text.contains(Self.words) && !text.contains(Self.secret) && text.utf8.count < 4000,
                    "\(name): \(text.prefix(600))")
                let isKept = sequence(first: shown, next: { Self.cause(of: $0) }).contains { type(of: $0) == type(of: error) }
                #expect(isKept || shown is Entries.Shown, "\(name): \(shown)")
            }
        }
    }

    @Test func `each public declaration that calls code which throws is among these entries`() throws {
        let rows = Set(try Entries(error: Described()).all.map(\.name))
        let found = try PublicTypes.all.get().callingThrowingCode
        #expect(found.subtracting(rows).subtracting(Self.unchanged).sorted() == [], "add these to Entries")
        #expect(found.count > 25)
    }

    private static func cause(of error: any Error) -> (any Error)? {
        switch error {
        case DataTransferError.parsing(let failure): failure.underlying
        case DataTransferError.resolvedNetworkFailure(let resolved, _): resolved
        case let error as DataTransferError: error.networkError
        case NetworkError.requestGeneration(let cause): cause
        case let error as NetworkError: error.transportError
        case let error as TransportError: error.underlying
        case let error as RequestGenerationError: error.underlying
        case let error as OAuthError: error.underlying
        case let error as WebSocketError: error.underlying
        case let error as CacheStoreError: error.underlying
        default: nil
        }
    }
}

/// Calls whose code throws an error, by the names of the declarations that get the code.
private struct Entries {
    /// A text that is not part of an error, such as that of a close frame.
    struct Shown: Error, CustomStringConvertible { var description: String }

    typealias Failing = () async -> (any Error)?
    typealias Row = (name: String, failing: Failing)

    /// Thrown by the models.
    @TaskLocal static var thrown: any Error = CancellationError()

    struct Model: Codable, Sendable {
        init() {}
        init(from decoder: any Decoder) throws { throw Entries.thrown }
        func encode(to encoder: any Encoder) throws { throw Entries.thrown }
    }

    struct FailingDecoder: ResponseDecoder, JSONDataDecoder, DataEncoder, DataTransferErrorResolver, CredentialStore {
        var error: any Error
        func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData) throws -> Value { throw error }
        func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value { throw error }
        func encode<Value: Encodable>(_ value: Value) throws -> Data { throw error }
        func resolve(error _: NetworkError) -> any Error & Sendable { error }
        func load() -> CredentialRecord? { nil }
        func save(_ record: CredentialRecord?) {}
        func withLock<Value: Sendable>(timeout: Duration, _ body: @Sendable () async throws -> Value) async throws -> Value {
            throw error
        }
    }

    struct FailingEndpoint: ResponseRequestable {
        typealias Response = Int
        var error: any Error
        var request: RequestDescription { Endpoint<Void>(path: "x").request }
        func response(from body: ResponseData) throws -> Int { throw error }
    }

    let error: any Error
    let failing: FailingDecoder
    let api: APIConfiguration
    let server: LoopbackServer
    let url = URL(string: "https://api.test/")!

    init(error: any Error) throws {
        self.error = error
        failing = FailingDecoder(error: error)
        api = try APIConfiguration("https://api.test")
        server = try LoopbackServer {
            LoopbackRoute(.post, "/sent") { _ in .text("") }
            LoopbackRoute(.get, "/throws") { _ in throw error }
            LoopbackRoute(.get, "/throws/later") { _ in
                await Task.yield()
                throw error
            }
            LoopbackRoute.webSocket("/live") { _, _ in throw error }
        }
    }

    /// Requests an endpoint of a stub, or of the server.
    private func request<Value>(
        _ endpoint: Endpoint<Value>, status: Int = 200, on server: LoopbackServer? = nil,
        _ interceptor: (any NetworkInterceptor)? = nil,
        resolver: (any DataTransferErrorResolver)? = nil
    ) async -> (any Error)? {
        let session = StubSessionManager()
        session.route { _ in .json("[1]", status: status) }
        do {
            let configuration = server.map { APIConfiguration(baseURL: $0.url) } ?? api
            let service = DefaultDataTransferService(
                configuration: configuration, sessionManager: server == nil ? session : DefaultSessionManager.shared,
                interceptors: interceptor.map { [$0] } ?? [], errorResolver: resolver)
            _ = try await Self.$thrown.withValue(error) { try await service.request(endpoint) }
            return nil
        } catch {
            return error
        }
    }

    private func requested(_ interceptor: any NetworkInterceptor) async -> (any Error)? {
        await request(Endpoint<Void>(path: "x"), interceptor)
    }

    private func sent(_ body: EndpointBody) async -> (any Error)? {
        await request(Endpoint<Void>(path: "sent", method: .post, body: body), on: server)
    }

    private func thrown(_ work: () async throws -> Void) async -> (any Error)? {
        do {
            try await Self.$thrown.withValue(self.error) { try await work() }
            return nil
        } catch {
            return error
        }
    }

    private func reply(_ path: String, of server: LoopbackServer) async -> (any Error)? {
        let response = try? await DefaultSessionManager.shared.response(for: NetworkRequest(url: server.url(path)))
        return Shown(description: String(decoding: response?.data ?? Data(), as: UTF8.self))
    }

    private func closing(_ socket: WebSocket) async -> any Error {
        _ = try? await socket.receive()
        return Shown(description: socket.closeStatus?.reason ?? "not closed")
    }

    private var chunks: AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { $0.finish(throwing: error) }
    }

    private var echo: StubSessionManager {
        let session = StubSessionManager()
        session.enqueueWebSocket { socket in
            try await socket.send(.text("[1]"))
            for try await message in socket.messages { try await socket.send(message) }
        }
        return session
    }

    private let live = URL(string: "ws://api.test/live")!

    var all: [Row] {
        get throws {
            var rows: [Row] = []
            func add(_ name: String, _ failing: @escaping Failing) { rows.append((name, failing)) }
            addDecoding(add)
            addEncoding(add)
            addBodies(add)
            addCredentials(add)
            addSockets(add)
            try addServers(add)
            return rows
        }
    }

    private func addDecoding(_ add: (String, @escaping Failing) -> Void) {
        let error = error
        let failing = failing
        let service = { () -> DefaultDataTransferService in
            let session = StubSessionManager()
            session.route { _ in .json("[1]") }
            return DefaultDataTransferService(configuration: api, sessionManager: session)
        }
        add(
            "Endpoint.init(path:isFullPath:method:pathParameters:headerParameters:queryParameters:queryStyle:body:timeouts:acceptedStatuses:response:)"
        ) { await request(Endpoint<Int>(path: "x", response: { _ in throw error })) }
        add("ResponseDecoder.decode(_:from:)") { await request(Endpoint<Int>(path: "x", responseDecoder: failing)) }
        add("JSONDataDecoder.decode(_:from:)") { await request(Endpoint<Int>(path: "x", responseDecoder: .json(failing))) }
        add("init(from:)") { await request(Endpoint<Model>(path: "x")) }
        add("init(from:) of JSONDecoder") { await request(Endpoint<Model>(path: "x", responseDecoder: .json(JSONDecoder()))) }
        add("init(from:) under a key path") { await request(Endpoint<Model>(path: "x", responseDecoder: .keyPath("/0"))) }
        add("init(from:) of an element") {
            await thrown {
                let stream = try await service().stream(Endpoint<Void>(path: "x"), as: .elements(of: Model.self))
                for try await _ in stream {}
            }
        }
        add("ResponseRequestable.response(from:)") {
            await thrown { _ = try await service().request(FailingEndpoint(error: error)) }
        }
        add("DataTransferErrorResolver.resolve(error:)") {
            await request(Endpoint<Void>(path: "x"), status: 500, resolver: failing)
        }
    }

    private func addEncoding(_ add: (String, @escaping Failing) -> Void) {
        let error = error
        let failing = failing
        func query(_ parameters: ParameterList, _ style: QueryStyle = QueryStyle()) async -> (any Error)? {
            await request(Endpoint<Void>(path: "x", queryParameters: parameters, queryStyle: style))
        }
        add("DataEncoder.encode(_:)") { await sent(.json(1, encoder: failing)) }
        add("EndpointBody.init(contentType:encode:)") { await sent(EndpointBody(contentType: nil, encode: { throw error })) }
        add("encode(to:)") { await sent(.json(Model())) }
        add("encode(to:) of JSONEncoder") { await sent(.json(Model(), encoder: JSONEncoder())) }
        add("encode(to:) of a form") { await sent(.form(["x": Model()])) }
        add("encode(to:) of a query") { await query(["x": Model()]) }
        add("QueryStyle.Dates.custom(_:)") { await query(["x": Date()], QueryStyle(dates: .custom { _ in throw error })) }
        add("QueryStyle.Bytes.custom(_:)") { await query(["x": Data([1])], QueryStyle(bytes: .custom { _ in throw error })) }
        add("encode(to:) of a cached value") {
            await thrown { try await ValueCache().set(Model(), for: "x", lifetime: .seconds(60)) }
        }
    }

    private func addBodies(_ add: (String, @escaping Failing) -> Void) {
        let error = error
        func sent(_ body: NetworkBody) async -> (any Error)? {
            await thrown {
                let request = NetworkRequest(method: .post, url: server.url("/sent"), body: body)
                _ = try await DefaultSessionManager.shared.response(for: request)
            }
        }
        add("NetworkBody.stream(length:makeChunks:)") {
            await sent(.stream { () throws -> AsyncThrowingStream<Data, any Error> in throw error })
        }
        add("NetworkBody.stream(_:length:)") { await sent(.stream(chunks)) }
        add("NetworkBody.withTrailers(_:fields:)") { await sent(.data(Data("x".utf8)).withTrailers { throw error }) }
        add("EndpointBody.stream(_:length:contentType:)") { await self.sent(.stream(chunks)) }
        add("EndpointBody.withTrailers(_:fields:)") { await self.sent(.text("x").withTrailers { throw error }) }
    }

    private func addCredentials(_ add: (String, @escaping Failing) -> Void) {
        let error = error
        add("CredentialInterceptor.init(origins:credential:)") {
            await requested(CredentialInterceptor(origins: [url], credential: { _ in throw error }))
        }
        add("HeaderInterceptor.init(origins:headers:)") {
            await requested(HeaderInterceptor(origins: [url], headers: { _ in throw error }))
        }
        add("NetworkInterceptor.headers(for:_:)") { await requested(HeaderInterceptor.headers(for: api) { _ in throw error }) }
        add("RefreshingCredentials.init(initial:timeout:clock:now:refresh:)") {
            let credentials = RefreshingCredentials(refresh: { _ in throw error })
            return await requested(CredentialInterceptor(credentials, origins: [url]))
        }
        add("Credential.init(expires:token:refreshToken:user:password:header:authorize:)") {
            let credential = Credential(authorize: { _ in throw error })
            return await requested(CredentialInterceptor(credential, origins: [url]))
        }
        add("AWSSignature.init(region:service:payload:now:credentials:)") {
            let signature = AWSSignature(region: "r", service: "s", credentials: { throw error })
            return await requested(SigningInterceptor(signature, origins: [url]))
        }
        add("CredentialStore.withLock(timeout:_:)") {
            await thrown { try await failing.signIn(with: OAuthTokens(accessToken: "a")) }
        }
    }

    private func addSockets(_ add: (String, @escaping Failing) -> Void) {
        let error = error
        func opened(_ session: some NetworkSessionManager) async throws -> WebSocket { try await session.webSocket(for: live) }
        add("WebSocketDecoder.init(_:)") {
            await thrown {
                let decoder = WebSocketDecoder<Int> { _ in throw error }
                for try await _ in try await opened(echo).messages(as: decoder) {}
            }
        }
        add("ReconnectingWebSocket.Open") {
            await thrown { _ = try await ReconnectingWebSocket(open: { throw error }).receive() }
        }
        add("ReconnectingWebSocket.OnOpen") {
            let session = echo
            let live = live
            return await thrown {
                let socket = ReconnectingWebSocket(open: { try await session.webSocket(for: live) }, onOpen: { _ in throw error })
                _ = try await socket.receive()
            }
        }
        add("WebSocket.send(_:as:)") { await thrown { try await opened(echo).send(chunks, as: .binary) } }
        add("encode(to:) of a message") { await thrown { try await opened(echo).send(json: Model()) } }
        add("StubSessionManager.enqueueWebSocket(for:subprotocols:compression:options:handler:)") {
            let session = StubSessionManager()
            session.enqueueWebSocket { _ in throw error }
            guard let socket = try? await opened(session) else { return nil }
            return await closing(socket)
        }
        add("LoopbackRoute.webSocket(_:subprotocols:compression:options:faults:handler:)") {
            guard let socket = try? await DefaultSessionManager.shared.webSocket(for: server.url("/live")) else { return nil }
            return await closing(socket)
        }
    }

    private func addServers(_ add: (String, @escaping Failing) -> Void) throws {
        let error = error
        let immediate = try LoopbackServer(handler: { (_: LoopbackRequest) throws -> LoopbackResponse in throw error })
        add("LoopbackRoute.init(_:_:handler:)") { await reply("/throws", of: server) }
        add("LoopbackRoute.init(_:_:handler:) async") { await reply("/throws/later", of: server) }
        add("LoopbackServer.init(port:configuration:handler:)") { await reply("/", of: immediate) }
    }
}
