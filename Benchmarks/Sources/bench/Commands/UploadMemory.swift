import DataTransfer
import Foundation
import NetworkURLSession

/// What a form with a large file costs: memory, which must not grow with it, and time, beside `curl -F`.
struct UploadMemory {
    /// nginx; what is sent to `upload` it reads as a whole before it responds.
    let url: URL
    /// What is uploaded.
    let file: URL
    let effort: Effort

    func run() async throws {
        let service = DefaultDataTransferService(configuration: APIConfiguration(baseURL: url))
        let endpoint = Endpoint<Int>(path: "upload")
        // What is loaded once is loaded.
        _ = try await service.upload(.json("warm"), to: endpoint)

        var growth: [Int] = []
        var ours: [Double] = []
        var curls: [Double] = []
        for round in 1...effort.rounds {
            var form = MultipartForm()
            form.append(.file(file), name: "file")
            let progress = ProgressMonitor()
            let start = ContinuousClock.now
            growth.append(
                try await Usage.peakGrowth {
                    _ = try await service.upload(.multipart(form), to: endpoint, progress: progress)
                })
            let bytes = Double(progress.current?.bytesSent ?? 0)
            ours.append(bytes / (ContinuousClock.now - start).inSeconds / 1e6)
            curls.append(bytes / (try curlSeconds()) / 1e6)
            say("upload: round \(round) of \(effort.rounds)")
        }
        printFigure("memory.upload_mb", Double(growth.max() ?? 0) / Double(1 << 20), "MiB")
        printFigure("transfer.upload", ours.median, "MB/s")
        printFigure("transfer.upload_curl", curls.median, "MB/s")
        printFigure("transfer.upload_vs_curl", ours.median / curls.median, "x")
        try await uploadOverURLSession()
    }

    /// The file and a form with the file, over `URLSession`.
    private func uploadOverURLSession() async throws {
        let service = DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: url), sessionManager: URLSessionManager())
        let endpoint = Endpoint<Int>(path: "upload")
        _ = try await service.upload(.json("warm"), to: endpoint)
        var form = MultipartForm()
        form.append(.file(file), name: "file")
        for (name, body) in [("file", EndpointBody.file(file)), ("form", .multipart(form))] {
            let growth = try await Usage.peakGrowth { _ = try await service.upload(body, to: endpoint) }
            printFigure("memory.urlsession_upload_\(name)_mb", Double(growth) / Double(1 << 20), "MiB")
        }
    }

    /// How long the `curl` command line takes by its own clock, without its start.
    private func curlSeconds() throws -> Double {
        let output = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // The command line goes with the system's libcurl, whichever the engine is measured with.
        process.arguments = [
            "-u", "LD_LIBRARY_PATH", "curl", "--silent", "--fail", "--output", "/dev/null", "--write-out", "%{time_total}",
            "--form", "file=@\(file.path)", url.appendingPathComponent("upload").absoluteString,
        ]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0, let seconds = Double(text) else {
            fail("curl ended with \(process.terminationStatus)")
        }
        return seconds
    }
}
