import Foundation
import NetworkSupport
import NetworkTesting
import Testing

struct StubSessionManagerTests {
    let session = StubSessionManager()

    private func request(_ path: String, method: RequestMethod = .get) throws -> NetworkRequest {
        NetworkRequest(method: method, url: try #require(URL(string: "http://api.example" + path)))
    }

    private func text(_ path: String, method: RequestMethod = .get) async throws -> String {
        String(decoding: try await session.response(for: request(path, method: method)).data, as: UTF8.self)
    }

    @Test func `enqueued responses are returned once, in order`() async throws {
        session.enqueue(.text("1"), for: "/a")
        session.enqueue(.text("2"), for: "/a")
        #expect(try await text("/a") == "1")
        #expect(try await text("/a?x=1") == "2")
        await #expect(throws: TransportError.self) { try await text("/a") }
    }

    @Test func `the most specific response is returned, by path, route, or any path`() async throws {
        session.enqueue(.text("any"))
        session.route(.text("route"), for: "/a")
        session.enqueue(.text("path"), for: "/a")
        #expect(try await text("/a") == "path")
        #expect(try await text("/a") == "route")
        #expect(try await text("/b") == "any")
    }

    @Test func `a route is called once for each request`() async throws {
        let calls = Locked(0)
        let session = StubSessionManager()
        session.route { _ in nil }
        session.route { _ in
            calls.withLock { $0 += 1 }
            return .text("ok")
        }
        session.route { _ in
            calls.withLock { $0 += 100 }
            return .text("never")
        }
        _ = try await session.response(for: NetworkRequest(url: URL(string: "https://api.test/a")!))
        #expect(calls.withLock { $0 } == 1)
    }

    @Test func `a stub can require a method`() async throws {
        session.enqueue(.text("post"), for: "/a", method: .post)
        session.enqueue(.text("get"), for: "/a", method: .get)
        #expect(try await text("/a") == "get")
        #expect(try await text("/a", method: .post) == "post")
    }

    @Test(arguments: [
        ("/users/{id}", "/users/7", true), ("/users/{id}", "/users", false), ("/users/{id}", "/users/7/posts", false),
        ("/users/{id}", "/users/7?a=1", true), ("/users?page=1", "/users?page=1", true),
        ("/users?page=1", "/users?page=2", false),
        ("/users?page=1", "/users", false), ("/users?a=1&b=2", "/users?b=2&a=1", true), ("/users?a=x y", "/users?a=x%20y", true),
        ("/users?", "/users", true), ("/users?", "/users?a", false), ("/a b", "/a%20b", true), ("/users/", "/users", false),
    ])
    func `a stub may have parameters in its path and a query`(stub: String, path: String, isFound: Bool) async throws {
        let url = try #require(URL(string: "http://api.example\(path)"))
        session.route(.text("found"), for: stub)
        session.route { _ in .text("other") }
        let data = try await session.response(for: NetworkRequest(url: url)).data
        #expect(String(decoding: data, as: UTF8.self) == (isFound ? "found" : "other"))
    }

    @Test func `a session manager that is closed refuses requests, and ends those without a response`() async throws {
        session.route { _ in .silence }
        let request = try request("/x")
        let task = Task { try await session.response(for: request) }
        while session.waitingCount == 0 { await Task.yield() }
        let report = await session.close(grace: .seconds(3600))
        #expect(report.cancelledCount == 1 && report.cancelled.first?.request == "GET http://api.example/x")
        for result in [await task.result, await Task { try await session.response(for: request) }.result] {
            let error = #expect(throws: TransportError.self) { try result.get() }
            #expect(error?.code == .sessionClosed)
        }
        #expect(session.requests.count == 1 && session.waitingCount == 0)
        #expect(await session.close().cancelledCount == 1)
    }

    @Test func `a request without a stub fails with a message that lists the stubs`() async throws {
        session.enqueue(.text("x"), for: "/users", method: .post)
        session.route(.text("x"), for: "/movies/{id}")
        let request = try request("/user")
        do throws(TransportError) {
            _ = try await session.response(for: request)
            Issue.record("the request did not fail")
        } catch {
            #expect(error.code == .notStubbed)
            #expect(error.message.contains("GET /user") && error.message.contains("POST /users"))
            #expect(error.message.contains("any /movies/{id}"))
        }
    }

    @Test func `requests are recorded, and validated in the same way as by a real session manager`() async throws {
        session.route { _ in .status(200) }
        var bad = try request("/bad")
        bad.headers = ["A": "1\r\n"]
        await #expect(throws: TransportError.self) { try await session.response(for: bad) }
        _ = try await text("/good")
        #expect(session.requests.map(\.url.path) == ["/good"])
    }

    @Test func `a stubbed failure is thrown with its request`() async throws {
        session.enqueue(.failure(.timedOut, phase: .connect))
        let request = try request("/x")
        do throws(TransportError) {
            _ = try await session.response(for: request)
        } catch {
            #expect(error.isTimeout && error.phase == .connect && error.request == "GET http://api.example/x")
        }
    }

    @Test func `a request without a response waits until it is cancelled`() async throws {
        session.route { _ in .silence }
        let request = try request("/x")
        let task = Task { try await session.response(for: request) }
        while session.waitingCount == 0 { await Task.yield() }
        task.cancel()
        await #expect(throws: TransportError.self) { try await task.value }
        #expect(session.waitingCount == 0)
    }

    @Test func `responses to concurrent requests are not mixed up`() async throws {
        for number in 0..<500 { session.enqueue(.text("\(number)"), for: "/\(number)") }
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<500 { group.addTask { (try? await text("/\(number)")) == "\(number)" } }
            for await isRight in group { #expect(isRight) }
        }
        #expect(session.requests.count == 500)
    }
}
