import Foundation

/// A server of this program in a separate process, so that neither its memory nor its processor time is counted as the client's.
enum ChildServer {
    /// Runs this program with a command that prints a URL, and serves until its input ends, as it does when the client's process ends.
    ///
    /// - Returns: The URL, and the pipe to close when it has served.
    static func start(_ arguments: [String]) throws -> (input: Pipe, url: URL) {
        let input = Pipe()
        let output = Pipe()
        let process = Process()
        process.executableURL = Sample.ownProgram
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let url = URL(string: line.trimmingCharacters(in: .whitespacesAndNewlines)) else { fail("no \(arguments[0])") }
        return (input, url)
    }

    /// Returns when the input ends.
    static func waitForEndOfInput() {
        _ = try? FileHandle.standardInput.readToEnd()
    }
}
