import Foundation

/// Runs shell commands for tests.
///
/// Uses `popen`, because Foundation's `Process` reads beyond its buffer on Linux if this process has many open descriptors, as it
/// has in other tests.
package enum ShellCommand {
    package struct DidNotStart: Error {}

    #if os(Linux)
        // Closes the pipe in other child processes.
        private static let closesOnExec = "e"
    #else
        private static let closesOnExec = ""
    #endif

    /// Runs a command and waits until it exits.
    ///
    /// - Returns: The command's standard output, and its exit status in the format of `waitpid`: 0 for success.
    package static func run(_ text: String) throws -> (output: Data, status: CInt) {
        guard let pipe = popen(text, "r" + closesOnExec) else { throw DidNotStart() }
        var output = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = uninterrupted { read(fileno(pipe), &buffer, buffer.count) }
            guard count > 0 else { break }
            output.append(contentsOf: buffer[..<count])
        }
        return (output, pclose(pipe))
    }

    /// Starts a command whose standard input stays open until this process ends.
    package static func start(_ text: String) throws {
        guard popen(text, "w" + closesOnExec) != nil else { throw DidNotStart() }
    }

    /// Returns the text quoted as one word of a command.
    package static func quoted(_ text: String) -> String {
        "'" + text.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }
}
