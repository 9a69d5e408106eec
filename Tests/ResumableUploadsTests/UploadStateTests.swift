import DataTransfer
import Foundation
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@testable import ResumableUploads

/// Tests of the state file, the identity of the file, and the options.
@Suite(.timeLimit(.minutes(10)), .alsoOverURLSession)
struct UploadStateTests {
    private let folder: TemporaryFolder
    private let model = TusServer()
    private let server: LoopbackServer
    private let file: URL

    init() throws {
        folder = try TemporaryFolder()
        server = try model.server()
        file = try folder.write(sampleBytes(200_000), to: "movie.mp4")
    }

    private var state: URL { folder.file(".movie.mp4.upload") }

    private func upload(_ options: UploadOptions = UploadOptions(backoff: Backoff(base: .zero))) async throws -> UploadedFile {
        model.forgetClients()
        return try await server.service().uploadResumably(file, to: creation, options: options)
    }

    private func failure(_ options: UploadOptions = UploadOptions(backoff: Backoff(base: .zero))) async throws -> UploadFailure {
        let error = try await downloadFailure { try await upload(options) }
        return try #require(error.uploadFailure, "\(error)")
    }

    /// Leaves a state of an upload with 50,000 bytes.
    private func interrupt() async throws {
        let isFirst = Locked(true)
        model.change { state in
            state.fault = { _, request in
                guard request.method == .patch else { return nil }
                return isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst ? .cut(50_000) : .refused(400)
                }
            }
        }
        _ = try await downloadFailure { try await upload() }
        #expect(folder.names == [".movie.mp4.upload", "movie.mp4"])
        model.change { $0.fault = { _, _ in nil } }
    }

    @Test(.notOverURLSession(.closedConnections), arguments: 0..<5)
    func `a file that has changed is an error, until its upload is terminated`(change: Int) async throws {
        try await interrupt()
        var bytes = sampleBytes(200_000)
        let modified = try #require(try FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date)
        switch change {
        case 0: bytes.append(1)
        case 1: bytes.removeLast()
        case 2: bytes[10] ^= 1
        case 3: bytes[199_999] ^= 1
        default: break
        }
        try bytes.write(to: file)
        let time = change == 4 ? modified.addingTimeInterval(1) : modified
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: file.path)
        #expect(try await failure().code == .fileChanged)
        #expect(try await server.service().terminateUpload(file, to: creation))
        let uploaded = try await upload()
        let isSame = model.bytes(at: uploaded.url) == bytes
        #expect(isSame && model.violations == [])
    }

    @Test func `a file that changes while it is sent is an error, and never complete`() async throws {
        let file = file
        model.change { state in
            state.onRequest = { number in
                // Before the second part is processed.
                if number == 4 {
                    try? FileManager.default.setAttributes([.modificationDate: Date.distantPast], ofItemAtPath: file.path)
                }
            }
        }
        #expect(try await failure(UploadOptions(chunkBytes: 150_000)).code == .fileChanged)
        try FileManager.default.removeItem(at: state)
        model.change { state in
            state.onRequest = { number in if number.isMultiple(of: 3) { truncate(file.path, 1_000) } }
            state.requests = 0
        }
        try sampleBytes(200_000).write(to: file)
        #expect(try await failure(UploadOptions(chunkBytes: 150_000, sendsChecksums: false)).code == .fileChanged)
    }

    @Test(.notOverURLSession(.closedConnections))
    func `a state of another server is not used`() async throws {
        try await interrupt()
        let other = TusServer()
        let second = try other.server()
        let uploaded = try await second.service().uploadResumably(file, to: creation)
        let isSame = other.bytes(at: uploaded.url) == sampleBytes(200_000)
        #expect(isSame && uploaded.resumedFrom == 0)
    }

    @Test(arguments: ["{}", "not JSON", "", #"{"version":2}"#]) func `a file that is not a state is neither used nor replaced`(
        text: String
    ) async throws {
        try Data(text.utf8).write(to: state)
        chmod(state.path, 0o600)
        #expect(try await failure().code == .stateUnusable)
        #expect(try Data(contentsOf: state) == Data(text.utf8))
        #expect(try await failure(UploadOptions(stateFile: file)).code == .invalidOptions)
        // Without the state, it is not read.
        _ = try await upload(UploadOptions(resumes: false))
    }

    @Test func `no name of a state leads to the uploaded file or to one with contents`() async throws {
        for (suffix, stem) in [(".lock", "a"), (".new", "b"), ("", "c")] {
            let options = UploadOptions(stateFile: folder.file(stem))
            let error = try await downloadFailure {
                try await server.service().uploadResumably(folder.file(stem + suffix), to: creation, options: options)
            }
            #expect(error.uploadFailure?.code == .invalidOptions && "\(error)".contains("stateFile"), "\(error)")
        }
        let other = try folder.write(Data("other".utf8), to: "notes.lock")
        #expect(try await failure(UploadOptions(stateFile: folder.file("notes"))).code == .stateUnusable)
        #expect(try Data(contentsOf: other) == Data("other".utf8))
        #expect(server.requestCount == 0)
    }

    @Test(.notOverURLSession(.closedConnections))
    func `a state that others can write to, and a symbolic link, are not used`() async throws {
        try await interrupt()
        chmod(state.path, 0o622)
        #expect(try await failure().code == .stateUnusable)
        chmod(state.path, 0o600)
        try FileManager.default.moveItem(at: state, to: folder.file("elsewhere"))
        try FileManager.default.createSymbolicLink(at: state, withDestinationURL: folder.file("elsewhere"))
        #expect(try await failure().code == .stateUnusable)
    }

    @Test func `two uploads with one state do not run at the same time`() async throws {
        let gate = AsyncGate()
        let (service, file) = (server.service(), file)
        let isHeld = Watched(false)
        let slow = try LoopbackServer { (request: LoopbackRequest) async throws -> LoopbackResponse in
            isHeld.withLock { $0 = true }
            await gate.wait()
            return self.model.respond(to: request)
        }
        let first = Task { try await slow.service().uploadResumably(file, to: creation) }
        await isHeld.wait { $0 }
        #expect(try await failure().code == .busy)
        let error = try await downloadFailure { try await service.terminateUpload(file, to: creation) }
        #expect(error.uploadFailure?.code == .busy && error.isRetryable)
        gate.open()
        _ = try await first.value
        #expect(folder.names == ["movie.mp4"])
    }

    @Test func `files that cannot be uploaded are errors, and nothing is sent`() async throws {
        let service = server.service()
        for (url, code) in [
            (folder.file("missing"), UploadFailure.Code.fileUnreadable),
            (URL(fileURLWithPath: "/proc/version"), .fileUnreadable), (URL(fileURLWithPath: "/dev/zero"), .fileUnreadable),
            (folder.url, .invalidOptions),
            (URL(fileURLWithPath: folder.url.path, isDirectory: false), .fileUnreadable), (server.url("/x"), .invalidOptions),
        ] {
            let error = try await downloadFailure { try await service.uploadResumably(url, to: creation) }
            #expect(error.uploadFailure?.code == code, "\(url): \(error)")
            #expect(!"\(error)".contains(folder.url.path))
        }
        let lost = try await failure(UploadOptions(stateFile: folder.file("missing/state")))
        #expect(lost.code == .stateUnusable)
        #expect(server.requestCount == 0)
    }

    @Test func `invalid options are errors that name the option`() async throws {
        for (options, name) in [
            (UploadOptions(chunkBytes: 0), "chunkBytes"), (UploadOptions(maximumAttempts: 0), "maximumAttempts"),
            (UploadOptions(maximumAttempts: 1001), "maximumAttempts"),
            (UploadOptions(backoff: Backoff(base: .seconds(-1))), "backoff.base"),
            (UploadOptions(backoff: Backoff(maximumDelay: .seconds(-1))), "backoff.maximumDelay"),
            (UploadOptions(metadata: ["": "a"]), "metadata"),
            (UploadOptions(metadata: ["a b": "a"]), "metadata"), (UploadOptions(metadata: ["a,b": "a"]), "metadata"),
            (UploadOptions(metadata: ["ä": "a"]), "metadata"),
            (UploadOptions(metadata: ["a": String(repeating: "x", count: 20_000)]), "metadata"),
        ] {
            let failure = try await failure(options)
            #expect(failure.code == .invalidOptions && failure.message.contains(name), "\(failure)")
        }
        #expect(server.requestCount == 0)
    }

    @Test func `a state contains what a later call needs, and only that is accepted`() throws {
        let identity = FileIdentity(length: 5, modified: 7, fingerprint: UploadRecord.hash("a"))
        let record = UploadRecord(
            url: "https://a.test/files/1", creator: UploadRecord.hash("b"), file: identity, expires: 9)
        #expect(UploadRecord(json: try record.json) == record)
        func changed(_ change: (inout UploadRecord) -> Void) throws -> UploadRecord? {
            var record = record
            change(&record)
            return UploadRecord(json: try record.json)
        }
        #expect(try changed { $0.url = "file:///etc/passwd" } == nil)
        #expect(try changed { $0.url = "https:///x" } == nil)
        #expect(try changed { $0.version = 2 } == nil)
        #expect(try changed { $0.file.length = -1 } == nil)
        #expect(try changed { $0.file.length = .max } == nil)
        #expect(try changed { $0.creator = "b" } == nil)
    }
}
