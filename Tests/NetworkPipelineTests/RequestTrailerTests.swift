#if os(Linux)
    import DataTransfer
    import Foundation
    import NetworkCore
    import NetworkObservation
    import NetworkRecordings
    import NetworkSupport
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @testable import NetworkPipeline

    /// Trailers of requests and informational responses, through interceptors.
    @Suite(.timeLimit(.minutes(10))) struct RequestTrailerTests {
        private func service(_ server: LoopbackServer, _ interceptors: any NetworkInterceptor...) -> DefaultNetworkService {
            DefaultNetworkService(
                configuration: APIConfiguration(baseURL: server.url), sessionManager: DefaultSessionManager(),
                interceptors: interceptors)
        }

        private func put(_ body: EndpointBody, _ compression: BodyCompression = .automatic) -> Endpoint<Void> {
            var endpoint = Endpoint<Void>(path: "a", method: .put, body: body)
            endpoint.compression = compression
            return endpoint
        }

        private func digest(_ data: Data) -> String { "sha-256=:\(Data(SHA256.digest(of: data)).base64EncodedString()):" }

        private static let text = Data(String(repeating: "a line of text\n", count: 40_000).utf8)

        @Test func `each attempt has trailers that are made again`() async throws {
            let count = Locked(0)
            let server = try LoopbackServer { _ in
                count.withLock { count in
                    count += 1
                    return count < 3 ? .status(503) : .status(200)
                }
            }
            let attempts = Locked(0)
            let body = EndpointBody.data(Self.text).withDigestTrailer().withTrailers(["X-Attempt"]) {
                let attempt = attempts.withLock { attempts in
                    attempts += 1
                    return attempts
                }
                return ["X-Attempt": "\(attempt)"]
            }
            let service = service(server, RetryInterceptor(random: { 0 }))
            #expect(try await service.response(for: put(body)).statusCode == 200)
            let requests = server.requests
            #expect(requests.map { $0.trailers["X-Attempt"] } == ["1", "2", "3"])
            #expect(requests.allSatisfy { $0.body == Self.text && $0.trailers["Content-Digest"] == digest(Self.text) })
            #expect(requests.allSatisfy { $0.headers["Trailer"] == "Content-Digest, X-Attempt" })
        }

        @Test(arguments: [2000, 600_000]) func `a compressed body keeps its trailers, and has the digest of what is sent`(
            count: Int
        ) async throws {
            let server = try LoopbackServer { _ in .status(200) }
            let content = Self.text.prefix(count)
            for body in [EndpointBody.data(content, contentType: "text/plain"), .stream(Pieces(of: content, size: 700))] {
                let body = body.withDigestTrailer().withTrailers { ["X-A": "1"] }
                _ = try await service(server, .compression()).response(for: put(body, .gzip))
                let request = try #require(server.requests.last)
                #expect(request.headers["Content-Encoding"] == "gzip" && request.body.count < count / 5)
                #expect(request.trailers == ["Content-Digest": digest(request.body), "X-A": "1"])
            }
        }

        @Test(arguments: ["Content-Digest", "repr-digest"]) func `a body with a digest of the caller is not compressed`(
            name: String
        ) async throws {
            let server = try LoopbackServer { _ in .status(200) }
            let body = EndpointBody.data(Self.text, contentType: "text/plain").withTrailers([name]) { [name: "sha-256=:a:"] }
            _ = try await service(server, .compression()).response(for: put(body, .gzip))
            let request = try #require(server.requests.last)
            #expect(request.headers["Content-Encoding"] == nil && request.body == Self.text)
            #expect(request.trailers == [name: "sha-256=:a:"])
        }

        @Test func `informational responses are noted with the names of their fields`() async throws {
            let server = try LoopbackServer { _ in
                LoopbackResponse.text("x").interim(103, ["Link": "</secret-path>", "Set-Cookie": "a=b"]).interim(104)
            }
            let notes = Locked<[String]>([])
            let observation = ObservationInterceptor.observation { event in
                if case .noted(let text) = event.kind { notes.withLock { $0.append(text) } }
            }
            let received = Locked<[Int]>([])
            var endpoint = put(.data(Data()))
            endpoint.onInformationalResponse = { response in received.withLock { $0.append(response.statusCode) } }
            _ = try await service(server, observation).response(for: endpoint)
            #expect(
                notes.withLock(\.self) == [
                    "the server sent the informational response 103 with Link, Set-Cookie",
                    "the server sent the informational response 104",
                ])
            #expect(received.withLock(\.self) == [103, 104])
        }

        @Test func `a recorded request sends its trailers`() async throws {
            let server = try LoopbackServer { _ in .status(200) }
            let session = RecordingSessionManager(DefaultSessionManager())
            let stream = NetworkBody.stream(Pieces(of: Self.text, size: 7000)).withDigestTrailer()
            for body in [NetworkBody.data(Self.text).withDigestTrailer(), stream] {
                _ = try await session.response(for: NetworkRequest(method: .put, url: server.url("/a"), body: body))
                #expect(server.requests.last?.trailers == ["Content-Digest": digest(Self.text)])
            }
        }
    }
#endif
