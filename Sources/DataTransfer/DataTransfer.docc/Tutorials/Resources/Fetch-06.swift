import DataTransfer
import Foundation
import NetworkPipeline

/// One download of a file to a folder.
struct Fetch: Sendable {
    let address: String
    let folder: URL
    var digest: ContentDigest?
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
