import DataTransfer
import Foundation
import NetworkSupport
import Testing
import TransferTestSupport

extension RealServerTests {
    /// Interim responses and trailers (RFC 9110 §15.2, §6.5), sent byte for byte by a server that is part of these tests.
    @Suite(.timeLimit(.minutes(10))) struct InterimTests {
        @Test(
            arguments: Engine.ours(with: .connectionFacts),
            ["/hints", "/hints?count=20", "/split-hints", "/processing"])
        func `interim responses are skipped`(engine: Engine, path: String) async throws {
            let session = engine.session()
            for method in [RequestMethod.get, .post, .get] {
                let response = try await session.send(
                    method, Servers.interim + path, body: method == .post ? Data("body".utf8) : nil)
                #expect(response.statusCode == 200 && response.text == "done")
                #expect(response.headers["X-Interim"] == nil && response.headers["Link"] == nil)
            }
            #expect(try await session.send(.get, "\(Servers.interim)/ok").timings.isReusedConnection == true)
        }

        @Test(arguments: Engine.ours(with: .informationalResponses))
        func `informational responses are reported before the final one`(engine: Engine)
            async throws
        {
            for (path, statuses) in [
                ("/hints", [103]), ("/hints?count=20", [Int](repeating: 103, count: 20)), ("/split-hints", [103]),
                ("/processing", [102, 103]), ("/continue", []), ("/ok", []),
            ] {
                let received = Locked<[InformationalResponse]>([])
                var request = NetworkRequest(
                    method: .post, url: try #require(URL(string: Servers.interim + path)), headers: ["Expect": "100-continue"],
                    body: .data(Data("body".utf8)))
                request.onInformationalResponse = { response in received.withLock { $0.append(response) } }
                #expect(try await engine.session().response(for: request).statusCode == 200)
                let responses = received.withLock(\.self)
                #expect(responses.map(\.statusCode) == statuses)
                for response in responses where response.statusCode == 103 {
                    #expect(response.headers == ["Link": "</style.css>; rel=preload", "X-Interim": "yes"])
                }
            }
        }

        @Test(arguments: Engine.ours(with: .informationalResponses), [0, 1, 20, 64])
        func `informational responses are reported over HTTP 2`(
            engine: Engine, count: Int
        ) async throws {
            let received = Locked<[InformationalResponse]>([])
            var request = NetworkRequest(url: try #require(URL(string: "\(Servers.streams)/hints?count=\(count)")))
            request.onInformationalResponse = { response in received.withLock { $0.append(response) } }
            let response = try await engine.trusting().response(for: request)
            #expect(response.statusCode == 200 && response.headers["Link"] == nil)
            guard response.timings.protocolName == "h2" else { return }
            let responses = received.withLock(\.self)
            #expect(responses.allSatisfy { $0.statusCode == 103 })
            #expect(responses.map { $0.headers["link"] } == (0..<count).map { "</\($0).css>; rel=preload" })
        }

        @Test(arguments: Engine.ours(with: .informationalResponses))
        func `more than 64 informational responses are an error over HTTP 2`(engine: Engine) async throws {
            let session = engine.trusting()
            let error = try await session.failure(.get, "\(Servers.streams)/hints?count=65")
            #expect(error.code == .headersTooLarge, "\(error)")
            #expect(try await session.send(.get, "\(Servers.streams)/hints?count=64").statusCode == 200)
        }

        @Test(arguments: Engine.ours) func `interim responses without a final response are reported as a lost connection`(
            engine: Engine
        ) async throws {
            let session = engine.session()
            for _ in 0..<3 {
                let error = try await session.failure(.get, "\(Servers.interim)/hints-only")
                #expect(error.code == .connectionLost, "\(error)")
                #expect(try await session.send(.get, "\(Servers.interim)/ok").text == "ok")
            }
        }

        @Test(arguments: Engine.ours(with: .informationalResponses))
        func `endless interim responses end at the limit for response heads`(engine: Engine)
            async throws
        {
            let session = engine.session { $0.totalTimeout = .seconds(20) }
            let error = try await session.failure(.get, "\(Servers.interim)/endless-hints")
            #expect(error.code == .headersTooLarge, "\(error)")
            #expect(try await session.send(.get, "\(Servers.interim)/ok").text == "ok")
        }

        @Test(arguments: Engine.ours(with: .expectations), [5, 500_000])
        func `with Expect, a body is sent after the server's 100 response`(engine: Engine, size: Int) async throws {
            let session = engine.session()
            let body = Data(repeating: 0x61, count: size)
            let url = "\(Servers.interim)/continue"
            #expect(try await session.send(.post, url, headers: ["Expect": "100-continue"], body: body).text == "\(size) asked")
            #expect(try await session.send(.post, url, body: body).text == "\(size) unasked")
            let refused = try await session.send(
                .post, "\(Servers.interim)/refuse-continue", headers: ["Expect": "100-continue"], body: body)
            #expect(refused.statusCode == 413 && refused.text == "refused")
        }

        @Test(arguments: Engine.ours(with: .expectations))
        func `after a failed expectation, the request is sent again without Expect`(engine: Engine) async throws {
            let session = engine.session()
            let body = Data(repeating: 0x61, count: 100_000)
            let url = "\(Servers.interim)/expectation-failed"
            let response = try await session.send(.post, url, headers: ["Expect": "100-continue"], body: body)
            #expect(response.text == "100000 without")
            #expect(try await session.send(.post, url, body: body).text == "100000 without")
        }

        @Test(arguments: Engine.ours(with: .trailers)) func `trailers are separate from headers and keep their order`(
            engine: Engine
        ) async throws {
            let session = engine.session()
            for _ in 0..<3 {
                let response = try await session.send(.get, "\(Servers.interim)/trailers")
                #expect(response.text == "with trailers")
                #expect(response.trailers.values(for: "x-sum") == ["1", "2"] && response.trailers["X-Other"] == "")
                #expect(response.headers["X-Sum"] == nil && response.headers["Trailer"] == "X-Sum, X-Sum, X-Other")
            }
        }

        @Test(arguments: Engine.ours(with: .trailers)) func `trailers count towards the limit for response heads`(engine: Engine)
            async throws
        {
            let session = engine.session()
            #expect(try await session.send(.get, "\(Servers.interim)/many-trailers?count=500").trailers.fields.count == 500)
            let error = try await session.failure(.get, "\(Servers.interim)/many-trailers?count=5000")
            #expect(error.code == .headersTooLarge, "\(error)")
        }

        @Test(arguments: Engine.ours(with: .trailers)) func `interim responses are skipped and trailers are returned over HTTP 2`(
            engine: Engine
        )
            async throws
        {
            let response = try await engine.trusting().send(.get, "\(Servers.streams)/trailers")
            #expect(response.statusCode == 200 && response.text == "body" && response.headers["link"] == nil)
            #expect(response.trailers.values(for: "X-Sum") == ["1", "2"])
        }
    }
}
