import DataTransfer
import Foundation
import NetworkSupport

/// The output of the program: within the columns of the terminal, with bold and grey text where that is possible and wanted.
enum Terminal {
    private static let environment = ProcessInfo.processInfo.environment
    /// Whether a line can be drawn again. If not, such as in a pipe or on a terminal that is `dumb`, all lines are plain and stay.
    static let redraws = isatty(1) == 1 && !["", "dumb"].contains(environment["TERM"] ?? "")
    /// Whether text may contain escape codes: not if `NO_COLOR` has a value (https://no-color.org).
    private static let hasStyles = redraws && (environment["NO_COLOR"] ?? "").isEmpty

    /// The length of the line that is drawn again, which has no line break yet.
    private static let drawn = Locked(0)
    private static let silence = Locked(Silence())

    /// The number of columns: of the terminal, else of `COLUMNS`, else 80.
    static var width: Int {
        var size = winsize()
        if ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return environment["COLUMNS"].flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil } ?? 80
    }

    // MARK: Lines

    /// Prints a paragraph, with all lines after an indentation.
    ///
    /// - Parameter hanging: The further indentation of all lines but the first.
    static func say(_ text: String = "", indent: String = "", hanging: String = "", style: String? = nil) {
        for line in wrapped(text, width: width, indent: indent, hanging: indent + hanging) {
            write(styled(line, style) + "\n", to: .standardOutput)
        }
    }

    /// Prints the title of a step and the code that is executed in it, which is that of the calling function.
    static func step(_ title: String, function: String = #function) {
        say()
        say(title, hanging: "   ", style: "1")
        let code = snippets[String(function.prefix { $0 != "(" })] ?? []
        for line in code {
            let indent = line.prefix { $0 == " " }
            say(String(line.dropFirst(indent.count)), indent: "   | \(indent)", hanging: "    ", style: "36")
        }
    }

    /// Prints one line of a result.
    static func show(_ text: String) {
        say(text, indent: "   ")
    }

    /// Prints a command for a shell: one argument in each line, if they do not fit into one.
    static func show(command: String) {
        guard command.count > width - 3 else { return show(command) }
        var lines = [""]
        var isQuoted = false
        for character in command {
            if character == "'" { isQuoted.toggle() }
            let isOption = lines[lines.count - 1].hasPrefix("-") && !lines[lines.count - 1].contains(" ")
            if character == " ", !isQuoted, !isOption { lines.append("") } else { lines[lines.count - 1].append(character) }
        }
        for (index, line) in lines.enumerated() {
            print(verbatim: (index == 0 ? "   " : "     ") + line + (index == lines.count - 1 ? "" : " \\"))
        }
    }

    static func remark(_ text: String) {
        say(text, indent: "   ", style: "2")
    }

    /// Prints text as it is.
    static func print(verbatim text: String, to file: FileHandle = .standardOutput) {
        write(text + "\n", to: file)
    }

    static func printError(_ text: String, endsSilence: Bool = true) {
        for paragraph in text.split(separator: "\n") {
            for line in wrapped(String(paragraph), width: width, indent: "", hanging: "   ") {
                write(line + "\n", to: .standardError, endsSilence: endsSilence)
            }
        }
    }

    /// Replaces the text of the current line.
    static func redraw(_ line: String) {
        let last = drawn.withLock { last in
            defer { last = line.count }
            return last
        }
        FileHandle.standardOutput.write(Data(("\r" + line + String(repeating: " ", count: max(0, last - line.count))).utf8))
        silence.withLock { $0.end(at: .now) }
    }

    /// Ends the line that was drawn last, if there is one.
    static func endDrawing() {
        if drawn.withLock({ $0 > 0 }) { write("", to: .standardOutput) }
    }

    private static func write(_ text: String, to file: FileHandle, endsSilence: Bool = true) {
        let isDrawn = drawn.withLock { last in
            defer { last = 0 }
            return last > 0
        }
        if isDrawn { FileHandle.standardOutput.write(Data("\n".utf8)) }
        file.write(Data(text.utf8))
        if endsSilence { silence.withLock { $0.end(at: .now) } }
    }

    /// Breaks a paragraph at its spaces. A word that is too wide for a line has one to itself, so that it can be copied.
    static func wrapped(_ text: String, width: Int, indent: String, hanging: String) -> [String] {
        var lines: [String] = []
        var line = indent
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = hanging
                isEmpty = true
            }
            line += isEmpty ? word : " \(word)"
            isEmpty = false
        }
        return lines + [isEmpty ? "" : line]
    }

    private static func styled(_ text: String, _ code: String?) -> String {
        guard let code, hasStyles, !text.isEmpty else { return text }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }

    // MARK: Waiting

    /// Sets what the program waits for while it prints nothing.
    static func waits(for purpose: String) {
        silence.withLock { $0.purpose = purpose }
    }

    /// Says on standard error what the program waits for, after each two seconds in which it has printed nothing.
    static func watchSilence() async throws {
        while true {
            let (text, next) = silence.withLock { $0.check(at: .now) }
            if let text { printError(text, endsSilence: false) }
            try await Task.sleep(until: next, clock: .continuous)
        }
    }

    // MARK: Texts

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
}

/// How long the program has printed nothing, and what it says about it: after two seconds, then after four, eight and so on.
struct Silence {
    /// What the program waits for.
    var purpose: String?
    private var start = ContinuousClock.now
    private var limit = Duration.seconds(2)

    /// Notes that something was printed.
    mutating func end(at now: ContinuousClock.Instant) {
        start = now
        limit = .seconds(2)
    }

    /// Returns what to say, if it is time for that, and when to ask again.
    mutating func check(at now: ContinuousClock.Instant) -> (text: String?, next: ContinuousClock.Instant) {
        guard now >= start + limit else { return (nil, start + limit) }
        let text = purpose.map { "Waiting for \($0) for \(limit.components.seconds) seconds …" }
        limit *= 2
        return (text, start + limit)
    }
}
