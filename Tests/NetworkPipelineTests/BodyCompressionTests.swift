#if os(Linux)
    import DataTransfer
    import Foundation
    import NetworkCore
    import NetworkSupport
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @testable import NetworkPipeline

    /// Which request bodies are compressed (RFC 9110 §8.4), and what happens if a server refuses them (RFC 7694 §3).
    @Suite(.timeLimit(.minutes(10))) struct BodyCompressionTests {
        private static let session = DefaultSessionManager()
        static let text = Data(String(repeating: "{\"name\": \"value\"}, ", count: 40_000).utf8)

        /// A server that returns the body with its coding, so that the client decodes what it has sent.
        private static func echo(refusing status: Int? = nil, accepting codings: String? = nil) throws -> LoopbackServer {
            try LoopbackServer { request in
                guard let coding = request.headers["Content-Encoding"] else { return .data(request.body) }
                if let status { return .status(status, headers: codings.map { ["Accept-Encoding": $0] } ?? [:]) }
                return .data(request.body).header(coding, for: "Content-Encoding")
            }
        }

        private func service(_ server: LoopbackServer, _ interceptors: any NetworkInterceptor...) -> DefaultNetworkService {
            DefaultNetworkService(
                configuration: APIConfiguration(baseURL: server.url), sessionManager: Self.session, interceptors: interceptors)
        }

        private func post(
            _ body: EndpointBody, _ compression: BodyCompression = .automatic, headers: HeaderFields = [:]
        ) -> Endpoint<Data> {
            var endpoint = Endpoint<Data>(
                path: "a", method: .post, headerParameters: headers, body: body, acceptedStatuses: .any, responseDecoder: .rawData
            )
            endpoint.compression = compression
            return endpoint
        }

        private func json(_ count: Int) -> EndpointBody {
            .data(Self.text.prefix(count), contentType: "application/json; charset=utf-8")
        }

        @Test func `a small body in memory is sent with its Content-Length, a longer one in chunks`() async throws {
            let server = try Self.echo()
            let service = service(server, .compression())
            for count in [1024, 256 << 10, 256 << 10 + 1, Self.text.count] {
                #expect(try await service.response(for: post(json(count))).data == Self.text.prefix(count))
            }
            #expect(server.requests.map { $0.headers["Content-Encoding"] } == ["gzip", "gzip", "gzip", "gzip"])
            #expect(server.requests.map { $0.headers.contains("Content-Length") } == [true, true, false, false])
            for (request, count) in zip(server.requests, [1024, 256 << 10, 256 << 10 + 1, Self.text.count]) {
                #expect(request.body.count < count / 10)
            }
        }

        @Test func `files and streams are compressed while they are sent`() async throws {
            let server = try Self.echo()
            let service = service(server, .compression())
            let file = try TemporaryFile(Self.text)
            let bodies: [EndpointBody] = [
                .file(file.url, contentType: "text/csv"), .stream(Pieces(of: Self.text, size: 7001), contentType: "text/plain"),
                .stream(Pieces(of: Self.text, size: 7001), length: Int64(Self.text.count), contentType: "text/plain"),
            ]
            for body in bodies { #expect(try await service.response(for: post(body)).data == Self.text) }
            #expect(server.requests.map { $0.headers["Content-Encoding"] } == ["gzip", "gzip", "gzip"])
            #expect(server.requests.map { $0.headers["Transfer-Encoding"] } == ["chunked", "chunked", "chunked"])
        }

        @Test func `the rule excludes small bodies, other media types, and bodies that do not become smaller`() async throws {
            let server = try Self.echo()
            let service = service(server, .compression())
            let (small, file) = (try TemporaryFile("short"), try TemporaryFile(Self.text))
            let bodies: [EndpointBody] = [
                json(1023), .file(small.url, contentType: "text/plain"), .file(file.url, contentType: "video/mp4"),
                .data(Self.text, contentType: "application/octet-stream"), .data(.pattern(5000), contentType: "text/plain"),
                .stream(Pieces(of: Self.text, size: 9000), length: 1000, contentType: "image/png"),
            ]
            for body in bodies { _ = try? await service.response(for: post(body)) }
            #expect(server.requests.count >= 5)
            #expect(server.requests.allSatisfy { !$0.headers.contains("Content-Encoding") })
        }

        @Test(arguments: [
            ("application/json", true), ("text/anything", true), ("application/vnd.api+json", true), ("image/svg+xml", true),
            ("application/x-www-form-urlencoded", true), ("application/json5", false), ("textual/plain", false), ("text", false),
            ("", false), ("/", false), ("+", false), ("a/b+", false), ("application/jpeg+zip", false),
            ("multipart/form-data", false),
        ])
        func `media types are matched by name, type or suffix`(type: String, isCovered: Bool) {
            #expect(BodyCompressionOptions().covers(mediaType: type) == isCovered)
            #expect(!BodyCompressionOptions(mediaTypes: []).covers(mediaType: type))
        }

        @Test func `an endpoint decides before the rule`() async throws {
            let server = try Self.echo()
            let inPipeline = RequestPipeline { $0.deadline = nil }
            let service = DefaultNetworkService(
                configuration: APIConfiguration(baseURL: server.url), sessionManager: Self.session,
                interceptors: inPipeline.interceptors)
            let noise = EndpointBody.data(.pattern(10), contentType: "image/png")
            #expect(try await service.response(for: post(noise, .gzip)).data == .pattern(10))
            #expect(try await service.response(for: post(json(5000))).data == Self.text.prefix(5000))
            #expect(try await service.response(for: post(.data(Data()), .gzip)).data.isEmpty)
            _ = try await self.service(server, .compression()).response(for: post(json(5000), .identity))
            #expect(server.requests.map { $0.headers["Content-Encoding"] } == ["gzip", nil, nil, nil])
        }

        @Test(arguments: ["Content-Encoding", "Content-Range", "content-md5", "Content-Digest", "Repr-Digest", "Digest"])
        func `a request that describes the bytes of its body is not changed`(name: String) async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            for compression in [BodyCompression.automatic, .gzip] {
                let endpoint = post(json(5000), compression, headers: HeaderFields([HeaderFields.Field(name: name, value: "x")]))
                _ = try await service(server, .compression()).response(for: endpoint)
            }
            #expect(server.requests.map(\.body) == [Self.text.prefix(5000), Self.text.prefix(5000)])
        }

        @Test(arguments: [nil, "identity", "", "br, gzip;q=0", "*;q=0"] as [String?])
        func `after a 415 that does not list gzip, the origin gets no more compressed bodies`(codings: String?) async throws {
            let server = try Self.echo(refusing: 415, accepting: codings)
            let service = service(server, .compression())
            for _ in 0..<2 {
                let response = try await service.response(for: post(json(5000)))
                #expect(response.statusCode == 200 && response.data == Self.text.prefix(5000))
            }
            _ = try await service.response(for: post(json(5000), .gzip))
            #expect(server.requests.map { $0.headers["Content-Encoding"] } == ["gzip", nil, nil, nil])
        }

        @Test(arguments: ["gzip", "br, X-GZIP", "*", "deflate, *;q=0.5"])
        func `a 415 that lists gzip is about the media type and is returned`(codings: String) async throws {
            let server = try Self.echo(refusing: 415, accepting: codings)
            let service = service(server, .compression())
            for _ in 0..<2 { #expect(try await service.response(for: post(json(5000))).statusCode == 415) }
            #expect(server.requests.map { $0.headers["Content-Encoding"] } == ["gzip", "gzip"])
        }

        // RFC 9110 §15.5.12.
        @Test func `after a 411, a body is sent with its length`() async throws {
            let server = try Self.echo(refusing: 411)
            let response = try await service(server, .compression()).response(for: post(json(Self.text.count)))
            #expect(response.data == Self.text)
            #expect(server.requests.map { $0.headers.contains("Content-Length") } == [false, true])
            let other = try Self.echo(refusing: 411)
            #expect(try await service(other, .compression()).response(for: post(json(5000))).statusCode == 411)
        }

        @Test func `a body that can be read once is not sent again, but later ones are sent as they are`() async throws {
            let server = try Self.echo(refusing: 415)
            let service = service(server, .compression())
            var statuses: [Int] = []
            for _ in 0..<2 {
                let body = EndpointBody.stream(Pieces(of: Self.text, size: 7001), contentType: "text/plain")
                statuses.append(try await service.response(for: post(body)).statusCode)
            }
            #expect(statuses == [415, 200])
        }

        @Test func `a 415 after a redirect is returned, since the request may have been processed`() async throws {
            let server = try LoopbackServer { request in
                request.path == "/a" ? .status(303, headers: ["Location": "/b"]) : .status(415)
            }
            #expect(try await service(server, .compression()).response(for: post(json(5000))).statusCode == 415)
            #expect(server.requests.map(\.path) == ["/a", "/b"])
            #expect(server.requests.map { $0.headers["Content-Encoding"] } == ["gzip", nil])
        }

        @Test func `a redirect and a retry send the compressed body again`() async throws {
            let count = Locked(0)
            let server = try LoopbackServer { request in
                if request.path == "/a" { return .status(307, headers: ["Location": "/b"]) }
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                return isFirst ? .status(503) : .data(request.body).header("gzip", for: "Content-Encoding")
            }
            var endpoint = post(json(Self.text.count))
            endpoint.isIdempotent = true
            let retry = RetryInterceptor(options: RetryOptions(backoff: Backoff(base: .zero)))
            #expect(try await service(server, retry, .compression()).response(for: endpoint).data == Self.text)
            #expect(server.requests.map { $0.headers["Content-Encoding"] } == ["gzip", "gzip", "gzip", "gzip"])
        }

        @Test func `a redirect to another origin gets the compressed body with its coding`() async throws {
            let other = try Self.echo()
            let server = try LoopbackServer { _ in .status(308, headers: ["Location": other.url("/b").absoluteString]) }
            let service = service(server, .compression())
            for count in [5000, Self.text.count] {
                #expect(try await service.response(for: post(json(count))).data == Self.text.prefix(count))
            }
            #expect(other.requests.map { $0.headers["Content-Encoding"] } == ["gzip", "gzip"])
        }

        @Test func `fields that are computed from the body cover the compressed bytes`() async throws {
            let server = try Self.echo()
            let api = APIConfiguration(baseURL: server.url)
            let pipeline = RequestPipeline {
                $0.compression = .compression()
                $0.headers = .headers(for: api) { request in
                    let body = try #require(request.body)
                    return ["X-Sum": "\(try await body.collected().reduce(0) { $0 + Int($1) })"]
                }
            }
            let service = DefaultNetworkService(
                configuration: api, sessionManager: Self.session, interceptors: pipeline.interceptors)
            for count in [5000, Self.text.count] {
                #expect(try await service.response(for: post(json(count))).data == Self.text.prefix(count))
            }
            #expect(
                server.requests.map { $0.headers["X-Sum"] } == server.requests.map { "\($0.body.reduce(0) { $0 + Int($1) })" })
            #expect(server.requests.map { $0.headers["Content-Encoding"] } == ["gzip", "gzip"])
        }

        @Test func `the memory for origins is bounded`() async throws {
            let session = StubSessionManager()
            session.route { $0.headers.contains("Content-Encoding") ? .status(415) : .text("ok") }
            let interceptor = BodyCompressionInterceptor()
            let count = BodyCompressionInterceptor.maximumOrigins
            func send(_ number: Int) async throws {
                let url = try #require(URL(string: "https://host\(number).test"))
                let service = DefaultNetworkService(
                    configuration: APIConfiguration(baseURL: url), sessionManager: session, interceptors: [interceptor])
                _ = try await service.response(for: post(json(5000)))
            }
            for number in 0...count { try await send(number) }
            #expect(session.requests.count == 2 * (count + 1))
            try await send(count)
            #expect(session.requests.count == 2 * (count + 1) + 1)
            // The first one was forgotten.
            try await send(0)
            #expect(session.requests.count == 2 * (count + 1) + 3)
        }

        @Test func `without zlib, bodies are sent as they are, unless the endpoint requires compression`() async throws {
            let server = try Self.echo()
            let service = service(server, BodyCompressionInterceptor(BodyCompressionOptions(), isAvailable: false))
            #expect(try await service.response(for: post(json(5000))).data == Self.text.prefix(5000))
            let error = await #expect(throws: NetworkError.self) { try await service.response(for: post(json(5000), .gzip)) }
            #expect(error?.transportError?.code == .unsupported)
            #expect(server.requests.map { $0.headers["Content-Encoding"] } == [nil])
        }

        @Test func `invalid options are errors that name the field`() async throws {
            let server = try Self.echo()
            for (options, name) in [
                (BodyCompressionOptions(minimumBytes: -1), "compression: minimumBytes is -1"),
                (BodyCompressionOptions(level: 10), "compression: level is 10"), (BodyCompressionOptions(level: 0), "level is 0"),
            ] {
                let error = await #expect(throws: NetworkError.self) {
                    try await service(server, .compression(options)).response(for: post(json(1), .identity))
                }
                #expect(error?.transportError?.code == .invalidConfiguration)
                #expect(error?.transportError?.message.contains(name) == true)
            }
            #expect(server.requestCount == 0)
        }

        @Test func `progress counts the compressed bytes`() async throws {
            let server = try Self.echo()
            let observer = SentBytes()
            var endpoint = post(json(Self.text.count))
            endpoint.progress = observer
            let response = try await service(server, .compression()).response(for: endpoint)
            let last = observer.most.withLock { $0 }
            #expect(last == Int64(server.requests[0].body.count))
            #expect(response.timings.bytesSent == last)
        }

        @Test func `a missing file of a body is an error before anything is sent`() async throws {
            let server = try Self.echo()
            let missing = URL(fileURLWithPath: "/nonexistent/body.txt")
            let error = await #expect(throws: NetworkError.self) {
                try await service(server, .compression()).response(for: post(.file(missing, contentType: "text/plain")))
            }
            guard case .requestGeneration = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(server.requestCount == 0)
        }
    }

    private final class SentBytes: TransferProgressObserver {
        let most = Locked<Int64>(0)

        func transferDidProgress(_ progress: TransferProgress) {
            most.withLock { $0 = max($0, progress.bytesSent) }
        }
    }
#endif
