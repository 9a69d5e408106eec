import DataTransfer
import Foundation
import NetworkCache
import NetworkSupport
import Testing

extension RealServerTests {
    /// A cache in front of nginx, which sends files with `ETag`, `Last-Modified` and a lifetime of one minute.
    struct CacheTests {
        /// Counts the responses of the server by status, and sets their `Date` to the clock of the test: a `Date` in the past
        /// would be age (RFC 9111 §4.2.3).
        private final class Wire: NetworkInterceptor {
            private let counts = Locked<[Int: Int]>([:])
            let now = Locked(Date())

            func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
                var response = try await next(request)
                response.headers["Date"] = HTTPDate(now.withLock { $0 }).description
                counts.withLock { $0[response.statusCode, default: 0] += 1 }
                return response
            }

            var statuses: [Int: Int] { counts.withLock { $0 } }
        }

        private struct Setup {
            let name = "cached-\(UUID().uuidString)"
            let wire = Wire()
            let service: DefaultNetworkService

            init(_ engine: Engine) throws {
                let cache = CacheInterceptor(now: { [wire] in wire.now.withLock { $0 } })
                service = DefaultNetworkService(
                    configuration: try APIConfiguration("\(Servers.nginx)/fresh"), sessionManager: engine.session(),
                    interceptors: [cache, wire])
            }

            func write(_ text: String, modified: TimeInterval) throws {
                let file = Servers.file(name)
                try Data(text.utf8).write(to: file)
                // nginx derives the tag from the modification time and the length.
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: modified)], ofItemAtPath: file.path)
            }

            func remove() {
                try? FileManager.default.removeItem(at: Servers.file(name))
            }

            func get(_ method: RequestMethod = .get, headers: HeaderFields = [:]) async throws -> NetworkResponse {
                try await service.response(
                    for: Endpoint<Data>(path: name, method: method, headerParameters: headers, responseDecoder: .rawData))
            }

            func streamed() async throws -> NetworkResponse {
                try await service.stream(for: Endpoint<Data>(path: name, responseDecoder: .rawData)).collected()
            }
        }

        @Test(arguments: Engine.all, [false, true])
        func `a response of nginx is reused while it is fresh, and is then validated`(engine: Engine, isStreamed: Bool)
            async throws
        {
            let setup = try Setup(engine)
            defer { setup.remove() }
            try setup.write("one", modified: -1000)
            func text() async throws -> String {
                String(decoding: (isStreamed ? try await setup.streamed() : try await setup.get()).data, as: UTF8.self)
            }
            for _ in 0..<3 { #expect(try await text() == "one") }
            #expect(setup.wire.statuses == [200: 1])
            for count in 1...2 {
                setup.wire.now.withLock { $0 += 61 }
                for _ in 0..<3 { #expect(try await text() == "one") }
                #expect(setup.wire.statuses == [200: 1, 304: count])
            }
            try setup.write("two, and longer", modified: -500)
            #expect(try await text() == "one")
            setup.wire.now.withLock { $0 += 61 }
            for _ in 0..<3 { #expect(try await text() == "two, and longer") }
            #expect(setup.wire.statuses == [200: 2, 304: 2])
        }

        @Test(arguments: Engine.all)
        func `HEAD and a range are served from a stored GET`(engine: Engine) async throws {
            let setup = try Setup(engine)
            defer { setup.remove() }
            try setup.write("one", modified: -1000)
            let get = try await setup.get()
            let head = try await setup.get(.head)
            #expect(head.data.isEmpty && head.headers["ETag"] == get.headers["ETag"])
            #expect(setup.wire.statuses == [200: 1])
            let part = try await setup.get(headers: ["Range": "bytes=1-"])
            #expect(part.statusCode == 206 && part.data == Data("ne".utf8) && part.headers["Content-Range"] == "bytes 1-2/3")
            #expect(setup.wire.statuses == [200: 1])
        }

        @Test(arguments: Engine.all)
        func `a request with no-cache validates the stored response`(engine: Engine) async throws {
            let setup = try Setup(engine)
            defer { setup.remove() }
            try setup.write("one", modified: -1000)
            _ = try await setup.get()
            let validated = try await setup.get(headers: ["Cache-Control": "no-cache"])
            #expect(validated.data == Data("one".utf8) && validated.statusCode == 200)
            let status = try #require(validated.headers["Cache-Status"])
            #expect(status.hasPrefix("NetworkCache; fwd=request; fwd-status=304; ttl=") && status.hasSuffix("; stored"))
            #expect(setup.wire.statuses == [200: 1, 304: 1])
        }
    }
}
