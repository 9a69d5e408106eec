import Foundation
import NetworkRecordings
import NetworkTesting
import Testing
import TransferTestSupport

@Suite(.timeLimit(.minutes(10))) struct RecordingSessionTests {
    private let live = DefaultSessionManager()

    private func replay(_ recording: RecordingSessionManager) throws -> ReplaySessionManager {
        ReplaySessionManager(try HTTPArchive(data: recording.archive.data()), options: .init(repeatsLastResponse: false))
    }

    @Test func `recorded statuses, fields, bytes and redirects are replayed`() async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.get, "/json") { _ in LoopbackResponse.json(#"{"id": 7}"#).header(#""1""#, for: "ETag") }
            LoopbackRoute(.get, "/bytes") { _ in .data(Data([0, 255, 128])) }
            LoopbackRoute(.get, "/none") { _ in .status(404) }
            LoopbackRoute(.get, "/old") { _ in LoopbackResponse.status(302).header("/json", for: "Location") }
            LoopbackRoute(.post, "/echo") { request in .data(request.body) }
        }
        func requests() throws -> [NetworkRequest] {
            let base = server.url.absoluteString
            return try [
                .make(.get, base + "/json?b=2&a=1"), .make(.get, base + "/bytes"), .make(.get, base + "/none"),
                .make(.get, base + "/old"),
                .make(.post, base + "/echo", headers: ["Content-Type": "text/plain"], body: "Grüße"),
                .make(.post, base + "/echo", headers: ["Content-Type": "application/octet-stream"], body: "\u{0}\u{1}"),
            ]
        }
        let recording = RecordingSessionManager(live)
        var first: [NetworkResponse] = []
        for request in try requests() { first.append(try await recording.response(for: request)) }
        let session = try replay(recording)
        for (request, expected) in zip(try requests(), first) {
            let response = try await session.response(for: request)
            #expect(response.statusCode == expected.statusCode && response.data == expected.data && response.url == expected.url)
            #expect(response.headers == expected.headers)
        }
        #expect(session.unused.isEmpty)
        let entry = recording.archive.entries[0]
        #expect(entry.response.bodySize == 9 && entry.response.httpVersion == "HTTP/1.1" && entry.timings.wait != nil)
        #expect(entry.timings.total > .zero && entry.response.statusText == "OK")
        #if os(Linux)
            #expect(recording.archive.entries.map(\.serverAddress) == Array(repeating: "127.0.0.1", count: 6))
        #endif
    }

    @Test func `compressed responses are recorded decoded, with their compressed size`() async throws {
        // `{"film":"Nosferatu, Metropolis, …"}`, 139 bytes, compressed by gzip.
        let packed = try #require(
            Data(base64Encoded: "H4sIAAAAAAACA6tWSsvMyVWyUvLLL05LLUosKdVR8E0tKcovyM/JLNZRCC7NK8osTtVRoLW8Ui0AkENrI4sAAAA="))
        let server = try LoopbackServer { _ in
            LoopbackResponse.data(packed).header("application/json", for: "Content-Type").header("gzip", for: "Content-Encoding")
                .header("sha-256=:AAAA:", for: "Content-Digest")
        }
        let recording = RecordingSessionManager(live)
        let request = try NetworkRequest.make(.get, server.url.absoluteString + "/x")
        let body = try await recording.response(for: request).data
        #expect(body.count == 139)
        #expect(recording.archive.entries[0].response.bodySize == Int64(packed.count))
        let again = try await replay(recording).response(for: request)
        #expect(again.data == body && again.headers["Content-Length"] == "139")
        #expect(!again.headers.contains("Content-Encoding") && !again.headers.contains("Content-Digest"))
    }

    #if os(Linux)
        // RFC 9110 §6.5
        @Test func `trailers are recorded, with secrets redacted, and replayed`() async throws {
            let server = try LoopbackServer { _ in
                .chunked(
                    [Data("text".utf8)],
                    trailers: ["Repr-Digest": "sha-256=:AAAA:", "Server-Timing": "db;dur=1", "X-Api-Key": "CaNaRy7Qz"])
            }
            let recording = RecordingSessionManager(live)
            let request = NetworkRequest(url: server.url)
            #expect(try await recording.response(for: request).trailers["Server-Timing"] == "db;dur=1")
            let streamed = try await recording.stream(for: request)
            for try await _ in streamed.body {}
            #expect(!String(decoding: try recording.archive.data(), as: UTF8.self).contains("CaNaRy7Qz"))
            let session = try replay(recording)
            let expected: HeaderFields = [
                "Repr-Digest": "sha-256=:AAAA:", "Server-Timing": "db;dur=1", "X-Api-Key": "<redacted>",
            ]
            #expect(try await session.response(for: request).trailers == expected)
            let again = try await session.stream(for: request)
            for try await _ in again.body {}
            #expect(again.trailers == expected)
        }
    #endif

    @Test func `no secret is written, and requests with other secrets match`() async throws {
        let canary = "CaNaRy7Qz"
        let stub = StubSessionManager()
        stub.route { _ in
            .json(
                #"{"access_token": "\#(canary)", "id": 7}"#,
                headers: [
                    "Set-Cookie": "session=\(canary)", "Location": "https://a.test/?code=\(canary)", "Content-Length": "38",
                ])
        }
        let recording = RecordingSessionManager(stub)
        func requests(_ secret: String) throws -> [NetworkRequest] {
            var form = MultipartForm(boundary: "b\(secret.count)")
            form.append(secret, name: "password")
            form.append("open", name: "name")
            let url = "https://u:\(secret)@a.test/x?api_key=\(secret)&r=https%3A%2F%2Fb%2F%3Ftoken%3D\(secret)&a=1"
            return try [
                .make(.get, url, headers: ["Authorization": "Bearer \(secret)", "Cookie": "a=\(secret)", "X-Api-Key": secret]),
                .make(
                    .post, headers: ["Content-Type": "application/json"], body: #"{"user": {"password": "\#(secret)"}, "a": 1}"#),
                .make(
                    .post, headers: ["Content-Type": "application/x-www-form-urlencoded"], body: "client_secret=\(secret)&a=1"),
                .make(
                    .post, headers: ["Content-Type": "multipart/form-data; boundary=b\(secret.count)"],
                    body: String(decoding: form.encoded(), as: UTF8.self)),
                .make(.post, headers: ["Content-Type": "text/plain"], body: "curl -H 'Authorization: Bearer \(secret)'"),
            ]
        }
        for request in try requests(canary) { _ = try await recording.response(for: request) }
        let file = String(decoding: try recording.archive.data(), as: UTF8.self)
        #expect(!file.contains(canary))
        let session = try replay(recording)
        for request in try requests("another secret") {
            let response = try await session.response(for: request)
            #expect(String(decoding: response.data, as: UTF8.self) == #"{"access_token": "<redacted>", "id": 7}"#)
            #expect(response.headers["Content-Length"] == "\(response.data.count)")
        }
        // Values that are not secret are still compared.
        let other = try NetworkRequest.make(
            .post, headers: ["Content-Type": "application/json"], body: #"{"user": {"password": "x"}, "a": 2}"#)
        #expect(await session.failure(of: other)?.message.contains("the body differs at a") == true)
    }

    @Test func `secret numbers in a response are replaced by 0, so that the response can still be decoded`() async throws {
        struct Failure: Decodable, Sendable, Equatable { var pin: Int, code: Int, message: String }
        let recording = RecordingSessionManager(
            StubSessionManager(returning: .json(#"{"pin": 17, "code": 404, "message": "no"}"#)))
        _ = try await recording.response(
            for: .make(.post, headers: ["Content-Type": "application/json"], body: #"{"pin": 1234}"#))
        #expect(!String(decoding: try recording.archive.data(), as: UTF8.self).contains("1234"))
        let again = try await replay(recording).response(
            for: .make(.post, headers: ["Content-Type": "application/json"], body: #"{"pin": 4321}"#))
        #expect(try JSONDecoder().decode(Failure.self, from: again.data) == Failure(pin: 0, code: 404, message: "no"))
    }

    @Test func `bodies from files, streams and forms are recorded in the form in which they are sent`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("a.bin")
        try Data(repeating: 3, count: 100_000).write(to: file)
        let server = try LoopbackServer { request in .text("\(request.body.count)") }
        let recording = RecordingSessionManager(live)
        var form = MultipartForm(boundary: "b")
        form.append(.file(file), name: "file")
        form.append(
            .stream(
                AsyncStream {
                    $0.yield(Data("streamed".utf8)); $0.finish()
                }, length: 8), name: "s")
        let url = server.url
        let bodies: [NetworkBody] = [
            .file(file),
            .stream(
                AsyncStream {
                    for byte in 0..<9 as Range<UInt8> { $0.yield(Data([byte])) }; $0.finish()
                }),
            try form.content(),
        ]
        for body in bodies { _ = try await recording.response(for: NetworkRequest(method: .put, url: url, body: body)) }
        let sent = server.requests.map(\.body)
        #expect(sent.map(\.count)[..<2] == [100_000, 9] && sent.count == 3)
        #expect(recording.archive.entries.map { $0.request.body?.data } == sent.map { $0 as Data? })
        #expect(recording.archive.entries.map(\.request.bodySize) == sent.map { Int64($0.count) })
        // Equal bodies in memory match them.
        let session = try replay(recording)
        for body in sent { _ = try await session.response(for: NetworkRequest(method: .put, url: url, body: .data(body))) }
    }

    @Test func `a body that is sent again after a redirect is recorded once`() async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.put, "/old") { _ in LoopbackResponse.status(307).header("/new", for: "Location") }
            LoopbackRoute(.put, "/new") { request in .data(request.body) }
        }
        let recording = RecordingSessionManager(live)
        let url = server.url.appendingPathComponent("old")
        let body = NetworkBody.stream {
            AsyncStream<Data> {
                $0.yield(Data("again".utf8)); $0.finish()
            }
        }
        #expect(try await recording.text(NetworkRequest(method: .put, url: url, body: body)) == "again")
        #expect(recording.archive.entries.map { $0.request.body?.data } == [Data("again".utf8)])
    }

    @Test func `a streamed body is recorded as it is read, up to the limit`() async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse.data(Data(repeating: 5, count: 300_000)).fault(.drip(bytes: 50_000, every: .milliseconds(1)))
        }
        let request = NetworkRequest(url: server.url)
        for (limit, isTruncated) in [(300_000, false), (100_000, true)] {
            let recording = RecordingSessionManager(live, limits: .init(maximumBodyBytes: limit))
            let response = try await recording.stream(for: request)
            #expect(recording.archive.entries.isEmpty)
            #expect(try await response.body.collected().count == 300_000)
            let body = try #require(recording.archive.entries.first?.response.body)
            #expect(body.data?.count == limit && body.isTruncated == isTruncated)
            let again = try await replay(recording).stream(for: request)
            if isTruncated {
                await #expect(throws: TransportError.self) { try await again.body.collected() }
            } else {
                #expect(try await again.body.collected() == Data(repeating: 5, count: 300_000))
            }
            // The limit also applies to a buffered body.
            _ = try await recording.response(for: request)
            #expect(recording.archive.entries.last?.response.body.isTruncated == isTruncated)
        }
    }

    @Test func `for a body that is released early, the part that was read is recorded`() async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse.data(Data(repeating: 5, count: 1_000_000)).fault(.drip(bytes: 10_000, every: .milliseconds(1)))
        }
        let recording = RecordingSessionManager(live)
        var read = 0
        do {
            let response = try await recording.stream(for: NetworkRequest(url: server.url))
            for try await chunk in response.body {
                read = chunk.count
                break
            }
        }
        let entry = try #require(recording.archive.entries.first)
        #expect(entry.response.body.data?.count == read && entry.response.body.isTruncated && entry.failure == nil)
    }

    @Test func `failures are recorded and replayed`() async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.get, "/cut") { _ in LoopbackResponse.text("hello").fault(.truncateBody(after: 3)) }
        }
        let recording = RecordingSessionManager(live)
        let cut = try NetworkRequest.make(.get, server.url.absoluteString + "/cut")
        let error = await recording.failure(of: cut)
        #expect(error?.code == .incompleteBody)
        var received = Data()
        let stream = try await recording.stream(for: cut)
        await #expect(throws: TransportError.self) { for try await chunk in stream.body { received += chunk } }
        let session = try replay(recording)
        let again = await session.failure(of: cut)
        #expect(again?.code == .incompleteBody && again?.phase == error?.phase && again?.message == error?.message)
        var replayed = Data()
        let second = try await session.stream(for: cut)
        await #expect(throws: TransportError.self) { for try await chunk in second.body { replayed += chunk } }
        #expect(received == Data("hel".utf8) && replayed == received)
    }

    @Test func `cancelled requests are not recorded`() async throws {
        let stub = StubSessionManager(returning: .silence)
        let recording = RecordingSessionManager(stub)
        let task = Task { await recording.failure(of: try .make()) }
        while stub.waitingCount == 0, !Task.isCancelled { await Task.yield() }
        task.cancel()
        #expect(try await task.value?.isCancelled == true && recording.archive.entries.isEmpty)
        let handle: (any NetworkCancellable)? = recording.response(for: try .make()) { _ in }
        handle?.cancel()
        var invalid = try NetworkRequest.make()
        invalid.headers = ["A": "\n"]
        #expect(await recording.failure(of: invalid)?.code == .invalidRequest)
        #expect(recording.archive.entries.isEmpty)
    }

    @Test func `entries are in the order in which their exchanges started`() async throws {
        let stub = StubSessionManager()
        stub.route(.silence, for: "/slow")
        stub.route(.text("fast"), for: "/fast")
        let recording = RecordingSessionManager(stub)
        let (slow, fast) = (
            try await recording.stream(for: .make(.get, "https://a.test/fast")),
            try NetworkRequest.make(.get, "https://a.test/fast")
        )
        _ = try await recording.response(for: .make(.get, "https://a.test/fast?2"))
        #expect(recording.archive.entries.count == 1)
        _ = try await slow.body.collected()
        _ = try await recording.response(for: fast)
        #expect(
            recording.archive.entries.map(\.request.url) == [
                "https://a.test/fast", "https://a.test/fast?2", "https://a.test/fast",
            ])
    }

    @Test func `the file is readable only by its owner, and concurrent writes are atomic`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("new/a.har")
        let recording = RecordingSessionManager(StubSessionManager(returning: .text("ok")))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    _ = try await recording.response(for: .make(.get, "https://a.test/\(number)"))
                    try recording.save(to: file)
                    // The file is complete at any time.
                    _ = try HTTPArchive(contentsOf: file)
                }
            }
            try await group.waitForAll()
        }
        #expect(try HTTPArchive(contentsOf: file).entries.count == 20)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("new").path) == ["a.har"])
    }

    @Test func `an exchange that cannot be recorded or written is an error`() async throws {
        let folder = try TemporaryFolder()
        let stub = StubSessionManager(returning: .text("0123456789"))
        for (limits, name) in [
            (RecordingLimits(maximumBytes: 15), "maximumBytes"), (RecordingLimits(maximumEntries: 1), "maximumEntries"),
        ] {
            let recording = RecordingSessionManager(stub, limits: limits)
            _ = try await recording.response(for: .make())
            try recording.save(to: folder.file("a.har"))
            _ = try await recording.response(for: .make())
            let error = #expect(throws: HTTPArchiveError.self) { try recording.save(to: folder.file("a.har")) }
            #expect(error?.description.contains("(\(name))") == true)
        }
        let inTheWay = folder.file("directory")
        try FileManager.default.createDirectory(at: inTheWay.appendingPathComponent("full"), withIntermediateDirectories: true)
        let error = #expect(throws: HTTPArchiveError.self) { try RecordingSessionManager(stub).save(to: inTheWay) }
        #expect(error?.description.hasPrefix("directory: the archive cannot be written: the new file cannot be renamed") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == ["a.har", "directory"])
    }
}
