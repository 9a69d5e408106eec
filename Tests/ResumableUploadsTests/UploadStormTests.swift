import DataTransfer
import Foundation
import NetworkSupport
import NetworkTesting
import ResumableUploads
import Testing
import TransferTestSupport

/// Whatever fails at whatever time, the server has exactly the bytes of the file when an upload is complete, an upload is complete only then, and
/// each part begins at the position that the server has reported last.
@Suite(.timeLimit(.ofStorm))
struct UploadStormTests {
    private static let rounds = runs(16, slow: 320)

    /// A random fault of a request.
    private static func fault(_ random: inout SeededGenerator, _ request: LoopbackRequest) -> TusServer.Fault? {
        guard random.chance(55) else { return nil }
        let count = random.below(request.body.count + 2)
        switch request.method {
        case .options: return random.pick([.lostRequest, .refused(404), .refused(503), .lostResponse])
        case .post: return random.pick([.lostRequest, .lostResponse, .refused(503), .refused(429)])
        case .head:
            return random.pick([
                .lostRequest, .lostResponse, .refused(423), .refused(503), random.chance(10) ? .removed(410) : nil,
            ])
        case .patch:
            if request.headers["Upload-Checksum"] != nil, random.chance(20) { return .damaged }
            return random.pick([
                .lostRequest, .lostResponse, .cut(count), .cut(count), .short(count), .refused(409), .refused(423), .refused(503),
                .restart(random.below(1000)), random.chance(10) ? .removed(404) : nil, random.chance(5) ? .removed(403) : nil,
            ])
        default: return nil
        }
    }

    @Test(arguments: [false, true]) func `each upload ends with exactly the bytes of the file`(isInPieces: Bool) async throws {
        let random = Locked(SeededGenerator(seed: isInPieces ? 1 : 2))
        let folder = try TemporaryFolder()
        let session = DefaultSessionManager()
        var kills = 0
        for round in 0..<Self.rounds {
            let model = TusServer()
            model.change { state in
                state.fault = { _, request in random.withLock { Self.fault(&$0, request) } }
                state.location = { id in
                    random.withLock { random in random.pick(["/files/\(id)", "files/\(id)", "./../files/\(id)"]) }
                }
            }
            let server = try model.server()
            let (length, chunk, isKilling) = random.withLock { random in
                let length = random.chance(5) ? 0 : random.below(1 << (4 + random.below(15)))
                // With more pieces, an upload that may be lost with each of them does not end.
                return (length, max(random.below(1 << 16), length / 64) + 1, random.chance(70))
            }
            let content = sampleBytes(length, seed: UInt64(round))
            let file = try folder.write(content, to: "file-\(round)")
            let options = UploadOptions(
                chunkBytes: isInPieces ? Int64(chunk) : nil, sendsChecksums: round.isMultiple(of: 2), maximumAttempts: 12,
                backoff: Backoff(base: .zero))
            var uploaded: UploadedFile?
            for process in 0..<200 where uploaded == nil {
                model.forgetClients(process: process)
                let service = DefaultDataTransferService(
                    configuration: APIConfiguration(baseURL: server.url, headers: ["Client-Process": "\(process)"]),
                    sessionManager: session)
                // What is recreated is repeated from the beginning, so later processes meet fewer kills.
                let kill =
                    isKilling && process < 20 ? model.state.withLock(\.requests) + random.withLock { $0.below(12) } + 1 : .max
                let task = Locked<Task<UploadedFile, any Error>?>(nil)
                model.change { state in
                    state.onRequest = { number in if number == kill { task.withLock { $0 }?.cancel() } }
                }
                // Before the first request is received, the task to cancel is known.
                let gate = AsyncGate()
                let upload = Task<UploadedFile, any Error> {
                    await gate.wait()
                    return try await service.uploadResumably(file, to: creation, options: options)
                }
                task.withLock { $0 = upload }
                gate.open()
                do {
                    uploaded = try await upload.value
                } catch let error as DataTransferError {
                    if error.isCancelled { kills += 1 }
                    let isExpected = error.isCancelled || error.isRetryable || error.uploadFailure?.code == .gone
                    #expect(isExpected, "round \(round): \(error)")
                }
            }
            let result = try #require(uploaded, "round \(round) does not end")
            let isSame = model.bytes(at: result.url) == content
            #expect(isSame, "round \(round)")
            #expect(model.violations == [], "round \(round)")
            #expect(folder.names == ["file-\(round)"], "round \(round)")
            try FileManager.default.removeItem(at: file)
        }
        #expect(kills > Self.rounds / 4)
    }
}

/// The endpoint of the model that creates uploads.
let creation = Endpoint<Void>(path: "files/", method: .post)
