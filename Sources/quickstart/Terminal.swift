import DataTransfer
import Foundation

/// The output of the tour: bold and grey on a terminal, plain if the output is piped.
enum Terminal {
    static let isInteractive = isatty(1) == 1

    static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    /// Replaces the text of the current line.
    static func redraw(_ line: String) {
        FileHandle.standardOutput.write(Data(("\r" + line + "\u{1B}[K").utf8))
    }

    /// The number of columns of the terminal; 80 if it is unknown.
    static var width: Int {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    static func printError(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

    static func title(_ text: String) {
        say("\n" + styled(text, "1"))
    }

    /// Prints one line of a result.
    static func item(_ text: String) {
        say("   " + text)
    }

    static func remark(_ text: String) {
        say("   " + styled(text, "2"))
    }

    static func took(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = Double(seconds) * 1000 + Double(attoseconds) / 1e15
        return String(format: milliseconds < 10 ? "%.2f ms" : "%.0f ms", milliseconds)
    }

    /// Returns status and timings as text: `200 in 1.2 ms (dns 0.1 ms, connect 0.2 ms, first byte 0.8 ms)`
    static func describe(_ status: Int, _ timings: TransferTimings) -> String {
        let phases = [
            ("queued", timings.queued), ("dns", timings.nameLookup), ("connect", timings.connect), ("tls", timings.tls),
            ("send", timings.send), ("first byte", timings.wait),
        ]
        var parts = phases.compactMap { name, duration in duration.map { "\(name) \(took($0))" } }
        if let name = timings.protocolName { parts.append(name) }
        if timings.isReusedConnection == true { parts.append("connection reused") }
        if timings.redirects > 0 { parts.append("\(timings.redirects) redirects") }
        return "\(status) in \(took(timings.total)) (\(parts.joined(separator: ", ")))"
    }

    private static func styled(_ text: String, _ code: String) -> String {
        isInteractive ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

/// The progress of a transfer: a bar that is redrawn on a terminal, or a few plain lines if the output is piped.
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
            switch direction {
            case .sent: (state.bytesSent, state.totalBytesToSend, state.fractionSent)
            case .received: (state.bytesReceived, state.totalBytesToReceive, state.fractionReceived)
            }
        let goal = total.map { " of \(Self.megabytes($0))" } ?? ""
        return (fraction ?? 0, Self.megabytes(bytes) + goal + String(format: ", %.0f MB/s", state.recentBytesPerSecond / 1e6))
    }

    /// Returns a bar that is no wider than the terminal: `   ████████░░░░  67 %  12.1 MB of 18.0 MB, 9 MB/s`.
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
