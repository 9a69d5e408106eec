import DataTransfer
import Testing

extension RealServerTests {
    struct StatusTests {
        /// Sends 400 requests, eight at a time.
        @Test(arguments: Engine.all) func `every status from 200 to 599 is returned`(engine: Engine) async throws {
            let session = engine.session { $0.maximumRedirects = 0 }
            try await withThrowingTaskGroup(of: (Int, Int).self) { group in
                var next = 200
                func add() {
                    guard next < 600 else { return }
                    let status = next
                    next += 1
                    group.addTask { (status, try await session.send(.get, "\(Servers.httpbin)/status/\(status)").statusCode) }
                }
                for _ in 0..<8 { add() }
                var seen = 0
                for try await (requested, received) in group {
                    #expect(received == requested)
                    seen += 1
                    add()
                }
                #expect(seen == 400)
            }
        }

        @Test(arguments: Engine.all, [204, 205, 304])
        func `a response with a status that has no body is empty`(engine: Engine, status: Int) async throws {
            let session = engine.session()
            let response = try await session.send(.get, "\(Servers.httpbin)/status/\(status)")
            #expect(response.statusCode == status)
            #expect(response.data.isEmpty)
            #expect(try await session.send(.get, "\(Servers.httpbin)/get").statusCode == 200)
        }

        @Test(arguments: Engine.all) func `the body of a 204 from nginx is empty`(engine: Engine) async throws {
            let response = try await engine.session().send(.get, "\(Servers.nginx)/empty")
            #expect(response.statusCode == 204)
            #expect(response.data.isEmpty)
        }

        @Test(arguments: Engine.all, [RequestMethod.post, .put, .patch, .delete])
        func `the body of an error status is returned for any method`(engine: Engine, method: RequestMethod) async throws {
            let response = try await engine.session().send(method, "\(Servers.httpbin)/status/418")
            #expect(response.statusCode == 418)
            #expect(response.text.contains("teapot"))
        }

        @Test(arguments: Engine.all) func `a 404 from nginx is returned with its page`(engine: Engine) async throws {
            let response = try await engine.session().send(.get, "\(Servers.nginx)/files/missing")
            #expect(response.statusCode == 404)
            #expect(response.text.contains("404 Not Found"))
        }

        @Test(arguments: Engine.all) func `a server that closes without a response is an error`(engine: Engine) async throws {
            let error = try await engine.session().failure(.get, "\(Servers.nginx)/silent")
            #expect(error.code == .connectionLost)
        }
    }
}
