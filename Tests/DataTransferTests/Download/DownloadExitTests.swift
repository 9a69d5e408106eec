#if os(Linux)
    import DataTransfer
    import Foundation
    import Glibc
    import NetworkSupport
    import NetworkTesting
    import Testing
    import TransferTestSupport

    /// Tests of downloads in a separate process.
    @Suite(.timeLimit(.minutes(10)))
    struct DownloadExitTests {
        private static let length = 4_000_000

        private let folder: TemporaryFolder
        private let served = ServedFile(sampleBytes(length))
        private let server: LoopbackServer

        init() throws {
            folder = try TemporaryFolder()
            server = try served.server()
        }

        private var place: URL { folder.file("movie.mp4") }

        private func expectResumption() async throws {
            let partial = try folder.contents(".movie.mp4.partial")
            let isBeginning = partial == sampleBytes(Self.length).prefix(partial.count)
            #expect(isBeginning)
            served.change {
                $0.faults = []
                $0.sent = 0
            }
            let file = try await server.service().download(movie, to: .file(place))
            #expect(file.resumedFrom == partial.count)
            #expect(served.content.withLock(\.sent) == Self.length - partial.count)
            let isSame = try folder.contents("movie.mp4") == sampleBytes(Self.length)
            #expect(isSame)
            #expect(folder.names == ["movie.mp4"])
        }

        /// The child process kills itself when its file has `bytes` bytes, while it receives more.
        @Test(arguments: [1, 500_000, 2_000_000, 3_900_000])
        func `a download of a process that was killed is resumed by another process`(bytes: Int) async throws {
            served.change { $0.faults = [.stallBody(after: 3_950_000)] }
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [url = server.url as URL, place = place as URL, bytes = bytes as Int] in
                let service = DefaultDataTransferService(configuration: APIConfiguration(baseURL: url))
                TaskCancellable {
                    try await service.download(movie, to: .file(place))
                } completion: { _ in
                    exit(3)
                }
                let partial = place.deletingLastPathComponent().appendingPathComponent(".movie.mp4.partial").path
                var status = stat()
                // Not without suspending: on one processor, the download needs this thread.
                while stat(partial, &status) != 0 || status.st_size < bytes { await Task.yield() }
                kill(getpid(), SIGKILL)
            }
            #expect(folder.names == [".movie.mp4.partial", ".movie.mp4.partial.json"])
            #expect(try folder.contents(".movie.mp4.partial").count >= bytes)
            try await expectResumption()
        }

        @Test func `a download that reaches the file size limit of the process is an error, and can be resumed`() async throws {
            await #expect(processExitsWith: .success) { [url = server.url as URL, place = place as URL] in
                signal(SIGXFSZ, SIG_IGN)
                var limit = rlimit(rlim_cur: 1_000_001, rlim_max: rlim_t.max)
                getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                limit.rlim_cur = 1_000_001
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                let service = DefaultDataTransferService(configuration: APIConfiguration(baseURL: url))
                let error = try await downloadFailure { try await service.download(movie, to: .file(place)) }
                #expect(error.fileFailure?.code == .diskFull && error.fileFailure?.systemError == EFBIG, "\(error)")
                #expect(error.fileFailure?.partialFile?.lastPathComponent == ".movie.mp4.partial")
                for part in [#""movie.mp4": diskFull: "#, "File too large", #"1000001 bytes are kept"#, #"".movie.mp4.partial""#]
                {
                    #expect(error.description.contains(part), "\(error)")
                }
                #expect(!error.description.contains(place.deletingLastPathComponent().path))
                let large = Endpoint<Data>(path: "files/movie.mp4", responseDecoder: .rawData)
                let other = try await downloadFailure { try await service.download(large) }
                #expect(other.fileFailure?.code == .diskFull, "\(other)")
            }
            #expect(try folder.contents(".movie.mp4.partial").count == 1_000_001)
            try await expectResumption()
        }

        /// Mounts a file system of that many bytes on a folder, or changes its size.
        private static func mountDisk(at folder: URL, bytes: Int, flags: UInt = 0) -> Bool {
            mount("tmpfs", folder.path, "tmpfs", flags, "size=\(bytes)") == 0
        }

        private static var canMount: Bool {
            guard let folder = try? TemporaryFolder() else { return false }
            defer { umount2(folder.url.path, Int32(MNT_DETACH)) }
            return mountDisk(at: folder.url, bytes: 65_536)
        }

        @Test(.needs("to mount a file system", canMount, run: "sudo swift test --filter DownloadExitTests"))
        func `a full disk is an error that names what is kept, and the download continues when there is room`() async throws {
            await #expect(processExitsWith: .success) { [url = server.url as URL, folder = folder.url as URL] in
                #expect(Self.mountDisk(at: folder, bytes: 1_000_000))
                defer { umount2(folder.path, Int32(MNT_DETACH)) }
                let service = DefaultDataTransferService(configuration: APIConfiguration(baseURL: url))
                let error = try await downloadFailure { try await service.download(movie, to: .folder(folder)) }
                let failure = try #require(error.fileFailure)
                #expect(failure.code == .diskFull && failure.systemError == ENOSPC, "\(error)")
                let kept = try #require(try await PartialDownload.all(in: folder).first)
                #expect(failure.partialFile?.lastPathComponent == kept.url.lastPathComponent && kept.isResumable)
                #expect(failure.message.contains("\(kept.byteCount) bytes are kept") && failure.message.contains("No space left"))
                let msRemount: UInt = 32
                #expect(Self.mountDisk(at: folder, bytes: 10_000_000, flags: msRemount))
                let file = try await service.download(movie, to: .folder(folder))
                #expect(file.resumedFrom == kept.byteCount && file.byteCount == Self.length)
                #expect(try await PartialDownload.all(in: folder).isEmpty)
            }
        }

        @Test func `a folder without write permission is an error, and no request is sent`() async throws {
            try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.url.path)
            await #expect(processExitsWith: .success) { [url = server.url as URL, place = place as URL] in
                // Root can write to every folder, so the test continues as another user.
                if geteuid() == 0 { #expect(seteuid(65534) == 0) }
                let service = DefaultDataTransferService(configuration: APIConfiguration(baseURL: url))
                let error = try await downloadFailure { try await service.download(movie, to: .file(place)) }
                #expect(error.fileFailure?.code == .notWritable && error.fileFailure?.systemError == EACCES, "\(error)")
            }
            #expect(server.requestCount == 0)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
        }

        @Test func `a download to a file that another process is downloading is an error`() async throws {
            served.change { $0.faults = [.stallBody(after: 1_000_000)] }
            let (service, place) = (server.service(), place)
            let first = Task { try await service.download(movie, to: .file(place)) }
            try await folder.waitForBytes(1_000_000, in: ".movie.mp4.partial")
            await #expect(processExitsWith: .success) { [url = server.url as URL, place = place as URL] in
                let service = DefaultDataTransferService(configuration: APIConfiguration(baseURL: url))
                let error = try await downloadFailure { try await service.download(movie, to: .file(place)) }
                #expect(error.fileFailure?.code == .busy, "\(error)")
            }
            first.cancel()
            _ = await first.result
            try await expectResumption()
        }
    }
#endif
