import DataTransfer
import Foundation

/// A transfer's progress: a bar that is drawn over and over on a terminal, a few plain lines where the output is piped.
struct ProgressBar: Sendable {
    /// Whose numbers are shown.
    enum Way {
        case sent, received
    }

    let way: Way
    /// To be handed to the transfer.
    let progress = ProgressMonitor()

    init(_ way: Way) {
        self.way = way
    }

    /// Shows what the monitor tells, at most 20 times a second, until the transfer ends.
    func draw(onState: (TransferProgress) -> Void = { _ in }) async {
        var quarters = 0
        for await state in progress {
            onState(state)
            let (fraction, text) = describe(state)
            if Terminal.isInteractive {
                Terminal.redraw(Self.line(fraction, text, width: Terminal.width))
            } else if Int(fraction * 4) > quarters {
                quarters = Int(fraction * 4)
                Terminal.item("\(quarters * 25) %: \(text)")
            }
        }
        if Terminal.isInteractive { Terminal.say("") }
    }

    private func describe(_ state: TransferProgress) -> (fraction: Double, text: String) {
        let (bytes, total, fraction) =
            switch way {
            case .sent: (state.bytesSent, state.totalBytesToSend, state.fractionSent)
            case .received: (state.bytesReceived, state.totalBytesToReceive, state.fractionReceived)
            }
        let goal = total.map { " of \(Self.megabytes($0))" } ?? ""
        return (fraction ?? 0, Self.megabytes(bytes) + goal + String(format: ", %.0f MB/s", state.recentBytesPerSecond / 1e6))
    }

    /// `   ████████░░░░  67 %  12.1 MB of 18.0 MB, 9 MB/s`, no wider than the terminal.
    static func line(_ fraction: Double, _ text: String, width: Int) -> String {
        let tail = String(format: " %3.0f %%  ", fraction * 100) + text
        let room = min(width - 4 - tail.count, 40)
        guard room >= 5 else { return String(("   " + tail.trimmingCharacters(in: .whitespaces)).prefix(max(width - 1, 0))) }
        let filled = Int(fraction * Double(room))
        return "   " + String(repeating: "█", count: filled) + String(repeating: "░", count: room - filled) + tail
    }

    private static func megabytes(_ bytes: Int64) -> String {
        String(format: "%.1f MB", Double(bytes) / 1e6)
    }
}
