import DataTransfer
import Foundation
import NetworkTesting
import Testing
import TestSupport

/// The download features of iOS-Network-Layer: decoded and raw downloads, and a streaming request with a parser closure.
@Suite("iOS-Network-Layer, downloads", .timeLimit(.minutes(10))) struct IOSNetworkLayerDownloadTests {
    struct Check: Codable, Sendable, Equatable {
        var id: Int
        var name: String
    }

    let server: LoopbackServer
    let service: any DataTransferService
    let folder: URL

    init() throws {
        server = try LoopbackServer {
            LoopbackRoute(.get, "/checks") { _ in .json(#"{"results": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]}"#) }
            LoopbackRoute(.get, "/broken") { _ in .json(#"{"results": 1}"#) }
            LoopbackRoute(.get, "/film") { _ in LoopbackResponse.data(Data(repeating: 7, count: 3_000_000)) }
            LoopbackRoute(.get, "/log") { _ in
                LoopbackResponse.text("id=1;name=a\nid=2;name=b\n").fault(.drip(bytes: 5, every: .milliseconds(1)))
            }
        }
        service = DefaultDataTransferService(configuration: APIConfiguration(baseURL: server.url))
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("parity-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private let checks = [Check(id: 1, name: "a"), Check(id: 2, name: "b")]

    @Test(.tags(.downloads)) func `a response is downloaded and decoded, for an async caller and for a completion`() async throws
    {
        let endpoint = Endpoint<[Check]>(path: "checks", keyPath: "results")
        #expect(try await service.download(endpoint) == checks)
        let result: Result<[Check], DataTransferError> = await outcome { service.download(endpoint, completion: $0) }
        #expect(try result.get() == checks)
    }

    @Test func `a download that cannot be decoded is a parsing error`() async throws {
        let endpoint = Endpoint<[Check]>(path: "broken", keyPath: "results")
        let error = await #expect(throws: DataTransferError.self) { try await service.download(endpoint) }
        guard case .parsing(let failure) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.codingPath == "results")
    }

    @Test(.tags(.downloads)) func `a raw download is saved to a file and reports progress`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let progress = ProgressMonitor()
        let file = try await service.download(
            Endpoint<Void>(path: "film"), to: .file(folder.appendingPathComponent("film.mp4")), progress: progress)
        #expect(file.byteCount == 3_000_000)
        #expect(try Data(contentsOf: file.url) == Data(repeating: 7, count: 3_000_000))
        var last: TransferProgress?
        for await state in progress { last = state }
        #expect(last?.isFinished == true && last?.bytesReceived == 3_000_000 && last?.fractionReceived == 1)
    }

    @Test(.tags(.parsedStreams)) func `a streaming request passes each line to a parser closure`() async throws {
        let parse: @Sendable (String) -> Check? = { line in
            let parts = line.split(separator: ";").compactMap { $0.split(separator: "=").last.map(String.init) }
            return parts.count == 2 ? Int(parts[0]).map { Check(id: $0, name: parts[1]) } : nil
        }
        let parsed = Locked<[Check]>([])
        let result = await outcome { done in
            service.stream(Endpoint<Void>(path: "log"), as: .lines()) { line in
                if let check = parse(line) { parsed.withLock { $0.append(check) } }
            } completion: {
                done($0.map { _ in true })
            }
        }
        #expect(try result.get())
        #expect(parsed.withLock { $0 } == checks)
    }
}
