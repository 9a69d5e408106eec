import DataTransfer
import Foundation
import Testing

extension RealServerTests {
    /// Files of nginx to files of ours.
    @Suite(.timeLimit(.minutes(10)))
    final class DownloadTests {
        private let folder: URL
        private let name = "download-\(UUID()).bin"
        private var place: URL { folder.appendingPathComponent("file.bin", isDirectory: false) }
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

        /// Ends with some of the file here.
        private func breakOff() async throws {
            let service = try Engine.ours.first?.service(Servers.nginx)
            let (endpoint, place) = (endpoint, place)
            let task = Task { try await service?.download(endpoint, to: place) }
            while partialBytes < 512 << 10 {
                try Task.checkCancellation()
                await Task.yield()
            }
            task.cancel()
            guard case .failure = await task.result else { throw CancellationError() }
        }

        private func expect(_ body: Data, sourceLocation: SourceLocation = #_sourceLocation) throws {
            // Not `#expect(a == b)`, which would print both.
            let isSame = try Data(contentsOf: place) == body
            #expect(isSame, sourceLocation: sourceLocation)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file.bin"], sourceLocation: sourceLocation)
        }

        @Test(arguments: Engine.all) func `ten megabytes become a file`(engine: Engine) async throws {
            let service = try engine.service(Servers.nginx)
            let file = try await service.download(Endpoint<Void>(path: "files/10mb.bin"), to: .folder(folder))
            #expect(file.url.lastPathComponent == "10mb.bin" && file.byteCount == 10 << 20)
            let isSame = try Data(contentsOf: file.url) == Servers.tenMegabytes
            #expect(isSame)
        }

        @Test(arguments: Engine.all) func `a download goes on where it stopped`(engine: Engine) async throws {
            try await breakOff()
            let have = partialBytes
            let file = try await engine.service(Servers.nginx).download(endpoint, to: place)
            #expect(file.resumedFrom == have && file.statusCode == 206)
            if engine.measures { #expect(file.timings.bytesReceived == 3 << 20 - have) }
            try expect(Servers.tenMegabytes.prefix(3 << 20))
        }

        @Test(arguments: Engine.all) func `a file that has changed comes anew`(engine: Engine) async throws {
            try await breakOff()
            let changed = Data(Servers.tenMegabytes.prefix(1 << 20).reversed())
            try changed.write(to: Servers.file(name))
            let file = try await engine.service(Servers.nginx).download(endpoint, to: place)
            #expect(file.resumedFrom == 0 && file.statusCode == 200)
            try expect(changed)
        }

        @Test(arguments: Engine.all) func `a file that is whole already is not fetched again`(engine: Engine) async throws {
            try await breakOff()
            try Servers.tenMegabytes.prefix(3 << 20).write(to: folder.appendingPathComponent(".file.bin.partial"))
            let file = try await engine.service(Servers.nginx).download(endpoint, to: place)
            #expect(file.resumedFrom == 3 << 20 && file.statusCode == 416)
            try expect(Servers.tenMegabytes.prefix(3 << 20))
        }

        /// Server-side includes: no length, no validator.
        @Test(arguments: Engine.all) func `a body of unknown length comes whole`(engine: Engine) async throws {
            let file = try await engine.service(Servers.nginx).download(
                Endpoint<Void>(path: "chunked/10mb.bin"), to: place,
                options: DownloadOptions(existingFile: .fail, flushesToDisk: true))
            #expect(file.byteCount == 10 << 20)
            try expect(Servers.tenMegabytes)
        }

        @Test(arguments: Engine.ours) func `a coded body comes as it is stored`(engine: Engine) async throws {
            let file = try await engine.service(Servers.nginx).download(Endpoint<Void>(path: "compressed/10mb.bin"), to: place)
            #expect(file.headers["Content-Encoding"] == nil && file.byteCount == 10 << 20)
            try expect(Servers.tenMegabytes)
        }

        @Test(arguments: Engine.all) func `large JSON becomes a value through a file`(engine: Engine) async throws {
            struct Line: Decodable, Sendable { var data: String }
            let text = String(repeating: "x", count: 2 << 20)
            let service = try engine.service()
            let endpoint = Endpoint<Line>(path: "anything", method: .post, body: .text(text))
            #expect(try await service.download(endpoint).data.count == text.count)
        }
    }
}
