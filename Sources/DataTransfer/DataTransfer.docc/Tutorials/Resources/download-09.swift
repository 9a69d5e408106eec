import DataTransfer
import Foundation
import NetworkPipeline

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

/// The exit codes of the tool: those of `sysexits.h`, and 130 as shells have
/// it after an interruption.
enum ExitCode: Int32 {
    case success = 0
    case usage = 64
    case wrongData = 65
    case unavailable = 69
    case cannotCreate = 73
    case temporaryFailure = 75
    case interrupted = 130

    init(_ error: any Error) {
        if case DataTransferError.networkFailure(.requestGeneration) = error {
            self = .usage
        } else if error.isCancelled {
            self = .interrupted
        } else if error.isRetryable {
            self = .temporaryFailure
        } else if case DataTransferError.file(let failure) = error {
            self = failure.code == .digestMismatch ? .wrongData : .cannotCreate
        } else {
            self = .unavailable
        }
    }
}

/// One download of a file to a folder.
struct Fetch: Sendable {
    let address: String
    let folder: URL
    let digest: ContentDigest?
    let service = DefaultDataTransferService(
        configuration: .composed,
        interceptors: [.retry(RetryOptions(maximumAttempts: 5))])

    func run() async -> ExitCode {
        let endpoint = Endpoint<Void>(
            path: address, isFullPath: true,
            timeouts: RequestTimeouts(idle: .seconds(20)))
        let options = DownloadOptions(digest: digest)
        let bar = ProgressBar()
        let progress =
            isatty(STDERR_FILENO) == 1
            ? ProgressMonitor { state in bar.draw(state) } : nil
        do {
            let file = try await service.download(
                endpoint, to: .folder(folder), options: options,
                progress: progress)
            let kept = "\(file.resumedFrom) of them from an earlier run"
            print("\(file.url.path): \(file.byteCount) bytes, \(kept)")
            return .success
        } catch {
            FileHandle.standardError.write(Data("fetch: \(error)\n".utf8))
            return ExitCode(error)
        }
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard (1...3).contains(arguments.count) else {
    FileHandle.standardError.write(
        Data("usage: fetch URL [FOLDER [SHA256]]\n".utf8))
    exit(ExitCode.usage.rawValue)
}

let folder = URL(
    fileURLWithPath: arguments.count > 1 ? arguments[1] : ".", isDirectory: true
)
let digest = arguments.count > 2 ? ContentDigest.sha256(arguments[2]) : nil
exit(
    await Fetch(address: arguments[0], folder: folder, digest: digest).run()
        .rawValue)
