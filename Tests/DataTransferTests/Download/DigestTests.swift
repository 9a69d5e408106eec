import DataTransfer
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

/// Tests of the SHA-256 digest of a download: the one that the caller expects, and the one that the server sends (RFC 9530).
@Suite(.timeLimit(.minutes(10)), .alsoOverURLSession)
struct DigestTests {
    private static let body = Data("hello, world\n".utf8)
    private static let hexadecimal = "853ff93762a06ddbf722c4ebe9ddd66d8f63ddaea97f521c3ecc20da7c976020"
    private static let field = "sha-256=:hT/5N2Kgbdv3IsTr6d3WbY9j3a6pf1IcPswg2nyXYCA=:"
    private static let wrong = "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:"

    private let folder: TemporaryFolder
    private let served = ServedFile(body)
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try served.server()
    }

    private var place: URL { folder.file("movie.mp4") }

    private func download(_ digest: String? = nil) async throws -> DownloadedFile {
        let options = DownloadOptions(digest: digest.map { .sha256($0) })
        return try await server.service().download(movie, to: .file(place), options: options)
    }

    private func expectMismatch(_ digest: String? = nil, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let error = try await downloadFailure { try await download(digest) }
        #expect(error.fileFailure?.code == .digestMismatch, "\(error)", sourceLocation: sourceLocation)
        #expect(folder.names == [] && folder.openDescriptors == 0, sourceLocation: sourceLocation)
    }

    @Test(arguments: [hexadecimal, hexadecimal.uppercased(), "hT/5N2Kgbdv3IsTr6d3WbY9j3a6pf1IcPswg2nyXYCA="])
    func `a file with the expected digest is kept`(digest: String) async throws {
        #expect(try await download(digest).byteCount == 13)
    }

    @Test func `a file with a different digest is neither kept nor resumed`() async throws {
        try await expectMismatch("953ff93762a06ddbf722c4ebe9ddd66d8f63ddaea97f521c3ecc20da7c976020")
        served.change { $0.body = Data() }
        try await expectMismatch(Self.hexadecimal)
    }

    @Test(arguments: ["", "abc", String(hexadecimal.dropLast()), String(hexadecimal.dropLast()) + "g", "AAAA"])
    func `a malformed expected digest is an error, and no request is sent`(digest: String) async throws {
        let error = try await downloadFailure { try await download(digest) }
        #expect(error.fileFailure?.code == .invalidOptions && server.requestCount == 0)
    }

    @Test(arguments: ["Content-Digest", "Repr-Digest"])
    func `a valid SHA-256 digest field of the response is checked`(name: String) async throws {
        served.change { $0.headers[name] = Self.field }
        #expect(try await download().byteCount == 13)
        try FileManager.default.removeItem(at: place)
        served.change { $0.headers[name] = Self.wrong }
        try await expectMismatch()
        served.change { $0.headers[name] = "sha-512=:AAAA:, sha-256=:AAAA:" }
        #expect(try await download().byteCount == 13)
    }

    /// RFC 9651 §3.3.7, §3.3.8, §4.2.7.
    @Test func `other members and missing padding do not prevent the check of a digest`() async throws {
        for digest in [Self.field, Self.field.dropLast(2) + ":"] {
            served.change { $0.headers["Content-Digest"] = "note=%\"a, b%c3%bc\", at=@1659578233, \(digest)" }
            #expect(try await download().byteCount == 13)
            try FileManager.default.removeItem(at: place)
        }
        served.change { $0.headers["Content-Digest"] = "note=%\"a, b%c3%bc\", at=@1659578233, " + Self.wrong.dropLast(2) + ":" }
        try await expectMismatch()
    }

    @Test(.notOverURLSession(.trailers))
    func `a digest field in the trailers is checked`() async throws {
        served.change { content in
            content.replacement = { _, response in .chunked([response.body], trailers: ["Content-Digest": Self.field]) }
        }
        #expect(try await download().byteCount == 13)
        try FileManager.default.removeItem(at: place)
        served.change { content in
            content.replacement = { _, response in .chunked([response.body], trailers: ["Repr-Digest": Self.wrong]) }
        }
        try await expectMismatch()
    }

    @Test(.notOverURLSession(.codings))
    func `the digest field of a response with a content coding is not checked`() async throws {
        served.change { content in
            content.headers["Content-Encoding"] = "x-unknown"
            content.headers["Content-Digest"] = Self.wrong
        }
        #expect(try await download().byteCount == 13)
    }

    /// `Content-Digest` applies to the received part; `Repr-Digest` and the expected digest apply to the complete file
    /// (RFC 9530 §2, §3).
    @Test(
        arguments: [
            ("Content-Digest", "sha-256=:4ljSSP2pTGN1Ngf3xElO4Py+kvGna/2seVydhBAesxc=:", false), ("Content-Digest", field, true),
            ("Repr-Digest", field, false), ("Repr-Digest", wrong, true),
        ])
    func `the digests of the received part and of the complete file are checked after a resumption`(
        name: String, value: String, isWrong: Bool
    ) async throws {
        try await interrupt()
        served.change { $0.headers[name] = value }
        if isWrong { return try await expectMismatch(Self.hexadecimal) }
        #expect(try await download(Self.hexadecimal).resumedFrom == 7)
        #expect(try folder.contents("movie.mp4") == Self.body)
    }

    @Test func `the digest field of the first response is checked after a resumption`() async throws {
        served.change { $0.headers["Repr-Digest"] = Self.field }
        try await interrupt()
        served.change { $0.headers["Repr-Digest"] = nil }
        try Data("HELLO, ".utf8).write(to: folder.file(".movie.mp4.partial"))
        try await expectMismatch()
    }

    @Test func `the digest of a partial file that is already complete is checked`() async throws {
        try await interrupt()
        try Data("HELLO, world\n".utf8).write(to: folder.file(".movie.mp4.partial"))
        try await expectMismatch(Self.hexadecimal)
    }

    private func interrupt() async throws {
        served.change { $0.faults = [.truncateBody(after: 7)] }
        _ = try await downloadFailure { try await download() }
        #expect(try folder.contents(".movie.mp4.partial") == Self.body.prefix(7))
    }
}
