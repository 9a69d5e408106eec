import DataTransfer
import Foundation
import NetworkSupport
import NetworkTesting
import ResumableUploads
import Testing
import TransferTestSupport

/// Tests of one upload each, with the faults that it meets.
@Suite(.timeLimit(.minutes(10)), .alsoOverURLSession)
struct ResumableUploadTests {
    private let folder: TemporaryFolder
    private let model = TusServer()
    private let server: LoopbackServer
    private let content = sampleBytes(100_000)
    private let file: URL

    init() throws {
        folder = try TemporaryFolder()
        server = try model.server()
        file = try folder.write(content, to: "movie.mp4")
    }

    private func upload(
        _ options: UploadOptions = UploadOptions(backoff: Backoff(base: .zero)), to endpoint: Endpoint<Void> = creation,
        progress: (any TransferProgressObserver)? = nil
    ) async throws -> UploadedFile {
        model.forgetClients()
        return try await server.service().uploadResumably(file, to: endpoint, options: options, progress: progress)
    }

    /// Lets the requests of a method fail in order.
    private func inject(_ faults: [TusServer.Fault?], into method: RequestMethod) {
        let left = Locked(faults)
        model.change { state in
            state.fault = { _, request in
                guard request.method == method else { return nil }
                return left.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            }
        }
    }

    private var methods: [String] { server.requests.map(\.method.rawValue) }

    private func expectComplete(_ uploaded: UploadedFile, sourceLocation: SourceLocation = #_sourceLocation) {
        let isSame = model.bytes(at: uploaded.url) == content
        #expect(isSame && uploaded.byteCount == 100_000, sourceLocation: sourceLocation)
        #expect(model.violations == [] && folder.names == ["movie.mp4"], sourceLocation: sourceLocation)
    }

    @Test func `a file is sent in one request, and its state is removed`() async throws {
        let uploaded = try await upload(UploadOptions(metadata: ["filename": "Ä.mp4", "is_confidential": ""]))
        expectComplete(uploaded)
        #expect(methods == ["OPTIONS", "POST", "PATCH"] && uploaded.resumedFrom == 0)
        let metadata = model.state.withLock { $0.uploads.values.first?.metadata }
        #expect(metadata == "filename w4QubXA0,is_confidential")
        #expect(server.requests.last?.headers["Content-Length"] == "100000")
        #expect(server.requests.last?.headers.contains("Upload-Checksum") == false)
    }

    @Test func `a file is sent in pieces with checksums`() async throws {
        inject([nil, .damaged, nil, .short(10)], into: .patch)
        expectComplete(try await upload(UploadOptions(chunkBytes: 40_000, backoff: Backoff(base: .zero))))
        #expect(model.state.withLock { $0.uploads.values.first?.parts } == [0, 40_000, 40_000, 80_000, 80_010])
        #expect(server.requests.filter { $0.headers["Upload-Checksum"]?.hasPrefix("sha256 ") == true }.count == 5)
        model.change { $0.checksums = "md5, sha1" }
        server.forgetRequests()
        expectComplete(try await upload(UploadOptions(chunkBytes: 50_000)))
        #expect(server.requests.filter { $0.headers["Upload-Checksum"]?.hasPrefix("sha1 ") == true }.count == 2)
        model.change { $0.checksums = "crc32" }
        server.forgetRequests()
        expectComplete(try await upload(UploadOptions(chunkBytes: 50_000)))
        #expect(!server.requests.contains { $0.headers.contains("Upload-Checksum") })
    }

    @Test func `a file is complete with its last part, an empty one with its creation`() async throws {
        for (size, chunk, parts) in [(0, nil, 0), (0, 10, 0), (1, 1, 1), (9, 10, 1), (10, 10, 1), (11, 10, 2), (20, 10, 2)]
            as [(Int, Int64?, Int)]
        {
            let other = try folder.write(content.prefix(size), to: "other")
            server.forgetRequests()
            let uploaded = try await server.service().uploadResumably(
                other, to: creation, options: UploadOptions(chunkBytes: chunk))
            #expect(uploaded.byteCount == size && model.bytes(at: uploaded.url) == content.prefix(size), "\(size) bytes")
            #expect(
                methods == ["OPTIONS", "POST"] + repeatElement("PATCH", count: parts), "\(size) bytes in parts of \(chunk ?? 0)")
        }
    }

    @Test(.notOverURLSession(.closedConnections))
    func `after a lost connection, the rest is sent from the position of the server`() async throws {
        inject([.cut(30_000), .lostResponse], into: .patch)
        expectComplete(try await upload())
        #expect(methods == ["OPTIONS", "POST", "PATCH", "HEAD", "PATCH", "HEAD"])
        #expect(model.state.withLock { $0.uploads.values.first?.parts } == [0, 30_000])
    }

    @Test(.notOverURLSession(.closedConnections))
    func `a conflict and a lock are followed by a question, and a lost part is sent again`() async throws {
        inject([.refused(409), .refused(423), .cut(60_000), .restart(20_000)], into: .patch)
        expectComplete(try await upload())
        #expect(model.state.withLock { $0.uploads.values.first?.parts } == [0, 40_000])
    }

    @Test(.notOverURLSession(.closedConnections))
    func `an upload that was cancelled is continued from its state`() async throws {
        let service = server.service()
        inject([.cut(50_000)], into: .patch)
        let task = Locked<Task<UploadedFile, any Error>?>(nil)
        let gate = AsyncGate()
        model.change { state in
            state.onRequest = { if $0 == 4 { task.withLock { $0 }?.cancel() } }
        }
        let upload = Task {
            await gate.wait()
            return try await service.uploadResumably(file, to: creation, options: UploadOptions(backoff: Backoff(base: .zero)))
        }
        task.withLock { $0 = upload }
        gate.open()
        let error = await #expect(throws: DataTransferError.self) { _ = try await upload.value }
        #expect(error?.isCancelled == true)
        #expect(folder.names == [".movie.mp4.upload", "movie.mp4"])
        let mode = try FileManager.default.attributesOfItem(atPath: folder.file(".movie.mp4.upload").path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let uploaded = try await self.upload()
        expectComplete(uploaded)
        #expect(uploaded.resumedFrom == 50_000)
        #expect(methods.suffix(3) == ["OPTIONS", "HEAD", "PATCH"])
    }

    @Test(.notOverURLSession(.closedConnections))
    func `bytes of the earlier call that arrive late are not sent again`() async throws {
        inject([.cut(30_000), .refused(400)], into: .patch)
        _ = try await downloadFailure { try await upload() }
        inject([], into: .patch)
        let (model, content) = (model, content)
        // The closure retains the model, which contains it.
        defer { model.change { $0.onRequest = { _ in } } }
        let count = model.state.withLock(\.requests)
        model.change { state in
            // Between the question and the first part of the second call.
            state.onRequest = { number in
                guard number == count + 3 else { return }
                model.change { state in
                    for id in state.uploads.keys { state.uploads[id]?.bytes = content.prefix(90_000) }
                }
            }
        }
        let uploaded = try await upload(UploadOptions(chunkBytes: 10_000, backoff: Backoff(base: .zero)))
        expectComplete(uploaded)
        #expect(uploaded.resumedFrom == 30_000)
        #expect(model.state.withLock { $0.uploads.values.first?.parts } == [0, 30_000, 90_000])
    }

    @Test(.notOverURLSession(.closedConnections))
    func `progress never decreases and ends with the length`() async throws {
        let events = Events()
        inject([.cut(50_000), .restart(30_000), .cut(10_000)], into: .patch)
        expectComplete(try await upload(progress: events))
        let sent = events.all.map(\.bytesSent)
        #expect(sent == sent.sorted() && sent.last == 100_000)
        #expect(events.all.filter(\.isFinished).count == 1 && events.all.last?.isFinished == true)
        #expect(events.all.last?.totalBytesToSend == 100_000)
    }

    // MARK: Uploads that do not exist any more

    @Test(.notOverURLSession(.closedConnections), arguments: [403, 404, 410])
    func `an upload that is gone is created anew, once in a call`(status: Int) async throws {
        inject([.cut(30_000), .removed(status)], into: .patch)
        expectComplete(try await upload())
        inject([.removed(status), .removed(status)], into: .patch)
        let error = try await downloadFailure { try await upload() }
        #expect(error.uploadFailure?.code == .gone)
        inject([], into: .patch)
        expectComplete(try await upload())
    }

    @Test(.notOverURLSession(.closedConnections))
    func `an upload that is created anew makes progress again`() async throws {
        model.change { state in
            let parts = Locked(0)
            state.fault = { _, request in
                guard request.method == .patch else { return nil }
                let number = parts.withLock { count in
                    count += 1
                    return count
                }
                return number == 1 ? .cut(50_000) : number == 2 ? .removed(410) : .cut(1_500)
            }
        }
        expectComplete(try await upload(UploadOptions(maximumAttempts: 2, backoff: Backoff(base: .zero))))
    }

    // MARK: Refusals

    @Test func `a file that is too large is refused before it is sent`() async throws {
        model.change { $0.maximumBytes = 99_999 }
        let error = try await downloadFailure { try await upload() }
        #expect(error.uploadFailure?.code == .tooLarge && "\(error)".contains("99999 (Tus-Max-Size)"))
        #expect(methods == ["OPTIONS"])
        model.change { $0.maximumBytes = nil }
        inject([.refused(413)], into: .post)
        let other = try await downloadFailure { try await upload() }
        #expect(other.uploadFailure?.code == .tooLarge && other.statusCode == 413)
    }

    @Test func `a server of another version is refused`() async throws {
        inject([.field("Tus-Version", "0.2.2, 2.0.0")], into: .options)
        let error = try await downloadFailure { try await upload() }
        #expect(error.uploadFailure?.code == .unsupportedVersion && "\(error)".contains("0.2.2, 2.0.0"))
        for method in [RequestMethod.post, .patch] {
            inject([.refused(412)], into: method)
            let error = try await downloadFailure { try await upload() }
            #expect(error.uploadFailure?.code == .unsupportedVersion && error.statusCode == 412)
        }
    }

    @Test(
        .notOverURLSession(.closedConnections),
        arguments: [
            ("100001", "beyond 100000"), ("-1", "not a number"), ("9223372036854775808", "not a number"),
            ("1, 2", "not a number"),
            ("99999999999999999999999999999", "not a number"), (nil, "no Upload-Offset"),
        ] as [(String?, String)])
    func `an invalid position is an error that names the field`(value: String?, message: String) async throws {
        for (method, faults) in [(RequestMethod.patch, [TusServer.Fault.offset(value)]), (.head, [.offset(value)])] {
            let left = Locked(faults)
            model.change { state in
                state.fault = { _, request in
                    if method == .head, request.method == .patch { return .cut(10) }
                    guard request.method == method else { return nil }
                    return left.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                }
            }
            let error = try await downloadFailure { try await upload() }
            #expect(error.uploadFailure?.code == .invalidOffset, "\(error)")
            #expect("\(error)".contains(message) && "\(error)".contains("Upload-Offset"), "\(error)")
        }
    }

    @Test(.notOverURLSession(.closedConnections))
    func `a position beyond the sent bytes ends the upload for good`() async throws {
        inject([.offset("40001")], into: .patch)
        let options = UploadOptions(chunkBytes: 40_000, backoff: Backoff(base: .zero))
        let error = try await downloadFailure { try await upload(options) }
        #expect(error.uploadFailure?.code == .invalidOffset && "\(error)".contains("beyond 40000"))
        // A later call could not find out that the server has bytes of something else.
        #expect(folder.names == ["movie.mp4"])
        inject([nil, .lostRequest], into: .patch)
        let patches = Locked(0)
        model.change { state in
            let inner = state.fault
            state.fault = { number, request in
                if request.method == .head { return .offset("80001") }
                if request.method == .patch { patches.withLock { $0 += 1 } }
                return inner(number, request)
            }
        }
        let other = try await downloadFailure { try await upload(options) }
        #expect(other.uploadFailure?.code == .invalidOffset && "\(other)".contains("beyond 80000"), "\(other)")
    }

    @Test func `a position before that of the request is an error`() async throws {
        inject([nil, .offset("39999")], into: .patch)
        let options = UploadOptions(chunkBytes: 40_000, backoff: Backoff(base: .zero))
        let error = try await downloadFailure { try await upload(options) }
        #expect(error.uploadFailure?.code == .invalidOffset && "\(error)".contains("before the position 40000"))
        inject([], into: .patch)
        expectComplete(try await upload(options))
    }

    @Test(.notOverURLSession(.closedConnections))
    func `another length of the upload is an error`() async throws {
        inject([.cut(10)], into: .patch)
        let inner = model.state.withLock(\.fault)
        model.change { state in
            state.fault = { $1.method == .head ? .field("Upload-Length", "100001") : inner($0, $1) }
        }
        let error = try await downloadFailure { try await upload() }
        #expect(error.uploadFailure?.code == .lengthMismatch && "\(error)".contains("Upload-Length is \"100001\""))
    }

    @Test(.notOverURLSession(.closedConnections), arguments: [409, 423, 503, 0, 1])
    func `attempts without progress are limited`(kind: Int) async throws {
        model.change { state in
            state.fault = { _, request in
                guard request.method == .patch else { return nil }
                return kind == 0 ? .lostRequest : kind == 1 ? .short(0) : .refused(kind)
            }
        }
        let error = try await downloadFailure {
            try await upload(UploadOptions(maximumAttempts: 4, backoff: Backoff(base: .zero)))
        }
        #expect(methods.filter { $0 == "PATCH" }.count == 4)
        #expect(error.isRetryable, "\(error)")
        let codes: [Int: UploadFailure.Code] = [409: .conflict, 423: .locked, 1: .noProgress]
        #expect(error.uploadFailure?.code == codes[kind])
        model.change { $0.fault = { _, _ in nil } }
        expectComplete(try await upload())
    }

    @Test(arguments: [423, 503]) func `no pause exceeds the deadline of the upload`(status: Int) async throws {
        inject(Array(repeating: .refused(status), count: 5), into: .patch)
        var endpoint = creation
        endpoint.timeouts.deadline = .limit(.seconds(30))
        let start = ContinuousClock.now
        let error = try await downloadFailure {
            try await upload(
                UploadOptions(backoff: Backoff(base: .seconds(86_400), maximumDelay: .seconds(86_400), isRandom: false)),
                to: endpoint)
        }
        #expect(start.duration(to: .now) < .seconds(20))
        // A response says more than the deadline.
        #expect(status == 503 ? error.statusCode == 503 : error.networkError?.transportError?.code == .timedOut, "\(error)")
    }

    @Test func `a temporary failure does not change what is known about the server`() async throws {
        inject([.refused(503), .refused(429)], into: .options)
        expectComplete(try await upload(UploadOptions(chunkBytes: 50_000, backoff: Backoff(base: .zero))))
        #expect(methods == ["OPTIONS", "OPTIONS", "OPTIONS", "POST", "PATCH", "PATCH"])
        #expect(server.requests.filter { $0.headers.contains("Upload-Checksum") }.count == 2)
        // Not a server that supports OPTIONS.
        inject([.refused(405)], into: .options)
        expectComplete(try await upload())
    }

    @Test(.notOverURLSession(.closedConnections))
    func `attempts that make progress are not limited`() async throws {
        model.change { state in
            state.fault = { _, request in request.method == .patch ? .cut(1_500) : nil }
        }
        expectComplete(try await upload(UploadOptions(maximumAttempts: 2, backoff: Backoff(base: .zero))))
    }

    // MARK: Locations

    @Test func `a location on another origin receives no credentials`() async throws {
        let other = TusServer()
        let foreign = try other.server()
        model.change { state in
            state.location = { _ in foreign.url("/files/elsewhere").absoluteString }
        }
        other.change { $0.uploads["elsewhere"] = TusServer.Upload(length: 100_000) }
        var endpoint = creation
        endpoint.headerParameters = ["Authorization": "Bearer canary", "X-Key": "canary", "Accept-Language": "de"]
        let configuration = APIConfiguration(
            baseURL: server.url, headers: ["X-Tenant": "canary"], queryParameters: ["key": "canary"])
        let service = DefaultDataTransferService(configuration: configuration)
        other.change { state in
            state.fault = { _, request in request.method == .patch && request.headers["Upload-Offset"] == "0" ? .cut(5) : nil }
        }
        let uploaded = try await service.uploadResumably(
            file, to: endpoint, options: UploadOptions(backoff: Backoff(base: .zero)))
        let isSame = other.bytes(at: uploaded.url) == content
        #expect(isSame)
        #expect(foreign.requests.map(\.method) == [.patch, .head, .patch])
        for request in foreign.requests {
            #expect(!"\(request.headers.fields) \(request.target)".contains("canary"))
            #expect(request.headers["Accept-Language"] == "de" && request.headers["Tus-Resumable"] == "1.0.0")
        }
        #expect(server.requests.allSatisfy { $0.headers["X-Key"] == "canary" && $0.headers["Authorization"] == "Bearer canary" })
    }

    @Test(arguments: ["ftp://a.test/x", "mailto:a", "http://", "http:///x"]) func `an invalid location is an error`(
        location: String
    ) async throws {
        model.change { state in state.location = { _ in location } }
        let error = try await downloadFailure { try await upload() }
        #expect(error.uploadFailure?.code == .invalidLocation, "\(error)")
        inject([.field("Location", "")], into: .post)
        let other = try await downloadFailure { try await upload() }
        #expect(other.uploadFailure?.code == .invalidLocation)
    }

    // MARK: Termination and completion

    @Test(.notOverURLSession(.closedConnections))
    func `an upload is terminated, and its state is removed`() async throws {
        inject([.cut(10), .refused(400)], into: .patch)
        _ = try await downloadFailure { try await upload() }
        #expect(folder.names == [".movie.mp4.upload", "movie.mp4"] && model.state.withLock { $0.uploads.count } == 1)
        #expect(try await server.service().terminateUpload(file, to: creation))
        #expect(folder.names == ["movie.mp4"] && model.state.withLock { $0.uploads.isEmpty })
        #expect(methods.last == "DELETE")
        #expect(try await server.service().terminateUpload(file, to: creation) == false)
    }

    @Test func `the time at which the server removes the upload is reported`() async throws {
        model.change { $0.expires = "Wed, 25 Jun 2064 16:00:00 GMT" }
        let uploaded = try await upload()
        #expect(uploaded.expires == Date(timeIntervalSince1970: 2_981_635_200))
    }

    private final class Events: TransferProgressObserver {
        private let events = Locked<[TransferProgress]>([])
        var all: [TransferProgress] { events.withLock { $0 } }
        func transferDidProgress(_ progress: TransferProgress) { events.withLock { $0.append(progress) } }
    }
}
