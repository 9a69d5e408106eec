import DataTransfer
import Foundation
import Testing

extension RealServerTests {
    /// Downloads of files from nginx to local files.
    @Suite(.timeLimit(.minutes(10)))
    final class DownloadTests {
        private let folder: URL
        private let name = "download-\(UUID()).bin"
        private var destination: URL { folder.appendingPathComponent("file.bin", isDirectory: false) }
        private var endpoint: Endpoint<Void> { Endpoint(path: "throttled/\(name)") }

        init() throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("real-downloads-\(UUID())", isDirectory: true)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Servers.tenMegabytes.prefix(3 << 20).write(to: Servers.file(name))
        }

        deinit {
            try? FileManager.default.removeItem(at: folder)
            try? FileManager.default.removeItem(at: Servers.file(name))
        }

        private var partialBytes: Int64 {
            let path = folder.appendingPathComponent(".file.bin.partial").path
            return (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64) ?? 0
        }

        /// Starts a download and cancels it when a part of the file is stored.
        private func interruptDownload() async throws {
            let service = try Engine.ours.first?.service(Servers.nginx)
            let (endpoint, destination) = (endpoint, destination)
            // On a busy machine, a download may be complete before it is cancelled.
            for _ in 0..<20 {
                let task = Task { try await service?.download(endpoint, to: .file(destination)) }
                while partialBytes < 512 << 10, !FileManager.default.fileExists(atPath: destination.path) {
                    try Task.checkCancellation()
                    await Task.yield()
                }
                task.cancel()
                if case .failure = await task.result { return }
                try FileManager.default.removeItem(at: destination)
            }
            throw CancellationError()
        }

        private func expect(_ body: Data, sourceLocation: SourceLocation = #_sourceLocation) throws {
            // `#expect(a == b)` would print both bodies if they differ.
            let isSame = try Data(contentsOf: destination) == body
            #expect(isSame, sourceLocation: sourceLocation)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file.bin"], sourceLocation: sourceLocation)
        }

        @Test(arguments: Engine.all) func `ten megabytes are downloaded to a file`(engine: Engine) async throws {
            let service = try engine.service(Servers.nginx)
            let file = try await service.download(Endpoint<Void>(path: "files/10mb.bin"), to: .folder(folder))
            #expect(file.url.lastPathComponent == "10mb.bin" && file.byteCount == 10 << 20)
            let isSame = try Data(contentsOf: file.url) == Servers.tenMegabytes
            #expect(isSame)
        }

        @Test(arguments: Engine.all) func `an interrupted download is resumed where it stopped`(engine: Engine) async throws {
            try await interruptDownload()
            let have = partialBytes
            let file = try await engine.service(Servers.nginx).download(endpoint, to: .file(destination))
            #expect(file.resumedFrom == have && file.statusCode == 206)
            if engine.measures { #expect(file.timings.bytesReceived == 3 << 20 - have) }
            try expect(Servers.tenMegabytes.prefix(3 << 20))
        }

        @Test(arguments: Engine.all) func `a file that has changed is downloaded from its start`(engine: Engine) async throws {
            try await interruptDownload()
            let changed = Data(Servers.tenMegabytes.prefix(1 << 20).reversed())
            try changed.write(to: Servers.file(name))
            let file = try await engine.service(Servers.nginx).download(endpoint, to: .file(destination))
            #expect(file.resumedFrom == 0 && file.statusCode == 200)
            try expect(changed)
        }

        @Test(arguments: Engine.all) func `a partial file that is already complete is not downloaded again`(engine: Engine)
            async throws
        {
            try await interruptDownload()
            try Servers.tenMegabytes.prefix(3 << 20).write(to: folder.appendingPathComponent(".file.bin.partial"))
            let file = try await engine.service(Servers.nginx).download(endpoint, to: .file(destination))
            #expect(file.resumedFrom == 3 << 20 && file.statusCode == 416)
            try expect(Servers.tenMegabytes.prefix(3 << 20))
        }

        /// nginx processes the file for server-side includes, so the response has no length and no validator.
        @Test(arguments: Engine.all) func `a body of unknown length is downloaded completely`(engine: Engine) async throws {
            let file = try await engine.service(Servers.nginx).download(
                Endpoint<Void>(path: "chunked/10mb.bin"), to: .file(destination),
                options: DownloadOptions(existingFile: .fail, flushesToDisk: true))
            #expect(file.byteCount == 10 << 20)
            try expect(Servers.tenMegabytes)
        }

        @Test(arguments: Engine.ours) func `a body with a content coding is stored decoded`(engine: Engine) async throws {
            let file = try await engine.service(Servers.nginx).download(
                Endpoint<Void>(path: "compressed/10mb.bin"), to: .file(destination))
            #expect(file.headers["Content-Encoding"] == nil && file.byteCount == 10 << 20)
            try expect(Servers.tenMegabytes)
        }

        @Test(arguments: Engine.all) func `a large JSON response is decoded through a file`(engine: Engine) async throws {
            struct Line: Decodable, Sendable { var data: String }
            let text = String(repeating: "x", count: 2 << 20)
            let service = try engine.service()
            let endpoint = Endpoint<Line>(path: "anything", method: .post, body: .text(text))
            #expect(try await service.download(endpoint).data.count == text.count)
        }
    }
}
