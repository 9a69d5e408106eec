import Foundation

/// The terminal: results go to the standard output, everything else to the standard error.
enum Terminal {
    /// The reader of the standard output has closed it, or it cannot be written.
    struct Closed: Error, CustomStringConvertible {
        var description: String { "the output cannot be written" }
    }

    /// Whether the standard error is a terminal, on which lines can be redrawn.
    static let isInteractive = isatty(STDERR_FILENO) == 1

    /// The number of columns of the terminal; 80 if it is unknown.
    static var width: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Writes bytes to the standard output.
    static func write(_ data: Data) throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: data)
        } catch {
            throw Closed()
        }
    }

    /// Writes a line to the standard error.
    static func note(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Replaces the text of the current line.
    static func redraw(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data(("\r" + line + "\u{1B}[K").utf8))
    }

    /// Reads a password from the terminal without showing it.
    ///
    /// - Throws: ``Netrc/Failure`` if the standard input is not a terminal.
    static func password(_ prompt: String) throws -> String {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
            throw Netrc.Failure(description: "there is no password in the netrc file, and no terminal to ask for one")
        }
        var hidden = settings
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
            note("")
        }
        try? FileHandle.standardError.write(contentsOf: Data(prompt.utf8))
        return readLine() ?? ""
    }
}
