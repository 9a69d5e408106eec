import DataTransfer
import Foundation
import NetworkSupport
import Testing
import TestSupport
import TransferTestSupport

extension RealServerTests {
    /// Requests to nghttpd, hypercorn and HAProxy, beside nginx and `h2` in the other suites.
    @Suite(.timeLimit(.minutes(10)))
    struct HTTP2ServerTests {
        private static let hypercorn = "https" + SocketServers.hypercorn.dropFirst("wss".count)
        private static let sizes = [0, 1, 16_383, 16_384, 16_385, 65_536, 300_000, 3_000_000]

        private struct Receipt: Decodable {
            var version: String
            var method: String
            var headers: [[String]]
            var count: Int
            var sha256: String
        }

        private func session(_ engine: Engine) -> any NetworkSessionManager {
            engine.trusting {
                $0.httpVersion = .http2
                $0.eventLoops = 1
            }
        }

        /// Performs tasks at the same time.
        private func together(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<count { group.addTask { try await body(number) } }
                try await group.waitForAll()
            }
        }

        @Test(arguments: Engine.ours(with: .requiredVersions)) func `nghttpd sends bodies back`(engine: Engine) async throws {
            let session = session(engine)
            try await together(40) { number in
                let content = Data.pattern(Self.sizes[number % Self.sizes.count])
                let response = try await session.send(.post, Servers.nghttpd + "/\(number)", body: content)
                #expect(response.statusCode == 200 && response.timings.protocolName == "h2")
                #expect(response.data == content, "\(content.count)")
            }
        }

        @Test(arguments: Engine.ours(with: .requiredVersions)) func `nghttpd sends files, and 404 for those that are missing`(
            engine: Engine
        ) async throws {
            let session = session(engine)
            try await together(20) { number in
                switch number % 3 {
                case 0: #expect(try await session.send(.get, Servers.nghttpd + "/files/10mb.bin").data == Servers.tenMegabytes)
                case 1: #expect(try await session.send(.get, Servers.nghttpd + "/missing/\(number)").statusCode == 404)
                default:
                    let response = try await session.send(.head, Servers.nghttpd + "/files/10mb.bin")
                    #expect(response.headers["Content-Length"] == "10485760" && response.data.isEmpty)
                }
            }
        }

        @Test(arguments: Engine.ours(with: .requiredVersions)) func `hypercorn receives bodies of all sizes`(engine: Engine)
            async throws
        {
            let session = session(engine)
            try await together(40) { number in
                let content = Data.pattern(Self.sizes[number % Self.sizes.count])
                let response = try await session.send(
                    .put, Self.hypercorn + "/\(number)", headers: ["X-Number": "\(number)"], body: content)
                let receipt = try JSONDecoder().decode(Receipt.self, from: response.data)
                #expect(receipt.version == "2" && receipt.method == "PUT" && receipt.count == content.count)
                #expect(receipt.headers.contains(["x-number", "\(number)"]))
                #expect(receipt.sha256 == SHA256.digest(of: content).map { String(format: "%02x", $0) }.joined())
            }
        }

        @Test(arguments: Engine.ours(with: .requiredVersions), [0, 1, 65_535, 65_536, 20_000_000])
        func `hypercorn sends bodies of all sizes, with statuses`(engine: Engine, size: Int) async throws {
            let session = session(engine)
            for status in [200, 404, 503] {
                let response = try await session.send(.get, Self.hypercorn + "/?zeros=\(size)&status=\(status)")
                #expect(response.statusCode == status && response.data == Data(count: size))
            }
        }
    }
}
