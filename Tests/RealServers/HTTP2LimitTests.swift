import DataTransfer
import Foundation
import Testing

extension RealServerTests {
    /// The number of streams and connections to an origin over HTTP/2, and refused or interrupted streams (RFC 9113 §5.1.2, §6.8,
    /// §8).
    @Suite(.timeLimit(.minutes(10))) struct HTTP2LimitTests {
        @Test(arguments: Engine.ours) func `endless streams do not block other requests to the same host`(engine: Engine)
            async throws
        {
            let session = engine.trusting()
            for _ in 0..<2 {
                var open: [NetworkResponse] = []
                for _ in 0..<20 {
                    let request = NetworkRequest(url: try #require(URL(string: "\(Servers.streams)/events")))
                    open.append(try await session.stream(for: request))
                }
                #expect(try await session.send(.get, "\(Servers.streams)/ok").statusCode == 200)
                #expect(open.count == 20)
            }
        }

        @Test(arguments: Engine.ours, [7, 20, 90])
        func `as many requests as the server permits streams are sent concurrently`(engine: Engine, count: Int) async throws {
            let session = engine.trusting()
            for _ in 0..<2 {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<count {
                        group.addTask { try await session.send(.get, "\(Servers.streams)/together?count=\(count)").statusCode }
                    }
                    for try await status in group { #expect(status == 200) }
                }
            }
        }

        @Test(arguments: Engine.ours, [1, 6])
        func `the connection limit per host also applies if the server permits one stream per connection`(
            engine: Engine, limit: Int
        ) async throws {
            let session = engine.trusting { $0.maximumConnectionsPerHost = limit }
            let connections = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<100 { group.addTask { try await session.send(.get, "\(Servers.narrow)/ok").text } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(connections.count <= limit, "\(connections)")
        }

        @Test(arguments: Engine.ours, [RequestMethod.get, .post])
        func `a request on a stream above the last stream of a GOAWAY is sent again with any method`(
            engine: Engine, method: RequestMethod
        ) async throws {
            let session = engine.trusting()
            for round in 0..<10 {
                _ = try await session.send(.get, "\(Servers.streams)/ok")
                let path = "\(Servers.streams)/goaway-lower?id=\(UUID())-\(round)"
                // The server sends the GOAWAY when it receives a path for the first time, and responds normally the second time.
                async let first = outcome(session, method, path + "-a")
                async let second = outcome(session, method, path + "-b")
                let outcomes = await [first, second]
                #expect(outcomes == ["200", "200"], "\(outcomes)")
            }
        }

        private func outcome(_ session: any NetworkSessionManager, _ method: RequestMethod, _ url: String) async -> String {
            do {
                return "\(try await session.send(method, url, body: method == .post ? Data("x".utf8) : nil).statusCode)"
            } catch {
                return (error as? TransportError)?.code.rawValue ?? "\(error)"
            }
        }

        @Test(arguments: Engine.ours(with: .uploadsOverHTTP2), [100_000, 5_000_000])
        func `a response that arrives during the upload is returned although the server refuses the rest of the body`(
            engine: Engine, size: Int
        ) async throws {
            let session = engine.trusting()
            for isKept in [false, true] {
                if isKept { _ = try await session.send(.get, "\(Servers.streams)/ok") }
                for _ in 0..<5 {
                    let response = try await session.send(.post, "\(Servers.streams)/early", body: Data(count: size))
                    #expect(response.statusCode == 201 && response.text == "early")
                }
            }
            #expect(try await session.send(.get, "\(Servers.streams)/ok").statusCode == 200)
        }
    }
}
