#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @_spi(SessionManagers) @testable import NetworkTransport
    @testable import NetworkURLSession

    /// Bodies of files that are not what their status says, or that change.
    @Suite(.timeLimit(.minutes(10))) struct FileBodyTests {
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
        }

        /// Each way in which the bytes of a body are read.
        private func readings(of url: URL, _ server: LoopbackServer) async throws -> [(String, Data)] {
            let body = NetworkBody.file(url)
            var form = MultipartForm(boundary: "boundary")
            form.append(.file(url), name: "f")
            let session = SocketSessionManager()
            func echo(_ body: NetworkBody) async throws -> Data {
                try await session.response(for: NetworkRequest(method: .post, url: server.url, body: body)).data
            }
            var chunks = Data()
            for try await chunk in body.chunksToSend() { chunks.append(chunk) }
            var whole = Data()
            try await body.send { whole.append($0) }
            let sent = try await echo(form.content())
            let part = sent.dropFirst(sent.range(of: Data("\r\n\r\n".utf8))?.upperBound ?? 0)
            return [
                ("sent", try await echo(body)), ("collected", try await body.collected()), ("chunks", chunks), ("written", whole),
                ("part", Data(part.dropLast("\r\n--boundary--\r\n".utf8.count))),
            ]
        }

        @Test func `a file is read to its end, whatever length its file system states`() async throws {
            let server = try LoopbackServer { request in .data(request.body) }
            let sparse = folder.file("sparse")
            _ = FileManager.default.createFile(atPath: sparse.path, contents: nil)
            #expect(truncate(sparse.path, 1_000_000) == 0)
            // With the length that is announced.
            let files: [(URL, Int64?)] = [
                (URL(fileURLWithPath: "/proc/version"), nil), (URL(fileURLWithPath: "/proc/self/environ"), nil),
                (URL(fileURLWithPath: "/sys/devices/system/cpu/online"), nil),
                (URL(fileURLWithPath: "/sys/kernel/mm/transparent_hugepage/enabled"), nil), (sparse, 1_000_000),
                (try folder.write(Data(), to: "empty"), 0), (try folder.write(.pattern(700_000), to: "file"), 700_000),
            ]
            for (url, length) in files {
                guard let expected = contents(of: url) else { continue }
                #expect(try await NetworkBody.file(url).measuredLength() == length, "\(url.path)")
                for (name, read) in try await readings(of: url, server) {
                    let isSame = read == expected
                    #expect(isSame, "\(url.path), \(name): \(read.count) of \(expected.count) bytes")
                }
                let digest = try await NetworkBody.file(url).digest(SHA256.self, for: NetworkRequest(url: server.url))
                #expect(digest == SHA256.digest(of: expected), "\(url.path)")
            }
            let framings = server.requests.map {
                ($0.headers["Content-Length"] == nil) == ($0.headers["Transfer-Encoding"] != nil)
            }
            #expect(framings.allSatisfy { $0 })
        }

        @Test func `what is not a regular file is an error in words, and never waits`() async throws {
            let (pipe, socket) = (folder.file("pipe"), folder.file("socket"))
            #expect(mkfifo(pipe.path, 0o600) == 0 && mknod(socket.path, S_IFSOCK | 0o600, 0) == 0)
            let link = folder.file("link")
            try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "/dev/zero")
            let places: [(URL, String)] = [
                (pipe, "is not a regular file"), (socket, "is not a regular file"), (link, "is not a regular file"),
                (folder.url, "is a directory"), (URL(fileURLWithPath: "/dev/zero"), "is not a regular file"),
                (folder.file("missing"), "No such file"), (folder.file("\(String(repeating: "n", count: 300))"), "name too long"),
                (pipe.appendingPathComponent("x"), "Not a directory"), (URL(fileURLWithPath: "/proc/self/mem"), "cannot be read"),
            ]
            for (url, reason) in places {
                let body = NetworkBody.file(url)
                for attempt in [{ _ = try await body.measuredLength() }, { _ = try await body.collected() }]
                    as [() async throws -> Void]
                {
                    let error = await #expect(throws: TransportError.self, "\(url.path)") { try await attempt() }
                    #expect(error?.code == .bodyFailed && error?.message.contains(reason) == true, "\(url.path): \(error as Any)")
                    #expect(error?.message.contains(url.deletingLastPathComponent().path + "/") == false)
                }
            }
        }

        /// What happens to the name between measuring and sending: the bytes of the measured file are sent, or none.
        @Test func `the file that was measured is the one that is sent`() async throws {
            let content = Data.pattern(1000)
            let changes: [(String, (URL) throws -> Void, Data?, String)] = [
                ("another of the same size", { try replace($0, with: .pattern(1000, seed: 9)) }, nil, "was replaced"),
                ("a larger one", { try replace($0, with: .pattern(2000)) }, nil, "was replaced"),
                ("a link to another", { try relink($0, to: "/proc/version") }, nil, "was replaced"),
                ("a link to a device", { try relink($0, to: "/dev/zero") }, nil, "is not a regular file"),
                ("a folder", { try relink($0, to: "/tmp") }, nil, "is a directory"),
                ("nothing", { try FileManager.default.removeItem(at: $0) }, nil, "No such file"),
                ("a shorter one", { _ = truncate($0.path, 999) }, nil, "has become shorter"),
                ("appended bytes", { try append($0) }, content, ""), ("the same", { _ in }, content, ""),
            ]
            for (name, change, sent, reason) in changes {
                let url = try folder.write(content, to: "file")
                let body = try NetworkBody.file(url).measured(for: nil)
                #expect(body.knownLength == 1000 && body.isReplayable)
                try change(url)
                for _ in 0..<2 {
                    var received = Data()
                    do throws(TransportError) {
                        try await body.send { received.append($0) }
                        #expect(received == sent, "\(name)")
                    } catch {
                        #expect(sent == nil && error.code == .bodyFailed && error.message.contains(reason), "\(name): \(error)")
                        #expect(received.isEmpty, "\(name)")
                    }
                }
                unlink(url.path)
            }
        }
    }

    /// The bytes up to the end, which do not depend on the status; `nil` if there is no such file.
    private func contents(of url: URL) -> Data? {
        guard let file = fopen(url.path, "r") else { return nil }
        defer { fclose(file) }
        var contents = Data()
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { return contents }
            contents.append(contentsOf: buffer[..<count])
        }
    }

    private func replace(_ url: URL, with data: Data) throws {
        let other = url.appendingPathExtension("new")
        try data.write(to: other)
        #expect(rename(other.path, url.path) == 0)
    }

    private func relink(_ url: URL, to path: String) throws {
        #expect(unlink(url.path) == 0)
        try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: path)
    }

    private func append(_ url: URL) throws {
        let handle = try FileHandle(forWritingTo: url)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data.pattern(5000))
        try handle.close()
    }
#endif
