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
