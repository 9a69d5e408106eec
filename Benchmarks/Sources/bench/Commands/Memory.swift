import DataTransfer
import Foundation

/// What large bodies cost: memory, which must not grow with them, and time, beside the `curl` command line.
struct Memory {
    static let fileName = "large"

    /// nginx, with the large file under its root.
    let url: URL
    /// Where files are written.
    let folder: URL
    let effort: Effort

    private var rounds: Int {
        switch effort {
        case .full: 9
        case .quick: 3
        case .smoke: 1
        }
    }

    /// One step for each way that a large body can go.
    func run() async throws {
        try await download()
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
        for round in 1...rounds {
            let start = ContinuousClock.now
            var downloaded: DownloadedFile?
            growth.append(try await Usage.peakGrowth { downloaded = try await service.download(endpoint, to: file) })
            let bytes = Double(downloaded?.byteCount ?? 0)
            ours.append(bytes / (ContinuousClock.now - start).inSeconds / 1e6)
            try FileManager.default.removeItem(at: file)
            curls.append(
                bytes / (try seconds(of: ["-o", file.path, url.appendingPathComponent(Self.fileName).absoluteString])) / 1e6)
            try FileManager.default.removeItem(at: file)
            say("download: round \(round) of \(rounds)")
        }
        printFigure("memory.download_mb", Double(growth.max() ?? 0) / Double(1 << 20), "MiB")
        printFigure("transfer.download", ours.median, "MB/s")
        printFigure("transfer.download_curl", curls.median, "MB/s")
        printFigure("transfer.download_vs_curl", ours.median / curls.median, "x")
    }

    /// How long the `curl` command line takes, its start included.
    private func seconds(of arguments: [String]) throws -> Double {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["curl", "--silent", "--fail"] + arguments
        let start = ContinuousClock.now
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { fail("curl ended with \(process.terminationStatus)") }
        return (ContinuousClock.now - start).inSeconds
    }
}
