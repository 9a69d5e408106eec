import Endpoints
import Foundation
import NetworkCore
import NetworkTesting
import TestSupport
import Testing

import NetworkSupport
@testable import NetworkURLSession

extension URLSessionUpload {
    fileprivate var file: URL? {
        if case .file(let url) = source { url } else { nil }
    }
}

/// Bodies that are not in memory, as `URLSession` sends them.
@Suite(.timeLimit(.minutes(10)))
struct URLSessionUploadTests {
    private static let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) })

    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("uploads-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func file(_ content: Data = content) throws -> URL {
        let url = folder.appendingPathComponent("content")
        try content.write(to: url)
        return url
    }

    private func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    private struct Pieces: AsyncSequence, Sendable {
        struct Iterator: AsyncIteratorProtocol {
            var rest: Data
            mutating func next() async throws -> Data? {
                guard !rest.isEmpty else { return nil }
                defer { rest = rest.dropFirst(70_000) }
                return Data(rest.prefix(70_000))
            }
        }

        let content: Data
        func makeAsyncIterator() -> Iterator { Iterator(rest: content) }
    }

    @Test func `a file is sent from where it is, and a small body from memory`() async throws {
        defer { remove() }
        let url = try file()
        let request = try NetworkRequest.unsent(method: .put)
        let upload = try await URLSessionUpload.prepare(.file(url), of: request)
        #expect(upload.file == url && upload.count == Int64(Self.content.count))
        let small = try await URLSessionUpload.prepare(.stream(Pieces(content: Data("abc".utf8))), of: request)
        #expect(small.file == nil && small.count == 3)
    }

    @Test func `a body that is produced is in a private file while it is sent, and that file is removed afterwards`() async throws
    {
        defer { remove() }
        let request = try NetworkRequest.unsent(method: .put)
        var upload: URLSessionUpload? = try await .prepare(.stream(Pieces(content: Self.content)), of: request)
        let url = try #require(upload?.file)
        #expect(upload?.count == Int64(Self.content.count))
        let isSame = try Data(contentsOf: url) == Self.content
        #expect(isSame)
        let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        upload = nil
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test func `a missing file is an error before anything is sent`() async throws {
        defer { remove() }
        let server = try LoopbackServer { _ in .text("ok") }
        let request = NetworkRequest(method: .put, url: server.url, body: .file(folder.appendingPathComponent("missing")))
        let error = try #require(await URLSessionManager().error(for: request))
        #expect(error.code == .bodyFailed && error.message.contains("missing"))
        #expect(server.requests.isEmpty)
    }

    @Test func `a sequence that fails is an error with its cause`() async throws {
        struct Cause: Error {}
        let chunks = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data(count: 300_000))
            continuation.finish(throwing: Cause())
        }
        let request = try NetworkRequest.unsent(method: .put, body: .stream(chunks))
        let error = try #require(await URLSessionManager().error(for: request))
        #expect(error.code == .bodyFailed && error.underlying is Cause)
    }

    @Test(arguments: ["file", "sequence", "sequence of known length"]) func `a body is sent whole, and again after a redirect`(
        kind: String
    )
        async throws
    {
        defer { remove() }
        let server = try LoopbackServer { request in
            request.path == "/" ? .status(307, headers: ["Location": "/next"]) : .text("ok")
        }
        let body: NetworkBody =
            switch kind {
            case "file": .file(try file())
            case "sequence": .stream(Pieces(content: Self.content))
            default: .stream(Pieces(content: Self.content), length: Int64(Self.content.count))
            }
        let progress = ProgressMonitor()
        var request = NetworkRequest(method: .put, url: server.url, body: body)
        request.progress = progress
        let response = try await URLSessionManager().response(for: request)
        #expect(response.statusCode == 200 && response.timings.bytesSent == Int64(Self.content.count))
        #expect(server.requests.map(\.path) == ["/", "/next"])
        for request in server.requests {
            let isSame = request.body == Self.content
            #expect(isSame && request.headers["Content-Length"] == "\(Self.content.count)")
        }
        #expect(progress.current?.bytesSent == Int64(Self.content.count))
    }
}
