import DataTransfer
import Foundation

/// Lines for a person: bold and grey on a terminal, plain where the output is piped.
enum Terminal {
    static let isInteractive = isatty(1) == 1

    static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    /// Takes the place of what stands on the current line.
    static func redraw(_ line: String) {
        FileHandle.standardOutput.write(Data(("\r" + line + "\u{1B}[K").utf8))
    }

    /// Columns of the terminal; 80 where it does not tell.
    static var width: Int {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    static func complain(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

    static func title(_ text: String) {
        say("\n" + styled(text, "1"))
    }

    /// One line of a result.
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

    /// `200 in 1.2 ms (dns 0.1 ms, connect 0.2 ms, first byte 0.8 ms)`
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
