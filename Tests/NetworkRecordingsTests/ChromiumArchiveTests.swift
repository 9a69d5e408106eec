import Foundation
import NetworkRecordings
import NetworkTesting
import Testing
import TransferTestSupport

/// An archive exported by Chromium, of a page that requested these resources from a small server.
@Suite(.timeLimit(.minutes(10))) struct ChromiumArchiveTests {
    let session: ReplaySessionManager

    init() throws {
        session = try ReplaySessionManager(contentsOf: ArchiveSamples.chromium)
    }

    private func request(
        _ method: RequestMethod = .get, _ path: String, type: String? = nil, body: String? = nil
    ) throws -> NetworkRequest {
        try .make(
            method, "http://127.0.0.1:8765" + path, headers: type.map { ["Content-Type": $0] } ?? [:], body: body)
    }

    @Test func `compressed content is replayed decoded, without Content-Encoding`() async throws {
        let recorded = try #require(try HTTPArchive(contentsOf: ArchiveSamples.chromium).entries.first)
        #expect(recorded.response.headers["Content-Encoding"] == "gzip" && recorded.response.headers["Content-Length"] == "66")
        let response = try await session.response(for: request(.get, "/users.json?page=1&q=a%20b"))
        #expect(response.data.count == 244 && response.headers["Content-Length"] == "244")
        #expect(!response.headers.contains("Content-Encoding") && response.headers["ETag"] == #""1""#)
    }

    @Test func `a repeated request receives the second recorded response the second time and every time after`() async throws {
        struct Users: Decodable, Sendable { struct User: Decodable, Sendable { var id: Int, name: String }; var list: [User] }
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration("http://127.0.0.1:8765"), sessionManager: session)
        let endpoint = Endpoint<Users>(path: "users.json", queryParameters: ["q": "a b", "page": 1])
        var ids: [Int] = []
        for _ in 1...3 { ids.append(try await service.request(endpoint).list[0].id) }
        #expect(ids == [1, 2, 2])
    }

    @Test func `forms and JSON are compared by content, not byte by byte`() async throws {
        let form = "application/x-www-form-urlencoded"
        #expect(try await session.text(request(.post, "/login", type: form, body: "remember=tr%75e&user=ada")).contains("abc"))
        #expect(
            await session.failure(of: try request(.post, "/login", type: form, body: "user=eve&remember=true"))?.code
                == .notStubbed)
        let json = try await session.response(
            for: request(.post, "/movies", type: "application/json", body: #"{ "title": "Gr\u00fc\u00dfe" }"#))
        #expect(json.statusCode == 201 && json.headers["Location"] == "/movies/7")
    }

    @Test func `a multipart form matches with any boundary, by the parts that Chromium recorded`() async throws {
        func form(_ name: String) throws -> NetworkRequest {
            var form = MultipartForm(boundary: "quite-another")
            form.append(name, name: "name")
            form.append(.data(Data([0, 255, 1, 2])), name: "file", fileName: "a.bin", contentType: "application/octet-stream")
            var request = try request(.post, "/upload", type: "multipart/form-data; boundary=quite-another")
            request.body = .data(try form.encoded())
            return request
        }
        #expect(try await session.text(form("x")) == "289 bytes")
        #expect(await session.failure(of: try form("y"))?.message.contains("the multipart body differs") == true)
    }

    @Test func `a redirect is followed to the entry of its target`() async throws {
        let response = try await session.response(for: request(.get, "/old"))
        #expect(response.data == Data("moved here".utf8) && response.url.path == "/new" && response.statusCode == 200)
        #expect(session.unused.filter { $0.hasSuffix("/old") || $0.hasSuffix("/new") }.isEmpty)
    }

    @Test func `empty bodies, binary data and text of any charset are replayed unchanged`() async throws {
        let nothing = try await session.response(for: request(.delete, "/nothing"))
        #expect(nothing.statusCode == 204 && nothing.data.isEmpty)
        #expect(try await session.response(for: request(.get, "/binary")).data == Data(0...255))
        #expect(try await session.text(request(.get, "/emoji")) == "party 🎉")
        let latin = try await session.response(for: request(.get, "/latin1"))
        #expect(latin.data == Data("Grüße".utf8) && latin.headers["Content-Type"] == "text/plain; charset=utf-8")
    }

    @Test func `recorded failures are replayed`() async throws {
        let cut = await session.failure(of: try request(.get, "/cut"))
        #expect(cut?.code == .incompleteBody && cut?.message == "net::ERR_CONTENT_LENGTH_MISMATCH")
        let refused = await session.failure(of: try .make(.get, "http://127.0.0.1:1/refused"))
        #expect(refused?.code == .connectionLost && refused?.message == "net::ERR_UNSAFE_PORT")
    }
}
