import DataTransfer
import Foundation
import NetworkCore
import NetworkPipeline
import NetworkSupport
import ResumableUploads
import Testing
import TransferTestSupport

extension RealServerTests {
    /// Resumable uploads to tuspyserver, whose bytes are compared by their SHA-256, which the server computes.
    @Suite(.timeLimit(.minutes(10)))
    struct ResumableUploadTests {
        private static let endpoint = Endpoint<Void>(path: "files")
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
        }

        private func write(_ count: Int, seed: UInt64 = 0) throws -> URL {
            try folder.write(.pattern(count, seed: seed), to: "file-\(seed).bin")
        }

        /// The server requires these items.
        private static func options(_ chunkBytes: Int64? = nil) -> UploadOptions {
            UploadOptions(
                metadata: ["filename": "Übung.bin", "filetype": "application/octet-stream"], chunkBytes: chunkBytes,
                maximumAttempts: 30, backoff: Backoff(base: .milliseconds(20), maximumDelay: .milliseconds(500)))
        }

        private func expectArrived(
            _ uploaded: UploadedFile, _ file: URL, sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let service = DefaultDataTransferService(configuration: try APIConfiguration(Servers.uploads))
            let digest = Endpoint<String>(path: "digest/\(uploaded.url.lastPathComponent)", responseDecoder: .text)
            let expected = SHA256.digest(of: try Data(contentsOf: file)).hexadecimal
            #expect(try await service.request(digest) == expected, sourceLocation: sourceLocation)
            #expect(!folder.names.contains { $0.contains(".upload") }, sourceLocation: sourceLocation)
        }

        @Test(arguments: Engine.all) func `a file arrives whole`(engine: Engine) async throws {
            for (number, chunk) in [nil, 1 << 20, 333_333].enumerated() as EnumeratedSequence<[Int64?]> {
                let file = try write(4_000_003, seed: UInt64(number))
                let uploaded = try await engine.service(Servers.uploads).uploadResumably(
                    file, to: Self.endpoint, options: Self.options(chunk))
                try await expectArrived(uploaded, file)
                #expect(uploaded.expires ?? .distantPast > Date() && uploaded.resumedFrom == 0)
            }
            let empty = try write(0, seed: 9)
            let uploaded = try await engine.service(Servers.uploads).uploadResumably(
                empty, to: Self.endpoint, options: Self.options())
            try await expectArrived(uploaded, empty)
        }

        @Test(arguments: Engine.ours, [false, true]) func `a file arrives whole through connections that are cut`(
            engine: Engine, retries: Bool
        ) async throws {
            let retry = RetryInterceptor.retry(
                RetryOptions(maximumAttempts: 30, backoff: Backoff(base: .milliseconds(20), maximumDelay: .milliseconds(500))),
                budget: nil)
            let service = DefaultDataTransferService(
                configuration: try APIConfiguration(Servers.cuttingUploads), sessionManager: engine.session(),
                interceptors: retries ? [retry] : [])
            // A creation that is cut would end the call: whether the server has processed it is not known. Here it may create two uploads.
            var endpoint = Self.endpoint
            endpoint.isIdempotent = true
            for round in 0..<4 {
                let file = try write(5_000_000 + round * 12_345, seed: UInt64(round))
                let uploaded = try await service.uploadResumably(
                    file, to: endpoint, options: Self.options(round == 3 ? 700_000 : nil))
                try await expectArrived(uploaded, file)
            }
        }

        @Test(arguments: Engine.ours) func `uploads that are cancelled at random times are continued by others`(engine: Engine)
            async throws
        {
            var random = SeededGenerator(seed: 8)
            for round in 0..<4 {
                let file = try write(8_000_000, seed: UInt64(round))
                var uploaded: UploadedFile?
                for process in 0..<50 where uploaded == nil {
                    let service = try engine.service(Servers.uploads)
                    let upload = Task {
                        try await service.uploadResumably(file, to: Self.endpoint, options: Self.options(500_000))
                    }
                    let pause = random.below(process < 20 ? 60_000 : 10_000_000)
                    // The last ones are not cancelled, however slow the machine is.
                    let killer = Task.detached {
                        try await Task.sleep(for: process < 40 ? .microseconds(pause) : .seconds(3600))
                        upload.cancel()
                    }
                    uploaded = try? await upload.value
                    killer.cancel()
                }
                try await expectArrived(try #require(uploaded), file)
            }
        }

        @Test(arguments: Engine.ours) func `a terminated upload does not exist any more`(engine: Engine) async throws {
            let service = try engine.service(Servers.uploads)
            let file = try write(1_000_000)
            let options = UploadOptions(
                stateFile: folder.file("state"), metadata: Self.options().metadata, chunkBytes: 100_000)
            let monitor = Reached(300_000)
            let gate = AsyncGate()
            let upload = Task {
                await gate.wait()
                return try await service.uploadResumably(file, to: Self.endpoint, options: options, progress: monitor)
            }
            monitor.action.withLock { $0 = { upload.cancel() } }
            gate.open()
            _ = await upload.result
            #expect(folder.names.contains("state"))
            let state = try Data(contentsOf: folder.file("state"))
            #expect(try await service.terminateUpload(file, to: Self.endpoint, options: options))
            #expect(!folder.names.contains("state"))
            // The state of before: the server responds that it does not know the upload, which is created anew.
            try state.write(to: folder.file("state"))
            chmod(folder.file("state").path, 0o600)
            let uploaded = try await service.uploadResumably(file, to: Self.endpoint, options: options)
            try await expectArrived(uploaded, file)
            #expect(uploaded.resumedFrom == 0)
        }

        @Test func `a file that exceeds the server's limit is refused before it is sent`() async throws {
            let file = folder.file("large")
            try Data().write(to: file)
            #expect(truncate(file.path, 65 << 20) == 0)
            let service = try #require(Engine.all.first).service(Servers.uploads)
            let error = await #expect(throws: DataTransferError.self) {
                _ = try await service.uploadResumably(file, to: Endpoint<Void>(path: "files/"), options: Self.options())
            }
            #expect(error?.uploadFailure?.code == .tooLarge)
        }

        #if os(Linux)
            /// The child process kills itself at a random time after the server has a part of the file.
            @Test(arguments: [1, 1_000_000, 3_500_000, 6_000_000])
            func `an upload of a process that was killed is continued by another process`(bytes: Int64) async throws {
                let file = try write(8_000_000)
                await #expect(processExitsWith: .signal(SIGKILL)) { [file = file as URL, bytes = bytes as Int64] in
                    let service = DefaultDataTransferService(configuration: try APIConfiguration(Servers.uploads))
                    let monitor = Reached(bytes)
                    monitor.action.withLock { action in
                        action = {
                            usleep(.random(in: 0..<20_000))
                            kill(getpid(), SIGKILL)
                        }
                    }
                    _ = try await service.uploadResumably(
                        file, to: RealServerTests.ResumableUploadTests.endpoint,
                        options: RealServerTests.ResumableUploadTests.options(700_000), progress: monitor)
                    // It was faster than the pause.
                    kill(getpid(), SIGKILL)
                }
                let isPartial = folder.names.contains(".file-0.bin.upload")
                let service = DefaultDataTransferService(configuration: try APIConfiguration(Servers.uploads))
                let uploaded = try await service.uploadResumably(file, to: Self.endpoint, options: Self.options())
                #expect(!isPartial || uploaded.resumedFrom > 0)
                #expect(isPartial || bytes > 5_000_000)
                try await expectArrived(uploaded, file)
            }
        #endif

        /// Calls an action once when the server has received as many bytes.
        private final class Reached: TransferProgressObserver {
            let action = Locked<(@Sendable () -> Void)?>(nil)
            private let bytes: Int64

            init(_ bytes: Int64) {
                self.bytes = bytes
            }

            func transferDidProgress(_ progress: TransferProgress) {
                guard progress.bytesSent >= bytes, !progress.isFinished else { return }
                let action = action.withLock { action in
                    defer { action = nil }
                    return action
                }
                action?()
            }
        }
    }
}
