import DataTransfer
import Foundation
import Testing

extension RealServerTests {
    struct ConnectionTests {
        private static let measuring = Engine.all.filter(\.measures)

        @Test(arguments: measuring, [Servers.nginx + "/ok", Servers.httpbin + "/get"])
        func `a connection is reused`(engine: Engine, url: String) async throws {
            let session = engine.session()
            var isReused: [Bool?] = []
            for _ in 0..<4 { isReused.append(try await session.send(.get, url).timings.isReusedConnection) }
            #expect(isReused == [false, true, true, true])
        }

        @Test(
            arguments: measuring,
            [
                "/ok", "/empty", "/files/missing", "/files/hello.txt", "/chunked/hello.txt", "/compressed/hello.txt",
                "/multiple-choices",
            ])
        func `the connection is reused after any complete response`(engine: Engine, path: String) async throws {
            let session = engine.session()
            for method in [RequestMethod.get, .head] {
                _ = try await session.send(method, Servers.nginx + path)
                let next = try await session.send(.get, "\(Servers.nginx)/ok")
                #expect(next.text == "ok")
                #expect(next.timings.isReusedConnection == true)
            }
        }

        @Test(arguments: Engine.all, [2, 40_000])
        func `requests with and without a body can alternate on one connection`(engine: Engine, size: Int) async throws {
            let session = engine.session { $0.maximumConnectionsPerHost = 1 }
            for method in [RequestMethod.post, .get, .put, .head, .patch, .delete, .post, .options] {
                let body = method.allowsBody && method != .options ? Data(repeating: 0x78, count: size) : nil
                let response = try await session.send(
                    method, "\(Servers.httpbin)/anything", body: body, timeouts: RequestTimeouts(total: .seconds(20)))
                #expect(response.statusCode == 200)
                guard method != .head, method != .options else { continue }
                #expect(try response.echo.method == method.rawValue)
                #expect(try response.echo.data.utf8.count == body?.count ?? 0)
            }
        }

        @Test(arguments: measuring) func `concurrent requests share the only permitted connection to a host`(engine: Engine)
            async throws
        {
            let session = engine.session { $0.maximumConnectionsPerHost = 1 }
            let fresh = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await session.send(.get, "\(Servers.nginx)/ok").timings.isReusedConnection == false
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(fresh == 1)
        }

        @Test(arguments: Engine.all) func `a thousand concurrent requests succeed`(engine: Engine) async throws {
            let session = engine.session()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<1000 { group.addTask { try await session.send(.get, "\(Servers.nginx)/ok").statusCode } }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [200: 1000])
        }
    }
}
