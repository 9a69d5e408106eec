import DataTransfer
import Foundation

/// The progress of a transfer: a bar that is drawn again on a terminal, or a few plain lines elsewhere.
struct ProgressBar: Sendable {
    /// The direction of the bytes that are shown.
    enum Direction {
        case sent, received
    }

    let direction: Direction
    /// The monitor to pass to the transfer.
    let progress = ProgressMonitor()

    init(_ direction: Direction) {
        self.direction = direction
    }

    /// Shows the progress, at most 20 times a second, until the transfer ends.
    func draw(onState: (TransferProgress) -> Void = { _ in }) async {
        var quarters = 0
        for await state in progress {
            onState(state)
            let (fraction, text) = describe(state)
            if Terminal.redraws {
                Terminal.redraw(Self.line(fraction, text, width: Terminal.width))
            } else if state.isFinished && quarters < 4 || Int(fraction * 4) > quarters && state.bytesPerSecond > 0 {
                quarters = Int(fraction * 4)
                Terminal.show("\(Self.percent(fraction)): \(text)")
            }
        }
        Terminal.endDrawing()
    }

    /// Returns the fraction of the whole, and the bytes and the rate as text. The rate is that of the last moments for a bar, and the average
    /// for lines that stay.
    private func describe(_ state: TransferProgress) -> (fraction: Double, text: String) {
        let (bytes, total, fraction) =
            switch direction {
            case .sent: (state.bytesSent, state.totalBytesToSend, state.fractionSent)
            case .received: (state.bytesReceived, state.totalBytesToReceive, state.fractionReceived)
            }
        var text = Self.megabytes(bytes) + (total.map { " of \(Self.megabytes($0))" } ?? "")
        let isRecent = Terminal.redraws && !state.isFinished && state.recentBytesPerSecond > 0
        let rate = isRecent ? state.recentBytesPerSecond : state.bytesPerSecond
        if rate > 0 { text += String(format: ", %.1f MB/s", rate / 1e6) }
        return (fraction ?? 0, text)
    }

    /// Returns a bar that is no wider than the terminal: `   ████████░░░░  67 %  12.1 MB of 18.0 MB, 9.2 MB/s`.
    static func line(_ fraction: Double, _ text: String, width: Int) -> String {
        let tail = "  \(percent(fraction))  \(text)"
        // The bar has one width while the text beside it changes.
        let room = min(width - 4 - max(tail.count, 40), 40)
        guard room >= 5 else { return String("   \(tail.drop { $0 == " " })".prefix(max(width - 1, 0))) }
        let filled = Int(fraction * Double(room))
        return "   " + String(repeating: "█", count: filled) + String(repeating: "░", count: room - filled) + tail
    }

    /// Returns the percentage of the whole, rounded down so that only a complete transfer has 100 %.
    private static func percent(_ fraction: Double) -> String {
        String(format: "%3d %%", Int(fraction * 100))
    }

    private static func megabytes(_ bytes: Int64) -> String {
        String(format: "%.1f MB", Double(bytes) / 1e6)
    }
}
