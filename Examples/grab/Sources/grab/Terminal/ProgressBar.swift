import DataTransfer
import Foundation

/// The progress of a transfer: a bar that fits the terminal, or a line for each tenth if the output is not a terminal.
struct ProgressBar: Sendable {
    enum Direction {
        case sent, received
    }

    /// The monitor to pass to the transfer.
    let progress = ProgressMonitor()
    private let direction: Direction
    private let isShown: Bool

    init(_ direction: Direction, isShown: Bool) {
        self.direction = direction
        self.isShown = isShown
    }

    /// Shows the progress until the transfer ends.
    func draw() async {
        var tenths = 0
        for await state in progress where isShown {
            let line = ProgressLine(state, direction)
            if Terminal.isInteractive {
                Terminal.redraw(line.text(width: Terminal.width))
            } else if line.tenths > tenths {
                tenths = line.tenths
                Terminal.note(line.plain)
            }
        }
        if isShown, Terminal.isInteractive { Terminal.note("") }
    }
}

/// One state of a transfer as text.
struct ProgressLine {
    private let fraction: Double?
    private let bytes: Int64
    private let total: Int64?
    private let rate: Double
    private let remaining: Duration?

    init(_ state: TransferProgress, _ direction: ProgressBar.Direction) {
        (fraction, bytes, total) =
            switch direction {
            case .sent: (state.fractionSent, state.bytesSent, state.totalBytesToSend)
            case .received: (state.fractionReceived, state.bytesReceived, state.totalBytesToReceive)
            }
        rate = state.recentBytesPerSecond
        remaining = state.isFinished ? nil : state.timeRemaining
    }

    /// The number of tenths that are complete; 0 if the total is unknown.
    var tenths: Int { Int((fraction ?? 0) * 10) }

    /// `30 %  3.0 MB of 10.0 MB  5.2 MB/s`
    var plain: String {
        let percent = fraction.map { String(format: "%3.0f %%  ", ($0 * 100).rounded(.down)) } ?? ""
        let goal = total.map { " of \(Self.size($0))" } ?? ""
        return percent + Self.size(bytes) + goal + "  \(Self.size(Int64(rate)))/s"
    }

    /// Returns a bar and its text, no wider than the terminal.
    func text(width: Int) -> String {
        let left =
            remaining.map { String(format: "  %d:%02d left", $0.components.seconds / 60, $0.components.seconds % 60) } ?? ""
        let text = plain + left
        let room = min(width - text.count - 3, 40)
        guard room >= 8, let fraction else { return String(text.prefix(max(width - 1, 0))) }
        let filled = Int(min(max(fraction, 0), 1) * Double(room))
        return String(repeating: "█", count: filled) + String(repeating: "░", count: room - filled) + "  " + text
    }

    private static func size(_ bytes: Int64) -> String {
        let units = ["B", "kB", "MB", "GB", "TB"]
        var (value, unit) = (Double(bytes), 0)
        while value >= 999.5, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        return String(format: unit == 0 ? "%.0f %@" : "%.1f %@", value, units[unit])
    }
}
