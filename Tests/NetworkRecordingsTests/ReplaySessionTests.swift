import Foundation
import NetworkRecordings
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@Suite(.timeLimit(.minutes(10))) struct ReplaySessionTests {
    private func entry(
        _ method: String = "GET", _ url: String = "https://a.test/x", body: (type: String, text: String)? = nil, response: String
    ) -> HTTPArchive.Entry {
        HTTPArchive.Entry(
            request: .init(
                method: RequestMethod(method), url: url,
                body: body.map { .init(Data($0.text.utf8), mimeType: $0.type) }),
            response: .init(statusCode: 200, body: .init(Data(response.utf8), mimeType: "text/plain"), finalURL: url))
    }

    private func session(_ entries: HTTPArchive.Entry..., options: ReplayOptions = .init()) -> ReplaySessionManager {
        ReplaySessionManager(HTTPArchive(entries: entries), options: options)
    }

    @Test(
        arguments: [
            ("https://a.test/x", "https://A.TEST:443/x"), ("https://a.test", "https://a.test/"),
            ("https://a.test/x?a=1&b=2", "https://a.test/x?b=2&a=1"), ("https://a.test/x?a=b+c", "https://a.test/x?a=b%20c"),
            ("https://a.test/%C3%BC", "https://a.test/%c3%bc"), ("https://a.test/x", "https://u:p@a.test/x"),
            ("https://a.test/x?token=%3Credacted%3E&a=1", "https://a.test/x?token=whatever&a=1"),
            ("https://a.test/x?r=https%3A%2F%2Fx%2F%3Credacted%3E", "https://a.test/x?r=https%3A%2F%2Fx%2Fsecret"),
            ("https://a.test/%3Credacted%3E/y", "https://a.test/secret/y"),
        ])
    func `equivalent URLs match`(recorded: String, requested: String) async throws {
        #expect(try await session(entry("GET", recorded, response: "1")).text(.make(.get, requested)) == "1")
    }

    @Test(
        arguments: [
            ("https://a.test/y", "[0] GET /x: the path differs"), ("https://a.test/x/", "[0] GET /x: the path differs"),
            ("http://a.test/x", "[0] GET https://a.test/x?…: the origin differs"),
            ("https://a.test/x?a=1&b=3", #"[0] GET /x: query item "b" differs: "3", recorded "2""#),
            ("https://a.test/x?a=1", #"[0] GET /x: query item "b" is missing"#),
            ("https://a.test/x?a=1&b=2&c=3", #"[0] GET /x: query item "c" is not recorded"#),
            ("https://a.test/x?a=1&b=2&a=1", #"[0] GET /x: query item "a" is not recorded"#),
        ])
    func `a request without a match fails with the nearest entry and the difference`(url: String, message: String) async throws {
        let session = session(entry("GET", "https://a.test/x?a=1&b=2", response: "1"))
        let error = await session.failure(of: try .make(.get, url))
        #expect(error?.code == .notStubbed)
        #expect(error?.message == "the archive has no matching response; nearest of 1 entries: \(message)")
    }

    @Test func `the error lists at most three entries, nearest first, without secrets`() async throws {
        let session = session(
            entry("GET", "https://b.test/far/away", response: ""), entry("POST", "https://a.test/x", response: ""),
            entry("GET", "https://a.test/x?api_key=k1", response: ""), entry("GET", "https://a.test/z", response: ""))
        let error = await session.failure(of: try .make(.get, "https://a.test/x?api_key=CaNaRy"))
        let message = try #require(error?.message)
        #expect(
            message.hasSuffix(
                #"[2] GET /x: query item "api_key" differs; [1] POST /x: the method differs; [3] GET /z: the path differs"#))
        #expect(!message.contains("CaNaRy") && !message.contains("k1"))
    }

    @Test(
        arguments: [
            ("application/json", #"{"a":1,"b":[true,null]}"#, #"{ "b": [true, null], "a": 1.0 }"#, nil),
            ("application/json", #"{"a":{"b":[1,2]}}"#, #"{"a":{"b":[1,3]}}"#, "the body differs at a.b[1]"),
            ("application/json", #"{"a":1}"#, #"{"a":1,"c":2}"#, "the body differs at c"),
            ("application/json", #"{"a":true}"#, #"{"a":1}"#, "the body differs at a"),
            ("application/json", "[1]", "[1", "the body is not JSON"),
            ("application/json", #"{"password":"<redacted>","a":1}"#, #"{"password":["x"],"a":1}"#, nil),
            ("application/json", #"{"t":"Bearer <redacted>!"}"#, #"{"t":"Bearer abc!"}"#, nil),
            ("application/json", #"{"t":"Bearer <redacted>!"}"#, #"{"t":"Basic abc!"}"#, "the body differs at t"),
            ("application/x-www-form-urlencoded", "a=1&pin=<redacted>", "pin=0000&a=1", nil),
            ("application/x-www-form-urlencoded", "a=1", "a=2", #"the form's item "a" differs"#),
            ("text/plain", "hello", "hello", nil), ("text/plain", "hello", "Hello", "the body differs"),
            ("text/plain", "a <redacted> b <redacted>", "a 1 b 2", nil),
            ("text/plain", "<redacted> b", "a c", "the body differs"),
            ("text/plain", "<redacted> a <redacted> b <redacted>", "1 b 2 a 3", "the body differs"),
            ("text/plain", "<redacted> a <redacted> a", "1 a", "the body differs"),
            ("text/plain", "ab<redacted>b", "ab", "the body differs"), ("text/plain", "ab<redacted>b", "abb", nil),
            ("text/plain", "", "x", "the body is recorded as empty"), ("text/plain", "x", "", "the body is empty"),
        ] as [(String, String, String, String?)])
    func `bodies are compared by content according to their media type`(
        type: String, recorded: String, sent: String, difference: String?
    ) async throws {
        let session = session(entry("POST", body: (type, recorded), response: "1"))
        let error = await session.failure(of: try .make(.post, headers: ["Content-Type": type], body: sent))
        #expect(error?.message.components(separatedBy: "POST /x: ").last == difference)
    }

    @Test func `options exclude parts from the comparison`() async throws {
        let recorded = entry("POST", "http://127.0.0.1:4711/x?at=1&a=1", body: ("text/plain", "a"), response: "1")
        let request = try NetworkRequest.make(.post, "http://127.0.0.1:9/x?a=1&at=2", body: "b")
        let options = ReplayOptions(ignoredQueryItems: ["at"], ignoresOrigin: true, matchesBody: false)
        #expect(try await session(recorded, options: options).text(request) == "1")
        #expect(await session(recorded).failure(of: request)?.code == .notStubbed)
        let ordered = session(
            entry("GET", "https://a.test/x?a=1&b=2", response: "1"), options: .init(ignoresQueryOrder: false))
        #expect(await ordered.failure(of: try .make(.get, "https://a.test/x?b=2&a=1"))?.code == .notStubbed)
        #expect(try await ordered.text(.make(.get, "https://a.test/x?a=1&b=2")) == "1")
    }

    @Test func `a body that is not compared is not read`() async throws {
        struct Unreadable: Error {}
        let body = NetworkBody.stream(AsyncThrowingStream<Data, any Error> { throw Unreadable() })
        var request = try NetworkRequest.make(.post)
        request.body = body
        #expect(try await session(entry("POST", response: "1"), options: .init(matchesBody: false)).text(request) == "1")
        #expect(await session(entry("POST", response: "1")).failure(of: request)?.code == .bodyFailed)
    }

    @Test func `the last response is repeated unless the options forbid it`() async throws {
        let twice = [entry(response: "1"), entry(response: "2")]
        let repeating = ReplaySessionManager(HTTPArchive(entries: twice))
        var texts: [String] = []
        for _ in 1...3 { texts.append(try await repeating.text(.make())) }
        #expect(texts == ["1", "2", "2"] && repeating.unused.isEmpty)
        let strict = ReplaySessionManager(HTTPArchive(entries: twice), options: .init(repeatsLastResponse: false))
        #expect(strict.unused == ["GET https://a.test/x", "GET https://a.test/x"])
        for _ in 1...2 { _ = try await strict.text(.make()) }
        #expect(await strict.failure(of: try .make())?.message.contains("2 responses") == true)
    }

    @Test func `concurrent requests receive each recorded response once`() async throws {
        let entries = (0..<200).map { entry(response: "\($0)") }
        let session = ReplaySessionManager(HTTPArchive(entries: entries), options: .init(repeatsLastResponse: false))
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<200 { group.addTask { try await session.text(.make()) } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(texts.count == 200)
    }

    @Test func `a request that is not recorded is sent to the fallback, including its body`() async throws {
        let live = StubSessionManager(returning: .text("live"))
        let session = ReplaySessionManager(HTTPArchive(entries: [entry(response: "recorded")]), fallback: live)
        #expect(try await session.text(.make()) == "recorded" && live.requests.isEmpty)
        var request = try NetworkRequest.make(.post)
        request.body = .stream(
            AsyncStream {
                $0.yield(Data("once".utf8)); $0.finish()
            })
        #expect(try await session.text(request) == "live")
        #expect(live.requests.first?.body?.data == Data("once".utf8))
    }

    @Test func `progress finishes once, for a replayed response and for one from the fallback`() async throws {
        final class Watcher: TransferProgressObserver {
            let ends = Locked(0)
            func transferDidProgress(_ progress: TransferProgress) {
                if progress.isFinished { ends.withLock { $0 += 1 } }
            }
        }
        let session = ReplaySessionManager(
            HTTPArchive(entries: [entry(response: "1")]), fallback: StubSessionManager(returning: .text("live")))
        for url in ["https://a.test/x", "https://a.test/other"] {
            let (whole, streamed) = (Watcher(), Watcher())
            var request = try NetworkRequest.make(.get, url)
            request.progress = whole
            _ = try await session.response(for: request)
            request.progress = streamed
            _ = try await session.stream(for: request).body.collected()
            #expect(whole.ends.withLock { $0 } == 1 && streamed.ends.withLock { $0 } == 1)
        }
    }

    @Test func `a body that is missing from the archive is an error, and not an empty body`() async throws {
        let lost = try ReplaySessionManager(
            ArchiveSamples.archive(
                ArchiveSamples.entry(response: #""status": 200, "content": {"size": 5000, "mimeType": "text/plain"}"#)))
        let error = await lost.failure(of: try .make())
        #expect(
            error?.code == .notStubbed && error?.message.hasPrefix("log.entries[0].response.content has no complete body") == true
        )
        var cut = entry(response: "half")
        cut.response.body.isTruncated = true
        cut.response.headers = ["Content-Length": "9"]
        #expect(await session(cut).failure(of: try .make())?.message.contains("first 4 bytes") == true)
        let stream = try await session(cut).stream(for: .make())
        #expect(stream.headers["Content-Length"] == "9")
        var received = Data()
        let end = await #expect(throws: TransportError.self) { for try await chunk in stream.body { received += chunk } }
        #expect(received == Data("half".utf8) && end?.code == .notStubbed)
    }

    @Test(
        arguments: [
            ("text/plain; charset=utf-16", "ok", "text/plain; charset=utf-8"),
            ("text/plain; charset=\"Windows-1252\"; a=b", "ü", "text/plain; charset=utf-8"),
            ("text/plain; charset=iso-8859-1", "ok", "text/plain; charset=iso-8859-1"),
            ("text/plain; charset=UTF-8", "ü", "text/plain; charset=UTF-8"), ("text/plain", "ü", "text/plain"),
        ])
    func `text that a browser recorded as Unicode is replayed as UTF-8`(type: String, text: String, expected: String) async throws
    {
        var entry = entry(response: text)
        entry.response.headers = ["Content-Type": type]
        #expect(try await session(entry).response(for: .make()).headers["Content-Type"] == type)
        entry.response.finalURL = nil
        #expect(try await session(entry).response(for: .make()).headers["Content-Type"] == expected)
    }

    @Test func `a streamed response has the same head, and its body arrives in several chunks`() async throws {
        var large = entry(response: "")
        large.response.body.data = Data(repeating: 7, count: 150_000)
        large.response.headers = ["Content-Length": "9", "A": "1"]
        let response = try await session(large).stream(for: .make())
        var pieces: [Int] = []
        for try await chunk in response.body { pieces.append(chunk.count) }
        #expect(pieces == [65536, 65536, 18928] && response.headers["Content-Length"] == "150000")
        #expect(response.timings.bytesReceived == 150_000)
        let completed: Result<NetworkResponse, TransportError> = await withCheckedContinuation { done in
            session(large).response(for: try! .make()) { done.resume(returning: $0) }
        }
        #expect(try completed.get().data.count == 150_000)
    }

    @Test func `a recorded interruption is replayed after the same number of bytes`() async throws {
        var broken = entry(response: "half")
        broken.failure = .init(.incompleteBody, phase: .receive, message: "cut")
        let stream = try await session(broken).stream(for: .make())
        var received = Data()
        let end = await #expect(throws: TransportError.self) { for try await chunk in stream.body { received += chunk } }
        #expect(received == Data("half".utf8) && end?.code == .incompleteBody && end?.phase == .receive)
        #expect(await session(broken).failure(of: try .make())?.code == .incompleteBody)
    }

    @Test func `a redirect loop, or a redirect to an unknown URL, is an error`() async throws {
        func redirect(_ path: String, to location: String) -> HTTPArchive.Entry {
            HTTPArchive.Entry(
                request: .init(url: "https://a.test" + path), response: .init(statusCode: 302, headers: ["Location": location]))
        }
        let circle = session(redirect("/x", to: "/y"), redirect("/y", to: "/x"))
        #expect(await circle.failure(of: try .make())?.code == .tooManyRedirects)
        #expect(await session(redirect("/x", to: "/z")).failure(of: try .make())?.code == .notStubbed)
        // RecordingSessionManager writes this for a redirect that was not followed.
        var last = redirect("/x", to: "/y")
        last.response.finalURL = "https://a.test/x"
        #expect(try await session(last).response(for: .make()).statusCode == 302)
    }

    @Test func `delays are reproduced if the options request it`() async throws {
        let clock = ManualClock()
        var slow = entry(response: "1")
        slow.timings = .init(wait: .seconds(3), receive: .seconds(1))
        let session = session(
            slow,
            options: .init(reproducesDelays: true, clock: clock))
        let task = Task { try await session.text(.make()) }
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .milliseconds(3999))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .milliseconds(1))
        #expect(try await task.value == "1")
        let cancelled = Task { await session.failure(of: try .make()) }
        await clock.waitForSleepers(count: 1)
        cancelled.cancel()
        #expect(try await cancelled.value?.isCancelled == true)
    }
}
