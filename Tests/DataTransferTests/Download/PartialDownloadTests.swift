import DataTransfer
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

@Suite(.timeLimit(.minutes(10)), .alsoOverURLSession) struct PartialDownloadTests {
    private let folder: TemporaryFolder
    private let served = ServedFile(sampleBytes(100_000))
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try served.server()
    }

    private func interrupt(_ endpoint: Endpoint<Void> = movie, as name: String, _ options: DownloadOptions = DownloadOptions())
        async throws
    {
        served.change { $0.faults = [.truncateBody(after: 40_000)] }
        _ = try await downloadFailure {
            try await server.service().download(endpoint, to: .file(folder.file(name)), options: options)
        }
        server.forgetRequests()
    }

    @Test func `partial downloads can be listed with size and age, and removed`() async throws {
        try await interrupt(as: "a.mp4")
        try await interrupt(as: "b.mp4")
        try Data("x".utf8).write(to: folder.file("c.partial"))
        try Data("x".utf8).write(to: folder.file(".d.partial"))
        try FileManager.default.createDirectory(at: folder.file(".e.partial"), withIntermediateDirectories: true)
        let old = Date(timeIntervalSinceNow: -7200)
        try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: folder.file(".b.mp4.partial").path)
        let partials = try await PartialDownload.all(in: folder.url)
        #expect(partials.map(\.url.lastPathComponent) == [".a.mp4.partial", ".b.mp4.partial", ".d.partial"])
        #expect(partials.map(\.byteCount) == [40_000, 40_000, 1] && partials.map(\.isResumable) == [true, true, false])
        #expect(partials[0].age < .seconds(3600) && partials[1].age > .seconds(7100) && !"\(partials)".contains(folder.url.path))
        let removed = try await PartialDownload.removeAll(in: folder.url) { $0.age > .seconds(3600) }
        #expect(removed.map(\.url) == [partials[1].url])
        try await partials[0].remove()
        try await partials[0].remove()
        #expect(folder.names == [".d.partial", ".e.partial", "c.partial"] && folder.openDescriptors == 0)
    }

    @Test func `listing the partial downloads of a missing folder is an error`() async throws {
        let error = await #expect(throws: FileFailure.self) { try await PartialDownload.all(in: folder.file("missing")) }
        #expect(error?.code == .folderMissing)
    }

    @Test func `the partial file of a running download cannot be removed`() async throws {
        served.change { $0.faults = [.stallBody(after: 10_000)] }
        let service = server.service()
        let download = Task { try await service.download(movie, to: .file(folder.file("movie.mp4"))) }
        try await folder.waitForBytes(10_000, in: ".movie.mp4.partial")
        #expect(try await PartialDownload.removeAll(in: folder.url).isEmpty)
        let partial = try #require(try await PartialDownload.all(in: folder.url).first)
        let error = await #expect(throws: FileFailure.self) { try await partial.remove() }
        #expect(error?.code == .busy)
        download.cancel()
        _ = await download.result
    }

    // MARK: Identity of the resource

    private func signed(_ query: ParameterList) -> Endpoint<Void> { Endpoint(path: "files/movie.mp4", queryParameters: query) }

    @Test(
        arguments: [
            [["X-Amz-Signature": "a", "X-Amz-Date": "1", "X-Amz-Expires": "9"], ["X-Amz-Signature": "b", "X-Amz-Date": "2"]],
            [["Signature": "a", "Expires": "1", "Key-Pair-Id": "k"], ["Signature": "b", "Expires": "2", "Key-Pair-Id": "k"]],
            [["sig": "a", "se": "1", "sv": "2"], ["sig": "b", "se": "2", "sv": "2"]],
            [["x-goog-signature": "a", "versionId": "7"], ["versionId": "7", "X-Goog-Signature": "b", "X-Goog-Date": "1"]],
        ] as [[ParameterList]])
    func `a URL with a new signature identifies the same resource`(queries: [ParameterList]) async throws {
        try await interrupt(signed(queries[0]), as: "movie.mp4")
        let file = try await server.service().download(signed(queries[1]), to: .file(folder.file("movie.mp4")))
        #expect(file.resumedFrom == 40_000 && server.requests.map { $0.headers["If-Range"] } == ["\"v1\""])
        #expect(try folder.contents("movie.mp4") == sampleBytes(100_000))
    }

    @Test(
        arguments: [
            [["X-Amz-Signature": "a", "id": 1], ["X-Amz-Signature": "b", "id": 2]],
            [["Expires": "1"], ["Expires": "2"]], [["X-Amz-Date": "1"], ["X-Amz-Date": "2"]], [["se": "1"], ["se": "2"]],
        ] as [[ParameterList]])
    func `a different query without a known signature scheme identifies a different resource`(queries: [ParameterList])
        async throws
    {
        try await interrupt(signed(queries[0]), as: "movie.mp4")
        #expect(try await server.service().download(signed(queries[1]), to: .file(folder.file("movie.mp4"))).resumedFrom == 0)
    }

    @Test func `the resume identity of the options replaces the query`() async throws {
        let options = DownloadOptions(resumeIdentity: "movie 7")
        try await interrupt(signed(["ticket": "a"]), as: "movie.mp4", options)
        let service = server.service()
        // A different identity is a different resource.
        try await interrupt(signed(["ticket": "a"]), as: "other.mp4", options)
        let other = DownloadOptions(resumeIdentity: "movie 8")
        #expect(
            try await service.download(signed(["ticket": "b"]), to: .file(folder.file("other.mp4")), options: other).resumedFrom
                == 0)
        let file = try await service.download(signed(["ticket": "b"]), to: .file(folder.file("movie.mp4")), options: options)
        #expect(file.resumedFrom == 40_000)
        #expect(try folder.contents("movie.mp4") == sampleBytes(100_000))
    }

    @Test func `a download with the same resume identity restarts if the resource has changed`() async throws {
        let options = DownloadOptions(resumeIdentity: "movie 7")
        try await interrupt(signed(["ticket": "a"]), as: "movie.mp4", options)
        served.change { content in
            content.body = sampleBytes(90_000, seed: 5)
            content.headers = ["ETag": "\"v2\""]
        }
        let file = try await server.service().download(
            signed(["ticket": "b"]), to: .file(folder.file("movie.mp4")), options: options)
        #expect(file.resumedFrom == 0)
        #expect(try folder.contents("movie.mp4") == sampleBytes(90_000, seed: 5))
    }
}
