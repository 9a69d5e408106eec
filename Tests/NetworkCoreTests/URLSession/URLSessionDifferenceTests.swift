import Endpoints
import Foundation
import NetworkCore
import NetworkTesting
import NetworkURLSession
import Testing
import TransferTestSupport

extension URLSessionTests {
    /// What differs from `SocketSessionManager` and no other suite shows: rows of the table in Docs/Platforms.md.
    @Suite(.timeLimit(.minutes(10))) struct URLSessionDifferenceTests {
        private let manager = URLSessionManager()

        @Test func `idle connections are kept, whatever the limit for them`() async throws {
            let server = try LoopbackServer { _ in .text("a") }
            let manager = URLSessionManager(configuration: SessionConfiguration { $0.maximumIdleConnections = 0 })
            for _ in 0..<2 { _ = try await manager.response(for: server.request("/")) }
            #expect(server.connectionCount == 1)
        }

        @Test func `without a user agent, URLSession sends its own`() async throws {
            let server = try LoopbackServer { _ in .text("a") }
            let plain = URLSessionManager(configuration: SessionConfiguration { $0.userAgent = nil })
            for manager in [plain, URLSessionManager(configuration: SessionConfiguration { $0.userAgent = "mine" })] {
                _ = try await manager.response(for: server.request("/"))
            }
            let agents = server.requests.map { $0.headers["User-Agent"] ?? "" }
            #expect(agents.count == 2 && !agents[0].isEmpty && agents[0] != "swift-data-transfer" && agents[1] == "mine")
        }

        @Test func `an Expect field is sent, and then the body`() async throws {
            let server = try LoopbackServer { request in .data(request.body) }
            let body = Data(repeating: 7, count: 10_000)
            let response = try await manager.response(
                for: server.request("/", method: .post, headers: ["Expect": "100-continue"], body: body))
            #expect(response.data == body && server.requests.first?.headers["Expect"] == "100-continue")
        }

        #if os(Linux)
            /// "hello hello hello hello", compressed with gzip.
            private static let coded = Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8hAJwHjUT2NFwAAAA==") ?? Data()

            private func gzipServer(_ body: Data) throws -> LoopbackServer {
                try LoopbackServer { _ in LoopbackResponse(headers: ["Content-Encoding": "gzip"], body: body) }
            }

            @Test func `received bytes are counted after decoding`() async throws {
                let server = try gzipServer(Self.coded)
                let response = try await manager.response(for: server.request("/"))
                #expect(response.text == "hello hello hello hello" && response.timings.bytesReceived == 23)
            }

            @Test func `gzip that ends too early is returned as far as it was decoded`() async throws {
                let server = try gzipServer(Self.coded.dropLast(12))
                let response = try await manager.response(for: server.request("/"))
                #expect(response.statusCode == 200 && "hello hello hello hello".hasPrefix(response.text))
            }

            @Test func `a known method in lower case is sent in upper case, and dot segments are removed`() async throws {
                let server = try LoopbackServer { _ in .text("a") }
                _ = try await manager.response(for: server.request("/a/../b", method: RequestMethod("get")))
                #expect(server.requests.first?.method == .get && server.requests.first?.target == "/b")
            }

            @Test func `no phase is measured on Linux`() async throws {
                let server = try LoopbackServer { _ in .text("a") }
                let response = try await manager.response(for: server.request("/", method: .post, body: Data("x".utf8)))
                let timings = response.timings
                #expect(timings.connect == nil && timings.send == nil && timings.firstByte == nil)
                #expect(timings.isReusedConnection == nil && timings.total > .zero && response.serverAddress == nil)
            }
        #endif
    }
}
