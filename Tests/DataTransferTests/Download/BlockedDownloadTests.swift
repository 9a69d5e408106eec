#if os(macOS) || os(Linux)
    import DataTransfer
    import Foundation
    import NetworkSupport
    import NetworkTesting
    import Testing
    import TransferTestSupport

    /// Tests that run in separate processes, because they block threads that all other tests need.
    @Suite(.timeLimit(.minutes(10)), .alsoOverURLSession) struct BlockedDownloadTests {
        @Test func `downloads to files and decoded downloads complete while 1,000 completions are blocked`() async {
            await #expect(processExitsWith: .success) {
                let server = try LoopbackServer { _ in .json("[\(String(repeating: "1,", count: 200_000))1]") }
                let service = DefaultDataTransferService(configuration: APIConfiguration(baseURL: server.url))
                let blockers = ThreadBlockers()
                for _ in 0..<1000 { BackgroundThreads.completions.run { blockers.block() } }
                await blockers.waitUntilEntered(64)
                let folder = try TemporaryFolder()
                let endpoint = Endpoint<[Int]>(path: "numbers")
                let file = try await service.download(endpoint, to: .file(folder.file("numbers")))
                #expect(file.byteCount == 400_003)
                #expect(try await service.download(endpoint).count == 200_001)
                #expect(BackgroundThreads.completions.waitingCount == 936)
                await blockers.release(1000)
            }
        }

        @Test func `downloads are decoded on the threads for file operations`() async throws {
            let server = try LoopbackServer { _ in .json("[1]") }
            let service = server.service()
            let names = Locked<[String?]>([])
            let endpoint = Endpoint<Int>(path: "numbers") { body in
                names.withLock { $0.append(Thread.current.name) }
                return body.data.count
            }
            #expect(try await service.download(endpoint) == 3)
            #expect(names.withLock { $0 } == ["dt-files"])
        }
    }
#endif
