import DataTransfer
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

/// Tests that the server receives the body that the caller passes, and that the response is returned.
@Suite(.timeLimit(.minutes(10)), .alsoOverURLSession)
struct UploadTests {
    struct Receipt: Codable, Sendable, Equatable {
        var method: String
        var contentType: String?
        var bytes: Int
        var text: String
    }

    private static func server() throws -> LoopbackServer {
        try LoopbackServer { request in
            let receipt = Receipt(
                method: request.method.rawValue, contentType: request.headers["Content-Type"], bytes: request.body.count,
                text: String(decoding: request.body.prefix(40), as: UTF8.self))
            return .json(String(decoding: try JSONEncoder().encode(receipt), as: UTF8.self), status: 201)
        }
    }

    private func chunks(_ texts: String...) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for text in texts { continuation.yield(Data(text.utf8)) }
            continuation.finish()
        }
    }

    @Test func `the server receives each kind of body, and the response is decoded`() async throws {
        let server = try Self.server()
        let service = server.service()
        let endpoint = Endpoint<Receipt>(path: "uploads")
        let file = try TemporaryFile("from disk")
        let values = [
            try await service.upload(.json(["a": 1]), to: endpoint),
            try await service.upload(.json([1, 2]), to: endpoint),
            try await service.upload(.json("text"), to: endpoint),
            try await service.upload(.data(Data("raw".utf8)), to: endpoint),
            try await service.upload(.file(file.url, contentType: "video/mp4"), to: endpoint),
            try await service.upload(.stream(chunks("one", "two"), contentType: "text/plain"), to: endpoint),
            try await service.upload(.form(["a": "b c"]), to: endpoint),
        ]
        #expect(values.map(\.method) == Array(repeating: "POST", count: 7))
        #expect(values.map(\.text) == [#"{"a":1}"#, "[1,2]", #""text""#, "raw", "from disk", "onetwo", "a=b+c"])
        #expect(
            values.map(\.contentType) == [
                "application/json", "application/json", "application/json", "application/octet-stream", "video/mp4", "text/plain",
                "application/x-www-form-urlencoded",
            ])

        var form = MultipartForm(boundary: "AaB03x")
        form.append(.file(file.url), name: "movie", fileName: "m.mp4")
        let receipt = try await service.upload(.multipart(form), to: endpoint)
        #expect(receipt.contentType == "multipart/form-data; boundary=AaB03x")
        let sent = String(decoding: server.requests.last?.body ?? Data(), as: UTF8.self)
        #expect(sent.contains("filename=\"m.mp4\"\r\nContent-Type: video/mp4\r\n\r\nfrom disk\r\n--AaB03x--\r\n"))
    }

    @Test func `a file URL uploads the content of the file, and any other URL is an error`()
        async throws
    {
        let server = try Self.server()
        let service = server.service()
        let file = try TemporaryFile("from disk")
        let endpoint = Endpoint<Receipt>(path: "uploads")
        let receipt = try await service.upload(.file(file.url), to: endpoint)
        #expect(receipt.text == "from disk" && receipt.contentType == "application/octet-stream")
        let count = server.requestCount
        let error = await #expect(throws: DataTransferError.self) {
            _ = try await service.upload(.file(server.url("/elsewhere")), to: endpoint)
        }
        guard case .networkFailure(.requestGeneration(let failure)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.field == .body && server.requestCount == count)
    }

    @Test func `an upload to a GET endpoint is sent as POST, and any other method is kept`() async throws {
        let server = try Self.server()
        let service = server.service()
        for (method, sent) in [
            (RequestMethod.get, "POST"), (.put, "PUT"), (.patch, "PATCH"), (.post, "POST"), (.delete, "DELETE"),
        ] {
            #expect(
                try await service.upload(.data(Data("x".utf8)), to: Endpoint<Receipt>(path: "a", method: method)).method == sent)
        }
    }

    @Test func `completions receive the same results as the async form, on the queue that is passed`() async throws {
        let server = try Self.server()
        let service = server.service()
        let endpoint = Endpoint<Receipt>(path: "uploads", method: .put)
        let queue = CountingQueue()
        let results = [
            await outcome {
                TaskCancellable(on: queue, { try await service.upload(.json(["a": 1]), to: endpoint) }, completion: $0)
            },
            await outcome {
                TaskCancellable(on: queue, { try await service.upload(.stream(chunks("ab")), to: endpoint) }, completion: $0)
            },
        ]
        #expect(try results.map { try $0.get().text } == [#"{"a":1}"#, "ab"])
        #expect(queue.count == 2)
    }

    @Test func `the full response of an upload has the status, headers and timings`() async throws {
        let server = try Self.server()
        let response = try await server.service().response(
            for: Endpoint<Receipt>(path: "uploads"), uploading: .data(Data("x".utf8)))
        #expect(response.statusCode == 201 && response.value.bytes == 1 && response.timings.bytesSent == 1)
        #expect(response.headers["Content-Type"] == "application/json")
    }

    @Test func `progress counts the bytes of the body, and its last event is marked finished`()
        async throws
    {
        let server = try Self.server()
        let monitor = ProgressMonitor()
        let endpointMonitor = ProgressMonitor()
        var endpoint = Endpoint<Receipt>(path: "uploads")
        endpoint.progress = endpointMonitor
        let data = Data(count: 2_000_000)
        #expect(try await server.service().upload(.data(data), to: endpoint, progress: monitor).bytes == 2_000_000)
        var last: TransferProgress?
        for await state in monitor { last = state }
        #expect(last?.isFinished == true && last?.bytesSent == 2_000_000 && last?.fractionSent == 1)
        #expect(endpointMonitor.current == nil, "the observer of the call replaces that of the endpoint")
        #expect(try await server.service().upload(.data(data), to: endpoint).bytes == 2_000_000)
        #expect(endpointMonitor.current?.isFinished == true)
    }

    @Test func `the properties of an endpoint except its body are kept`() async throws {
        let session = StubSessionManager()
        session.enqueue(.json("7", status: 404))
        let endpoint = Endpoint<Int>(
            path: "items/{id}", method: .put, pathParameters: ["id": 5], headerParameters: ["X-A": "1", "Content-Type": "a/b"],
            queryParameters: ["q": 1], body: .json(["old": 1]), timeouts: RequestTimeouts(idle: .seconds(3)),
            acceptedStatuses: [404])
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration("https://api.example"), sessionManager: session)
        #expect(try await service.upload(.json(["new": 1]), to: endpoint) == 7)
        let request = try #require(session.requests.first)
        #expect(request.url.absoluteString == "https://api.example/items/5?q=1" && request.method == .put)
        #expect(request.headers["X-A"] == "1" && request.headers["Content-Type"] == "a/b")
        #expect(request.body == .data(Data(#"{"new":1}"#.utf8)) && request.timeouts.idle == .seconds(3))
    }

    @Test func `the Content-Type of a multipart form replaces that of the endpoint and the configuration`() async throws {
        let session = StubSessionManager()
        session.route { _ in .status(204) }
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration("https://api.example", headers: ["content-type": "a/b"]), sessionManager: session)
        let endpoint = Endpoint<Void>(path: "a", headerParameters: ["content-type": "application/json", "X-A": "1"])
        try await service.upload(.multipart(MultipartForm(boundary: "AaB03x")), to: endpoint)
        let headers = try #require(session.requests.first).headers
        #expect(headers.values(for: "Content-Type") == ["multipart/form-data; boundary=AaB03x"] && headers["X-A"] == "1")
    }

    @Test func `a value that cannot be encoded is an error, and no request is sent`() async throws {
        let session = StubSessionManager()
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration("https://api.example"), sessionManager: session)
        let error = await #expect(throws: DataTransferError.self) {
            try await service.upload(.json([Double.nan]), to: Endpoint<Void>(path: "a"))
        }
        guard case .requestGeneration(let cause) = error?.networkError else { throw try #require(error) }
        #expect(cause.field == .body && session.requests.isEmpty)
    }
}
