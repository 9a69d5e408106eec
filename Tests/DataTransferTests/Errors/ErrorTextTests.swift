import DataTransfer
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

/// Checks the error texts that people read in production logs.
@Suite(.timeLimit(.minutes(10))) struct ErrorTextTests {
    struct Item: Decodable, Sendable {
        var id: Int
        var title: String
    }

    private let session = StubSessionManager()

    private func error<Target: ResponseRequestable>(_ endpoint: Target) async throws -> DataTransferError {
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration("https://api.test/v1"), sessionManager: session)
        return try await downloadFailure { try await service.request(endpoint) }
    }

    private func parsing<Target: ResponseRequestable>(_ endpoint: Target) async throws -> ParsingFailure {
        guard case .parsing(let failure) = try await error(endpoint) else { throw DownloadDidNotFail() }
        return failure
    }

    @Test func `the text of a status error has the method, the URL and the beginning of the body`() async throws {
        session.enqueue(
            .json(#"{"reason": "no such movie", "token": "hunter2"}"#, status: 422))
        let endpoint = Endpoint<Void>(path: "movies", method: .post, queryParameters: ["key": "hunter2"])
        let text = "\(try await error(endpoint))"
        #expect(text.contains("POST https://api.test/v1/movies?…: status 422") && text.contains("no such movie"), "\(text)")
        #expect(!text.contains("hunter2"))
        session.enqueue(.text(String(repeating: "x", count: 100_000), status: 500))
        #expect("\(try await error(endpoint))".utf8.count < 1400)
    }

    @Test func `the text of a request generation error has the method and the path`() async throws {
        let text =
            "\(try await error(Endpoint<Void>(path: "movies?token=hunter2", method: .put, headerParameters: ["A B": "1"])))"
        #expect(text.contains("PUT movies?…: header name") && !text.contains("hunter2"), "\(text)")
    }

    @Test func `the snippet of a decoding error shows the element that failed, not the beginning of the body`() async throws {
        let items = (0..<200).map {
            #"{"id": \#($0 == 150 ? #""broken""# : "\($0)"), "title": "t\#($0)", "password": "hunter2"}"#
        }
        session.enqueue(.json("[\(items.joined(separator: ","))]"))
        let failure = try await parsing(Endpoint<[Item]>(path: "items"))
        #expect(failure.codingPath == "[150].id" && failure.snippet.contains("broken") && failure.snippet.contains("t150"))
        #expect(!failure.snippet.contains("t0") && !"\(failure)".contains("hunter2"), "\(failure)")
    }

    @Test func `the snippet for a missing key shows the object that lacks it, also with a key path`() async throws {
        session.enqueue(.json(#"{"padding": "\#(String(repeating: "p", count: 500))", "data": {"items": [{"id": 7}]}}"#))
        let failure = try await parsing(Endpoint<[Item]>(path: "items", keyPath: "data.items"))
        #expect(failure.codingPath == "data.items[0]" && failure.snippet == #"{"id": 7}"#, "\(failure)")
    }

    @Test func `the snippet for a member of a large object shows only that member`() async throws {
        let padding = String(repeating: "p", count: 1000)
        session.enqueue(.json(#"{"padding": "\#(padding)", "id": "seven", "title": "t"}"#))
        let failure = try await parsing(Endpoint<Item>(path: "items"))
        #expect(failure.snippet.contains(#""id": "seven""#) && failure.snippet.utf8.count < 300, "\(failure)")
    }

    @Test(
        arguments: [
            #"{"password": {"id": "hunter2"}}"#, #"{"password": {"id": 1, "title": ["hunter2"]}}"#, #"{"password": ["hunter2"]}"#,
        ])
    func `error texts do not show values under a secret name`(document: String) async throws {
        struct Secrets: Decodable, Sendable { var password: Item }
        session.enqueue(.json(document))
        let failure = try await parsing(Endpoint<Secrets>(path: "items"))
        #expect(!"\(failure)".contains("hunter2"), "\(failure)")
    }

    @Test func `the snippet of a malformed document shows the place of the syntax error`() async throws {
        session.enqueue(.json(#"{"padding": "\#(String(repeating: "p", count: 900))", "last": 12, oops}"#))
        let failure = try await parsing(Endpoint<Item>(path: "items"))
        #expect(failure.reason.contains("at byte 9") && failure.snippet.contains(#""last": 12, oops"#), "\(failure)")
    }

    @Test func `the error for a body that is not JSON has its media type`() async throws {
        session.route { _ in
            StubResponse(headers: ["Content-Type": "text/html; charset=utf-8"], body: Data("<html><h1>Sign in</h1></html>".utf8))
        }
        for failure in [
            try await parsing(Endpoint<Item>(path: "items")), try await parsing(Endpoint<Item>(path: "items", keyPath: "data")),
        ] {
            #expect(failure.reason.hasPrefix("expected JSON but received text/html"), "\(failure)")
            #expect(failure.snippet.contains("Sign in"))
        }
    }

    @Test func `the text of a file failure has the file name and the request`() async throws {
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration("https://api.test/v1"), sessionManager: session)
        let missing = FileManager.default.temporaryDirectory.appendingPathComponent("missing-\(UUID())/movie.mp4")
        let download = try await downloadFailure { try await service.download(movie, to: .file(missing)) }
        #expect("\(download)".contains("GET files/movie.mp4: \"movie.mp4\": folderMissing"), "\(download)")
    }

    @Test func `the text of a failed upload has the file name and the request, but not the folder`() async throws {
        let server = try LoopbackServer { _ in .text("") }
        let missing = FileManager.default.temporaryDirectory.appendingPathComponent("missing-\(UUID())/holiday.mov")
        let error = try await downloadFailure {
            try await server.service().upload(.file(missing), to: Endpoint<Void>(path: "movies"))
        }
        let text = "\(error)"
        #expect(text.contains("holiday.mov") && text.contains("POST movies") && !text.contains("missing-"), "\(text)")
    }
}
