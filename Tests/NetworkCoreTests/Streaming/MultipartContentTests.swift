import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

@testable import Endpoints
import NetworkCore
@testable import NetworkTransport
@testable import NetworkURLSession

/// Multipart forms that are encoded while they are sent.
@Suite(.timeLimit(.minutes(10)), .alsoOverURLSession)
struct MultipartContentTests {
    let session = testedSession()
    /// A file of 700,000 bytes.
    let file: TemporaryFile

    init() throws {
        file = try TemporaryFile(Self.bytes(700_000))
    }

    // Created once, with a length that is not a power of two, so that a misplaced piece is detected.
    private static let period = Data((0..<10_007).lazy.map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

    private static func bytes(_ count: Int) -> Data {
        var data = Data(capacity: count + period.count)
        while data.count < count { data.append(period) }
        return data.prefix(count)
    }

    private func bytes(_ count: Int) -> Data { Self.bytes(count) }

    private func request(_ url: URL, _ form: MultipartForm) throws -> NetworkRequest {
        try Endpoint<Void>(path: url.absoluteString, isFullPath: true, method: .post, body: .multipart(form))
            .networkRequest(with: APIConfiguration(baseURL: url))
    }

    /// The expected body: the same form, encoded with all parts in memory.
    private func encodedInMemory(_ form: MultipartForm) async throws -> Data {
        var copy = form
        for index in copy.parts.indices { copy.parts[index].content = .data(try await copy.parts[index].content.collected()) }
        return try copy.encoded()
    }

    private func form(_ files: [TemporaryFile], boundary: String? = nil, length: Int64?) -> MultipartForm {
        var form = MultipartForm(boundary: boundary)
        form.append("größe", name: "field")
        for (index, file) in files.enumerated() { form.append(.file(file.url), name: "file \(index)", fileName: "\(index).png") }
        form.append(.data(bytes(100_000)), name: "large", fileName: "large.bin")
        form.append(
            .stream(length: length) { Pieces(of: self.bytes(70_000), size: 9000) }, name: "stream", fileName: "s.txt")
        return form
    }

    @Test(arguments: ["AaB03x", nil])
    func `a form from files is sent with its exact length`(boundary: String?) async throws {
        let server = try LoopbackServer { request in .data(request.body) }
        let files = try [0, 1, 700_000, 1_200_000].map { try TemporaryFile(bytes($0)) }
        let form = form(files, boundary: boundary, length: 70_000)
        let expected = try await encodedInMemory(form)
        let response = try await session.response(for: request(server.url, form))
        #expect(response.data == expected)
        #expect(server.requests.first?.headers.values(for: "Content-Length") == ["\(expected.count)"])
        #expect(server.requests.first?.headers.contains("Transfer-Encoding") == false)
        #expect(server.requests.first?.headers["Content-Type"] == "multipart/form-data; boundary=\(form.boundary)")
        #expect(try form.content().measured(for: nil).knownLength == Int64(expected.count))
    }

    @Test(.notOverURLSession(.sequences))
    func `a form with a stream of unknown length is sent in chunks`() async throws {
        let server = try LoopbackServer { request in .data(request.body) }
        let form = form([file], length: nil)
        let response = try await session.response(for: request(server.url, form))
        #expect(try await response.data == encodedInMemory(form))
        #if os(Linux)
            #expect(server.requests.first?.headers.values(for: "Transfer-Encoding") == ["chunked"])
            #expect(server.requests.first?.headers.contains("Content-Length") == false)
        #endif
    }

    @Test(.notOverURLSession(.sequences))
    func `a redirect that keeps the method sends the form again, and is an error if a part can be read only once`()
        async throws
    {
        let server = try LoopbackServer {
            LoopbackRoute(.post, "/a") { _ in LoopbackResponse(status: 307, headers: ["Location": "/b"]) }
            LoopbackRoute(.post, "/b") { request in .data(request.body) }
        }
        let form = form([file], length: 70_000)
        let response = try await session.response(for: request(server.url("/a"), form))
        #expect(try await response.data == encodedInMemory(form))

        var once = form
        once.append(.stream(Pieces(of: bytes(5), size: 2), length: 5), name: "once")
        let sent = try request(server.url("/a"), once)
        #expect(try await failure(of: session, sent).code == .bodyNotReplayable)
        #expect(try await failure(of: session, sent).code == .bodyNotReplayable)
    }

    @Test func `a path that is not a regular file is an error that names the part, before a byte is sent`() async throws {
        let server = try LoopbackServer { _ in .text("") }
        for (path, reason) in [("/nowhere/at/all", "No such file"), ("/dev/zero", "regular file"), ("/tmp", "directory")] {
            var form = form([], length: nil)
            form.append(.file(URL(fileURLWithPath: path)), name: "the picture")
            let error = try await failure(of: session, request(server.url, form))
            #expect(error.code == .bodyFailed && error.message.contains(reason), "\(error)")
            #expect(error.message.contains("\"the picture\"") && error.request?.hasPrefix("POST ") == true, "\(error)")
        }
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: [0, 1, 100, (512 << 10) - 5, (512 << 10) - 1, 512 << 10, 600_000])
    func `a boundary inside a file is an error, wherever it is`(place: Int) async throws {
        let server = try LoopbackServer { request in .data(request.body) }
        let content = bytes(place) + Data("--AaB03x".utf8) + bytes(10)
        let file = try TemporaryFile(content)
        var form = MultipartForm(boundary: "AaB03x")
        form.append(.file(file.url), name: "f")
        let error = try await failure(of: session, request(server.url, form))
        #expect(
            error.code == .bodyFailed && error.message.contains("part \"f\"") && error.message.contains("boundary"), "\(error)")
        #expect(server.requestCount == 0)

        var other = MultipartForm(boundary: "AaB03y")
        other.append(.file(file.url), name: "f")
        #expect(try await session.response(for: request(server.url, other)).data == encodedInMemory(other))
    }

    @Test func `a boundary inside a stream is an error, however the stream is split`() async throws {
        let server = try LoopbackServer { request in .data(request.body) }
        for size in 1...12 {
            var form = MultipartForm(boundary: "AaB03x")
            form.append(.stream(Pieces(of: Data("x\r\n--AaB03x".utf8), size: size)), name: "s")
            let error = try await failure(of: session, request(server.url, form))
            #expect(error.code == .bodyFailed && error.message.contains("boundary"), "\(error)")
        }
        #expect(server.requestCount == 0)
    }

    @Test func `a file that became shorter after it was measured is an error that names its part`() async throws {
        let file = try TemporaryFile(bytes(1000))
        let content = try form([file], length: 70_000).content().measured(for: nil)
        try bytes(999).write(to: file.url)
        let error = await #expect(throws: TransportError.self) { try await content.send { _ in } }
        #expect(error?.code == .bodyFailed && error?.message.contains("announced") == true, "\(error as Any)")
        #expect(error?.message.contains("part \"") == true, "\(error as Any)")
    }

    @Test func `a file that is truncated or removed while the form is sent is an error`() async throws {
        let first = try TemporaryFile(bytes(2 << 20))
        let second = try TemporaryFile(bytes(10))
        let content = try form([first, second], length: 70_000).content().measured(for: nil)
        for (url, reason) in [(first.url, "ended after"), (second.url, "cannot be opened")] {
            let error = await #expect(throws: TransportError.self) {
                var isChanged = false
                try await content.send { chunk in
                    guard chunk.count > 1000, !isChanged else { return }
                    isChanged = true
                    if url == second.url { return try FileManager.default.removeItem(at: url) }
                    let handle = try FileHandle(forWritingTo: url)
                    try handle.truncate(atOffset: 600_000)
                }
            }
            #expect(error?.code == .bodyFailed && error?.message.contains(reason) == true, "\(String(describing: error))")
            if url == first.url { try bytes(2 << 20).write(to: url) }
        }
    }

    @Test func `a stream that produces a different number of bytes than announced is an error`() async throws {
        for length in [69_999, 70_001] as [Int64] {
            let content = try form([], length: length).content()
            let error = await #expect(throws: TransportError.self) {
                try await content.send { _ in }
            }
            #expect(error?.code == .bodyFailed && error?.message.contains("part \"stream\"") == true)
        }
    }

    @Test func `progress of a form counts all of its bytes`() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let monitor = ProgressMonitor()
        let form = form([file], length: 70_000)
        var sent = try request(server.url, form)
        sent.progress = monitor
        _ = try await session.response(for: sent)
        let count = try await Int64(encodedInMemory(form).count)
        #expect(monitor.current?.bytesSent == count && monitor.current?.totalBytesToSend == count)
    }
}
