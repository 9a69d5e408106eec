import DataTransfer
import Foundation
import NetworkURLSession

/// What large bodies cost: memory, which must not grow with them, and time, beside the `curl` command line.
struct Memory {
    static let fileName = "large"
    static let elementsFileName = "elements"

    /// nginx, with the large file under its root.
    let url: URL
    /// Where files are written.
    let folder: URL
    let effort: Effort

    /// One step for each way that a large body can go.
    func run() async throws {
        try await download()
        try await downloadOverURLSession()
        try await elements()
    }

    /// A file to a file.
    private func download() async throws {
        let service = DefaultDataTransferService(configuration: APIConfiguration(baseURL: url))
        let endpoint = Endpoint<Void>(path: Self.fileName)
        let file = folder.appendingPathComponent("downloaded", isDirectory: false)
        // What is loaded once is loaded.
        _ = try await service.request(Endpoint<Data>(path: Document.tiny, responseDecoder: .rawData))

        var growth: [Int] = []
        var ours: [Double] = []
        var curls: [Double] = []
        for round in 1...effort.rounds {
            let start = ContinuousClock.now
            var downloaded: DownloadedFile?
            growth.append(try await Usage.peakGrowth { downloaded = try await service.download(endpoint, to: .file(file)) })
            let bytes = Double(downloaded?.byteCount ?? 0)
            ours.append(bytes / (ContinuousClock.now - start).inSeconds / 1e6)
            try FileManager.default.removeItem(at: file)
            curls.append(
                bytes / (try seconds(of: ["-o", file.path, url.appendingPathComponent(Self.fileName).absoluteString])) / 1e6)
            try FileManager.default.removeItem(at: file)
            say("download: round \(round) of \(effort.rounds)")
        }
        printFigure("memory.download_mb", Double(growth.max() ?? 0) / Double(1 << 20), "MiB")
        printFigure("transfer.download", ours.median, "MB/s")
        printFigure("transfer.download_curl", curls.median, "MB/s")
        printFigure("transfer.download_vs_curl", ours.median / curls.median, "x")
    }

    /// A file to a file, over `URLSession`.
    private func downloadOverURLSession() async throws {
        let service = DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: url), sessionManager: URLSessionManager())
        let file = folder.appendingPathComponent("downloaded", isDirectory: false)
        _ = try await service.request(Endpoint<Data>(path: Document.tiny, responseDecoder: .rawData))
        let start = ContinuousClock.now
        var downloaded: DownloadedFile?
        let growth = try await Usage.peakGrowth {
            downloaded = try await service.download(Endpoint<Void>(path: Self.fileName), to: .file(file))
        }
        let bytes = Double(downloaded?.byteCount ?? 0)
        try FileManager.default.removeItem(at: file)
        printFigure("memory.urlsession_download_mb", Double(growth) / Double(1 << 20), "MiB")
        printFigure("transfer.urlsession_download", bytes / (ContinuousClock.now - start).inSeconds / 1e6, "MB/s")
    }

    private struct Item: Decodable {
        let id: Int
        let title: String
    }

    /// A JSON array, decoded element by element.
    private func elements() async throws {
        let service = DefaultDataTransferService(configuration: APIConfiguration(baseURL: url))
        var count = 0
        var bytes: Int64 = 0
        let start = ContinuousClock.now
        let growth = try await Usage.peakGrowth {
            let items = try await service.stream(
                Endpoint<Void>(path: Self.elementsFileName), as: .elements(of: Item.self, at: "data.items"))
            for try await item in items { count += item.title.isEmpty ? 0 : 1 }
            bytes = items.timings.bytesReceived
        }
        say("elements: \(count) in \(bytes) bytes")
        printFigure("memory.elements_mb", Double(growth) / Double(1 << 20), "MiB")
        printFigure("transfer.elements", Double(bytes) / (ContinuousClock.now - start).inSeconds / 1e6, "MB/s")
    }

    /// How long the `curl` command line takes, its start included.
    private func seconds(of arguments: [String]) throws -> Double {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // The command line goes with the system's libcurl, whichever the engine is measured with.
        process.arguments = ["-u", "LD_LIBRARY_PATH", "curl", "--silent", "--fail"] + arguments
        let start = ContinuousClock.now
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { fail("curl ended with \(process.terminationStatus)") }
        return (ContinuousClock.now - start).inSeconds
    }
}
