import DataTransfer
import Foundation

/// One download of a file to a folder.
struct Fetch: Sendable {
    let address: String
    let folder: URL
    var digest: ContentDigest?
    let service = DefaultDataTransferService(configuration: .composed)

    func run() async throws {
        let endpoint = Endpoint<Void>(path: address, isFullPath: true)
        let options = DownloadOptions(digest: digest)
        let bar = ProgressBar()
        let progress =
            isatty(STDERR_FILENO) == 1
            ? ProgressMonitor { state in bar.draw(state) } : nil
        let file = try await service.download(
            endpoint, to: .folder(folder), options: options, progress: progress)
        let kept = "\(file.resumedFrom) of them from an earlier run"
        print("\(file.url.path): \(file.byteCount) bytes, \(kept)")
    }
}
