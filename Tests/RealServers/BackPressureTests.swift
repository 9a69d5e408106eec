import DataTransfer
import Foundation
import Testing

extension RealServerTests {
    /// Bodies that are read and produced during the transfer.
    @Suite(.timeLimit(.minutes(10))) struct BackPressureTests {
        static let servers = [Servers.nginx, Servers.tls, Servers.h2]

        /// A combination of an engine and a server that it can connect to.
        struct Target: Sendable, CustomTestStringConvertible {
            var engine: Engine
            var server: String
            var testDescription: String { "\(engine.name) to \(server)" }
            var session: any NetworkSessionManager { engine.isOurs ? engine.trusting() : engine.session() }

            func url(_ path: String) throws -> URL { try #require(URL(string: server + path)) }

            static let all = Engine.all.flatMap { engine in
                servers.filter { engine.isOurs || $0 == Servers.nginx }.map { Target(engine: engine, server: $0) }
            }
        }

        @Test(arguments: Target.all)
        func `a response is read while it arrives`(target: Target) async throws {
            let session = target.session
            let url = try target.url("/files/10mb.bin")
            let response = try await session.stream(for: NetworkRequest(url: url))
            var body = Data()
            for try await chunk in response.body { body.append(chunk) }
            #expect(body == Servers.tenMegabytes)
            #expect(response.timings.bytesReceived == 10 << 20)
        }

        @Test(arguments: Engine.ours, servers)
        func `a paused reader does not delay other requests`(engine: Engine, base: String) async throws {
            let session = engine.trusting()
            let url = try #require(URL(string: base + "/files/10mb.bin"))
            let streams = try await withThrowingTaskGroup(of: NetworkResponse.self) { group in
                for _ in 0..<3 { group.addTask { try await session.stream(for: NetworkRequest(url: url)) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for _ in 0..<200 { #expect(try await session.send(.get, base + "/ok").text == "ok") }
            for stream in streams { #expect(try await stream.body.collected() == Servers.tenMegabytes) }
        }

        @Test(arguments: Engine.ours, servers)
        func `a session manager stays usable after streams are released early`(engine: Engine, base: String) async throws {
            let session = engine.trusting()
            let url = try #require(URL(string: base + "/files/10mb.bin"))
            for index in 0..<50 {
                let response = try await session.stream(for: NetworkRequest(url: url))
                var chunks = response.body.makeAsyncIterator()
                if index.isMultiple(of: 2) { _ = try await chunks.next() }
            }
            for _ in 0..<50 { #expect(try await session.send(.get, base + "/ok").text == "ok") }
        }

        @Test(arguments: Engine.ours) func `a stream is decompressed while it arrives`(engine: Engine) async throws {
            let url = try #require(URL(string: Servers.nginx + "/compressed/10mb.bin"))
            let response = try await engine.session().stream(for: NetworkRequest(url: url))
            #expect(response.headers["Content-Encoding"] == "gzip")
            #expect(try await response.body.collected() == Servers.tenMegabytes)
        }

        @Test(arguments: Target.all, [nil, 600_000] as [Int64?])
        func `a body is sent while it is produced`(target: Target, length: Int64?) async throws {
            let session = target.session
            let url = try target.url("/httpbin/anything")
            let piece = Data(repeating: UInt8(ascii: "x"), count: 60_000)
            let chunks = AsyncStream { continuation in
                for _ in 0..<10 { continuation.yield(piece) }
                continuation.finish()
            }
            let request = NetworkRequest(
                method: .post, url: url, headers: ["Content-Type": "text/plain"], body: .stream(chunks, length: length))
            let response = try await session.response(for: request)
            #expect(response.statusCode == 200)
            #expect(try response.echo.data == String(repeating: "x", count: 600_000))
        }

        @Test(arguments: Target.all)
        func `a file is sent from disk`(target: Target) async throws {
            let session = target.session
            let url = try target.url("/httpbin/anything")
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("body-\(UUID().uuidString)")
            try Data(repeating: UInt8(ascii: "y"), count: 700_000).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let request = NetworkRequest(method: .put, url: url, headers: ["Content-Type": "text/plain"], body: .file(file))
            #expect(try await session.response(for: request).echo.data == String(repeating: "y", count: 700_000))
        }
    }
}
