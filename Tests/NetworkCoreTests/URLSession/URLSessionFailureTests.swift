import Endpoints
import Foundation
import NetworkCore
import NetworkTesting
import TransferTestSupport
import Testing
import NetworkURLSession

extension URLSessionTests {
    @Suite(.timeLimit(.minutes(10))) struct URLSessionFailureTests {
        private let manager = URLSessionManager()

        private func error(_ response: LoopbackResponse) async throws -> TransportError? {
            let server = try LoopbackServer { _ in response }
            return await manager.error(for: NetworkRequest(url: server.url("/path?token=secret")))
        }

        @Test func `a refused connection is a connection error without the query of the URL`() async throws {
            // No server listens on that port, and no test uses it.
            let url = try #require(URL(string: "http://127.0.0.1:1/path?token=secret"))
            let error = try #require(await manager.error(for: NetworkRequest(url: url)))
            #expect(error.code == .cannotConnect && error.phase == .connect && error.isConnectivity)
            #expect(error.engineCode == URLError.Code.cannotConnectToHost.rawValue)
            #expect(!"\(error)".contains("secret"))
        }

        @Test func `an unknown host is reported as a failed name lookup`() async throws {
            let url = try #require(URL(string: "http://\(unknownHost)/"))
            let error = try #require(await manager.error(for: NetworkRequest(url: url)))
            #expect(error.code == .nameLookupFailed && error.phase == .nameLookup)
        }

        #if os(Linux)
            @Test func `an IPv6 literal is not supported`() async throws {
                let url = try #require(URL(string: "http://[::1]:9/"))
                #expect(await manager.error(for: NetworkRequest(url: url))?.code == .unsupported)
            }
        #endif

        @Test func `a body that ends early is reported as incomplete`() async throws {
            let cut = LoopbackResponse.text("hello").fault(.truncateBody(after: 3))
            #expect(try await error(cut)?.code == .incompleteBody)
            let chunks = LoopbackResponse.chunked([Data("abc".utf8), Data("defg".utf8)]).fault(.truncateBody(after: 4))
            #expect(try await error(chunks)?.code == .incompleteBody)
        }

        @Test(arguments: [LoopbackFault.reset, .resetHead(after: 12), .resetBody(after: 3)])
        func `a reset connection is reported as a lost connection`(fault: LoopbackFault) async throws {
            let error = try #require(try await error(LoopbackResponse.text("hello").fault(fault)))
            #expect(error.code == .connectionLost && error.isRetryable)
        }

        @Test func `a connection that is closed without a response is reported as a lost connection`() async throws {
            let server = try LoopbackServer(configuration: LoopbackServerConfiguration(behavior: .closeOnAccept))
            let error = try #require(await manager.error(for: NetworkRequest(url: server.url("/"))))
            #expect(error.code == .connectionLost)
        }

        @Test(arguments: [LoopbackFault.malformedStatusLine, .garbage(), .statusLine(Data("ICY 200 OK".utf8)), .badChunkSize()])
        func `a response that is not valid HTTP is reported as malformed`(fault: LoopbackFault) async throws {
            let error = try #require(try await error(LoopbackResponse.text("hello").fault(fault).fault(.closeAfter)))
            #expect(error.code == .malformedResponse && error.phase == .receive, "\(error)")
        }

        @Test func `a body that does not match its content coding is reported as undecodable`() async throws {
            let error = try #require(try await error(LoopbackResponse.text("hello").header("gzip", for: "Content-Encoding")))
            #expect(error.code == .undecodableContent, "\(error)")
        }

        @Test func `a body above the limit ends the transfer`() async throws {
            let server = try LoopbackServer { request in
                // Sent slowly, so that the cancellation takes effect before the body is complete.
                request.path == "/long"
                    ? LoopbackResponse.text(String(repeating: "x", count: 1 << 20)).fault(
                        .drip(bytes: 1000, every: .milliseconds(50)))
                    : .text("0123456789").fault(.closeAfter)
            }
            let manager = URLSessionManager(configuration: SessionConfiguration { $0.maximumBodyBytes = 10 })
            #expect(try await manager.response(for: NetworkRequest(url: server.url("/"))).data.count == 10)
            let error = try #require(await manager.error(for: NetworkRequest(url: server.url("/long"))))
            #expect(error.code == .bodyTooLarge && error.phase == .receive)
            #expect(error.message.contains("maximumBodyBytes"))
            #expect(await server.waitForOpenConnections(count: 0))
        }

        @Test func `a response head above the limit ends the transfer`() async throws {
            let server = try LoopbackServer { request in
                LoopbackResponse.text("ok").fault(request.path == "/wide" ? .headerLine(bytes: 2000) : .headerLines(count: 200))
            }
            let manager = URLSessionManager(configuration: SessionConfiguration { $0.maximumHeaderBytes = 1024 })
            for path in ["/wide", "/long"] {
                let error = await manager.error(for: NetworkRequest(url: server.url(path)))
                #expect(error?.code == .headersTooLarge)
            }
            let other = URLSessionManager(configuration: SessionConfiguration { $0.maximumHeaderFields = 100 })
            let error = await other.error(for: NetworkRequest(url: server.url("/long")))
            #expect(error?.code == .headersTooLarge && error?.message.contains("maximumHeaderFields") == true)
        }

        @Test func `a header line that is too long for URLSession is reported as too large`() async throws {
            let error = try #require(try await error(LoopbackResponse.text("ok").fault(.headerLine(bytes: 400_000))))
            #expect(error.code == .headersTooLarge, "\(error)")
        }

        @Test func `an invalid request is refused before a connection is opened`() async throws {
            let server = try LoopbackServer { _ in .status(204) }
            let requests = [
                NetworkRequest(url: server.url("/"), body: .data(Data("x".utf8))),
                NetworkRequest(method: RequestMethod("GET / HTTP/1.1\r\nX: y"), url: server.url("/")),
                NetworkRequest(url: server.url("/"), headers: ["X": "a\r\nb"]),
                NetworkRequest(url: server.url("/"), headers: ["Content-Length": "3"]),
            ]
            for request in requests { #expect(await manager.error(for: request)?.code == .invalidRequest) }
            #expect(server.connectionCount == 0)
        }

        @Test func `requests fail with a configuration error if a limit is invalid`() async throws {
            let manager = URLSessionManager(configuration: SessionConfiguration { $0.idleTimeout = .zero })
            let url = try #require(URL(string: "http://127.0.0.1:9/"))
            for _ in 0..<2 { #expect(await manager.error(for: NetworkRequest(url: url))?.code == .invalidConfiguration) }
        }

        @Test func `requests fail with a configuration error if an option is not supported`() async throws {
            let url = try #require(URL(string: "http://127.0.0.1:9/"))
            for (name, change) in [
                ("unixSocketPath", { $0.unixSocketPath = "/run/api.sock" }),
                ("proxy", { $0.proxy = .http(host: "proxy.example", port: 80) }),
                ("addresses", { $0.route.family = .ipv4 }),
            ] as [(String, (inout SessionConfiguration) -> Void)] {
                let error = try #require(
                    await URLSessionManager(configuration: SessionConfiguration(change)).error(for: NetworkRequest(url: url)))
                #expect(error.code == .invalidConfiguration && error.message.contains(name), "\(name): \(error)")
            }
        }
    }
}
