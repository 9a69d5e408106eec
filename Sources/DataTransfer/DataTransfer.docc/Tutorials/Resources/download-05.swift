import DataTransfer
import Foundation

/// A line on standard error that shows the progress of a download.
struct ProgressBar: Sendable {
    let width = 30

    func text(for state: TransferProgress) -> String {
        let rate = "\(Int(state.recentBytesPerSecond / 1000)) kB/s"
        guard let fraction = state.fractionReceived else {
            return "\(state.bytesReceived) bytes, \(rate)"
        }
        let filled = Int(fraction * Double(width))
        let bar =
            String(repeating: "#", count: filled)
            + String(repeating: ".", count: width - filled)
        return "[\(bar)] \(Int(fraction * 100)) %, \(rate)"
    }

    func draw(_ state: TransferProgress) {
        let end = state.isFinished ? "\n" : ""
        FileHandle.standardError.write(
            Data("\r\(text(for: state))\u{1B}[K\(end)".utf8))
    }
}

/// One download of a file to a folder.
struct Fetch: Sendable {
    let address: String
    let folder: URL
    let service = DefaultDataTransferService(configuration: .composed)

    func run() async throws {
        let endpoint = Endpoint<Void>(path: address, isFullPath: true)
        let bar = ProgressBar()
        let progress =
            isatty(STDERR_FILENO) == 1
            ? ProgressMonitor { state in bar.draw(state) } : nil
        let file = try await service.download(
            endpoint, to: .folder(folder), progress: progress)
        let kept = "\(file.resumedFrom) of them from an earlier run"
        print("\(file.url.path): \(file.byteCount) bytes, \(kept)")
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard (1...2).contains(arguments.count) else {
    FileHandle.standardError.write(Data("usage: fetch URL [FOLDER]\n".utf8))
    exit(64)
}

let folder = URL(
    fileURLWithPath: arguments.count > 1 ? arguments[1] : ".", isDirectory: true
)
try await Fetch(address: arguments[0], folder: folder).run()
