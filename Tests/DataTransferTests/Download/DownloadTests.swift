import DataTransfer
import Foundation
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@Suite(.timeLimit(.minutes(10)), .alsoOverURLSession)
struct DownloadTests {
    private let folder: TemporaryFolder
    private let served = ServedFile(sampleBytes(700_000))

    init() throws {
        folder = try TemporaryFolder()
    }

    private func expectOnly(_ names: String..., sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(folder.names == names, sourceLocation: sourceLocation)
        #expect(folder.openDescriptors == 0, sourceLocation: sourceLocation)
    }

    @Test func `a response is stored in a file, and no temporary file remains`() async throws {
        let server = try served.server()
        let file = try await server.service().download(movie, to: .file(folder.file("movie.mp4")))
        #expect(try folder.contents("movie.mp4") == sampleBytes(700_000))
        #expect(file.url.path == folder.file("movie.mp4").path && file.byteCount == 700_000 && file.statusCode == 200)
        #expect(file.resumedFrom == 0 && file.headers["ETag"] == "\"v1\"" && file.timings.bytesReceived == 700_000)
        #expect(server.requests.first?.headers["Accept-Encoding"] == "identity")
        expectOnly("movie.mp4")
    }

    #if os(Linux)
        @Test func `a response that the server compresses without a request for it is stored decoded`() async throws {
            // "hello hello hello hello", compressed with gzip.
            let coded = try #require(Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8hAJwHjUT2NFwAAAA=="))
            let server = try LoopbackServer { _ in
                LoopbackResponse(headers: ["Content-Encoding": "gzip", "ETag": "\"v1\""], body: coded)
            }
            _ = try await server.service().download(movie, to: .file(folder.file("text")))
            #expect(try folder.contents("text") == Data("hello hello hello hello".utf8))
            expectOnly("text")
        }
    #endif

    @Test func `an empty response is stored as an empty file`() async throws {
        served.change { $0.body = Data() }
        let server = try served.server()
        #expect(try await server.service().download(movie, to: .file(folder.file("movie.mp4"))).byteCount == 0)
        expectOnly("movie.mp4")
    }

    @Test func `a file of unknown length is downloaded completely`() async throws {
        let server = try LoopbackServer { _ in .chunked([sampleBytes(300_000), sampleBytes(5)]) }
        let file = try await server.service().download(movie, to: .file(folder.file("movie.mp4")))
        #expect(file.byteCount == 300_005)
        expectOnly("movie.mp4")
    }

    // MARK: Names

    @Test(
        arguments: [
            ("attachment; filename=\"../../evil.sh\"", "evil.sh"), ("attachment; filename*=UTF-8''na%C3%AFve.mp4", "naïve.mp4"),
            ("inline", "movie.mp4"), ("attachment; filename=\".bashrc\"", "bashrc"),
        ])
    func `a download to a folder uses the file name from the server, sanitized`(disposition: String, name: String) async throws {
        served.change { $0.headers["Content-Disposition"] = disposition }
        let server = try served.server()
        let file = try await server.service().download(movie, to: .folder(folder.url))
        #expect(file.url.path == folder.file(name).path)
        expectOnly(name)
    }

    @Test func `two concurrent downloads to one folder are stored in separate files`() async throws {
        let server = try served.server()
        let service = server.service()
        async let first = service.download(movie, to: .folder(folder.url))
        async let second = service.download(movie, to: .folder(folder.url))
        #expect(try await Set([first.url.lastPathComponent, second.url.lastPathComponent]) == ["movie.mp4", "movie 2.mp4"])
        expectOnly("movie 2.mp4", "movie.mp4")
    }

    // MARK: Existing files

    @Test func `an existing file is replaced when the new one is complete`() async throws {
        try Data("old".utf8).write(to: folder.file("movie.mp4"))
        let server = try served.server()
        served.change { $0.faults = [.truncateBody(after: 1000)] }
        _ = try await downloadFailure { try await server.service().download(movie, to: .file(folder.file("movie.mp4"))) }
        #expect(try folder.contents("movie.mp4") == Data("old".utf8))
        _ = try await server.service().download(movie, to: .file(folder.file("movie.mp4")))
        #expect(try folder.contents("movie.mp4") == sampleBytes(700_000))
        expectOnly("movie.mp4")
    }

    @Test func `with the policy fail an existing file is an error, and no request is sent`() async throws {
        try Data("old".utf8).write(to: folder.file("movie.mp4"))
        let server = try served.server()
        let logger = InMemoryLogger()
        let error = try await downloadFailure {
            try await server.service(logger: logger).download(
                movie, to: .file(folder.file("movie.mp4")), options: DownloadOptions(existingFile: .fail))
        }
        #expect(error.fileFailure?.code == .destinationExists && server.requestCount == 0)
        #expect(logger.dataTransferErrors.count == 1)
        expectOnly("movie.mp4")
    }

    @Test func `with the policy fail an existing file in a folder is an error before the body is received`() async throws {
        try Data("old".utf8).write(to: folder.file("movie.mp4"))
        served.change { $0.faults = [.stallBody(after: 1000)] }
        let server = try served.server()
        let error = try await downloadFailure {
            try await server.service().download(
                movie, to: .folder(folder.url), options: DownloadOptions(existingFile: .fail))
        }
        #expect(
            error.fileFailure?.code == .destinationExists && error.fileFailure?.url.lastPathComponent == "movie.mp4", "\(error)")
        expectOnly("movie.mp4")
    }

    @Test func `with the policy fail a file created during the download is an error at the end`() async throws {
        let place = folder.file("movie.mp4")
        served.change { content in
            content.replacement = { _, response in
                try? Data("meanwhile".utf8).write(to: place)
                return response
            }
        }
        let server = try served.server()
        let error = try await downloadFailure {
            try await server.service().download(movie, to: .file(place), options: DownloadOptions(existingFile: .fail))
        }
        #expect(error.fileFailure?.code == .destinationExists)
        #expect(try folder.contents("movie.mp4") == Data("meanwhile".utf8))
        // The received file is complete, and no part of it is requested again.
        let other = try await server.service().download(movie, to: .file(place), options: DownloadOptions(existingFile: .replace))
        #expect(other.resumedFrom == 700_000 && other.statusCode == 416)
        #expect(try folder.contents("movie.mp4") == sampleBytes(700_000))
        expectOnly("movie.mp4")
    }

    @Test func `with the policy keepBoth the new file name has the next free number`() async throws {
        try Data("old".utf8).write(to: folder.file("movie.mp4"))
        try Data("older".utf8).write(to: folder.file("movie 2.mp4"))
        let server = try served.server()
        let file = try await server.service().download(
            movie, to: .file(folder.file("movie.mp4")), options: DownloadOptions(existingFile: .keepBoth))
        #expect(file.url.lastPathComponent == "movie 3.mp4")
        expectOnly("movie 2.mp4", "movie 3.mp4", "movie.mp4")
    }

    @Test(arguments: [UInt16(0o600), 0o644])
    func `a file is readable only by its owner by default, or has the permissions of the options`(permissions: UInt16)
        async throws
    {
        let server = try served.server()
        let options = permissions == 0o600 ? DownloadOptions() : DownloadOptions(permissions: permissions, flushesToDisk: true)
        let file = try await server.service().download(movie, to: .file(folder.file("movie.mp4")), options: options)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.url.path)
        #expect(attributes[.posixPermissions] as? Int == Int(permissions))
    }

    // MARK: Invalid destinations

    @Test func `each invalid destination is an error with its code, and no request is sent`() async throws {
        try FileManager.default.createDirectory(at: folder.file("inside"), withIntermediateDirectories: true)
        try Data().write(to: folder.file("plain"))
        try FileManager.default.createSymbolicLink(
            at: folder.file(".linked.partial"), withDestinationURL: folder.file("plain"))
        let server = try served.server()
        let service = server.service()
        let rows: [(DownloadDestination, FileFailure.Code)] = [
            (.file(folder.file("inside")), .destinationIsFolder), (.file(folder.url), .destinationIsFolder),
            (.file(folder.file("missing/movie.mp4")), .folderMissing), (.file(folder.file("plain/movie.mp4")), .folderMissing),
            (.folder(folder.file("missing")), .folderMissing), (.folder(folder.file("plain")), .folderMissing),
            (.file(server.url("/x")), .invalidOptions),
            (.file(folder.file("linked")), .notWritable),
            (.file(folder.file(String(repeating: "x", count: 256))), .invalidOptions),
            (.file(URL(fileURLWithPath: "/")), .destinationIsFolder),
        ]
        for (destination, code) in rows {
            let monitor = ProgressMonitor()
            let error = try await downloadFailure { try await service.download(movie, to: destination, progress: monitor) }
            #expect(error.fileFailure?.code == code, "\(destination): \(error)")
            #expect(monitor.current?.isFinished == true && !"\(error)".contains(folder.url.path))
        }
        #expect(server.requestCount == 0)
        expectOnly(".linked.partial", "inside", "plain")
    }

    @Test func `a second download to the same file fails, and the first continues`() async throws {
        served.change { $0.faults = [.stallBody(after: 1000)] }
        let server = try served.server()
        let service = server.service()
        let place = folder.file("movie.mp4")
        let first = Task { try await service.download(movie, to: .file(place)) }
        try await folder.waitForBytes(1000, in: ".movie.mp4.partial")
        let error = try await downloadFailure { try await service.download(movie, to: .file(place)) }
        #expect(error.fileFailure?.code == .busy && error.isRetryable)
        #expect(folder.names == [".movie.mp4.partial", ".movie.mp4.partial.json"])
        first.cancel()
        _ = await first.result
        #expect(try await service.download(movie, to: .file(place)).resumedFrom == 1000)
        expectOnly("movie.mp4")
    }

    // MARK: Failures

    @Test func `an error status leaves no files and is logged once`() async throws {
        let server = try LoopbackServer { _ in .text("gone", status: 410) }
        let logger = InMemoryLogger()
        let error = try await downloadFailure {
            try await server.service(logger: logger).download(movie, to: .file(folder.file("movie.mp4")))
        }
        #expect(error.statusCode == 410 && logger.dataTransferErrors.count == 1)
        expectOnly()
    }

    @Test func `an invalid endpoint leaves no files, and its observer receives a last event`() async throws {
        let monitor = ProgressMonitor()
        let service = try LoopbackServer { _ in .text("") }.service()
        let error = try await downloadFailure {
            try await service.download(Endpoint<Void>(path: "{missing}"), to: .file(folder.file("x")), progress: monitor)
        }
        #expect(error.networkError != nil && monitor.current?.isFinished == true)
        expectOnly()
    }

    @Test(.notOverURLSession(.floods))
    func `a response larger than maximumBytes is an error and leaves no files`() async throws {
        let server = try served.server()
        let error = try await downloadFailure {
            try await server.service().download(
                movie, to: .file(folder.file("movie.mp4")), options: DownloadOptions(maximumBytes: 699_999))
        }
        #expect(error.fileFailure?.code == .tooLarge && "\(error)".contains("maximumBytes"))
        expectOnly()
        let endless = try LoopbackServer { _ in LoopbackResponse.chunked([sampleBytes(1000)]).fault(.endlessBody) }
        let other = try await downloadFailure {
            try await endless.service().download(
                movie, to: .file(folder.file("movie.mp4")), options: DownloadOptions(maximumBytes: 2_000_000))
        }
        #expect(other.fileFailure?.code == .tooLarge)
        expectOnly()
        let file = try await server.service().download(
            movie, to: .file(folder.file("movie.mp4")), options: DownloadOptions(maximumBytes: 700_000))
        #expect(file.byteCount == 700_000)
    }

    @Test func `the last progress event is reported once and has the size of the file`() async throws {
        let server = try served.server()
        let observer = RecordingObserver()
        _ = try await server.service().download(movie, to: .file(folder.file("movie.mp4")), progress: observer)
        let events = observer.events
        #expect(events.filter(\.isFinished).count == 1 && events.last?.isFinished == true)
        #expect(events.last?.bytesReceived == 700_000 && events.last?.totalBytesToReceive == 700_000)
    }

    @Test func `a service that implements only the completion form can download`() async throws {
        struct Mock: MockEndpoint {
            var request: RequestDescription { .get("users") }
            var mockFileName: String { "users" }
        }
        try Data("[1,2]".utf8).write(to: folder.file("users.json"))
        let service = StubDataTransferService(fixtures: StubFixtures(folder: folder.url))
        let file = try await service.download(Mock(), to: .file(folder.file("copy.json")))
        #expect(file.byteCount == 5)
        #expect(try await service.download(Mock().as([Int].self)) == [1, 2])
        expectOnly("copy.json", "users.json")
    }

    @Test func `a stub session supports downloads, and a body of the wrong length is an error`() async throws {
        let session = StubSessionManager()
        session.enqueue(.data(Data("stubbed".utf8), headers: ["Content-Length": "7"]), for: "/files/movie.mp4")
        let service = DefaultDataTransferService(configuration: try APIConfiguration("http://h.example"), sessionManager: session)
        _ = try await service.download(movie, to: .file(folder.file("movie.mp4")))
        #expect(try folder.contents("movie.mp4") == Data("stubbed".utf8))
        session.enqueue(.data(Data("short".utf8), headers: ["Content-Length": "7", "ETag": "\"1\""]))
        let error = try await downloadFailure { try await service.download(movie, to: .file(folder.file("movie.mp4"))) }
        #expect(error.fileFailure?.code == .lengthMismatch && error.isRetryable)
        session.enqueue(.data(Data("too long".utf8), headers: ["Content-Length": "7", "ETag": "\"1\""]))
        let other = try await downloadFailure { try await service.download(movie, to: .file(folder.file("other.mp4"))) }
        #expect(other.fileFailure?.code == .lengthMismatch)
        expectOnly(".movie.mp4.partial", ".movie.mp4.partial.json", "movie.mp4")
    }
}

final class RecordingObserver: TransferProgressObserver {
    private let recorded = Locked<[TransferProgress]>([])
    var events: [TransferProgress] { recorded.withLock { $0 } }

    func transferDidProgress(_ progress: TransferProgress) {
        recorded.withLock { $0.append(progress) }
    }
}
