#if os(Linux)
    import Foundation
    import Glibc

    /// Runs shell commands for tests.
    ///
    /// Uses `popen`, because Foundation's `Process` reads beyond its buffer if this process has many open descriptors, as it has
    /// in other tests.
    enum ShellCommand {
        struct DidNotStart: Error {}

        /// Runs a command and waits until it exits.
        ///
        /// - Returns: The command's standard output, and its exit status in the format of `waitpid`: 0 for success.
        static func run(_ text: String) throws -> (output: Data, status: CInt) {
            guard let pipe = popen(text, "re") else { throw DidNotStart() }
            var output = Data()
            var buffer = [UInt8](repeating: 0, count: 4096)
            while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 {
                output.append(contentsOf: buffer[..<count])
            }
            return (output, pclose(pipe))
        }

        /// Starts a command whose standard input stays open until this process ends.
        static func start(_ text: String) throws {
            guard popen(text, "we") != nil else { throw DidNotStart() }
        }

        /// Returns the text quoted as one word of a command.
        static func quoted(_ text: String) -> String {
            "'" + text.replacingOccurrences(of: "'", with: "'\\''") + "'"
        }
    }
#endif
