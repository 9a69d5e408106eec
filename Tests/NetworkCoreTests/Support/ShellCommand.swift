#if os(Linux)
    import Foundation
    import Glibc

    /// A command that a test has `sh` run.
    ///
    /// By `popen`: Foundation's `Process` reads beyond its buffer while this process has many descriptors open, as other tests have.
    enum ShellCommand {
        struct DidNotStart: Error {}

        /// Runs a command to its end.
        ///
        /// - Returns: What it wrote to its standard output, and its exit status as `waitpid` has it: 0 for success.
        static func run(_ text: String) throws -> (output: Data, status: CInt) {
            guard let pipe = popen(text, "re") else { throw DidNotStart() }
            var output = Data()
            var buffer = [UInt8](repeating: 0, count: 4096)
            while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 {
                output.append(contentsOf: buffer[..<count])
            }
            return (output, pclose(pipe))
        }

        /// Starts a command whose standard input stays open for as long as this process lives.
        static func start(_ text: String) throws {
            guard popen(text, "we") != nil else { throw DidNotStart() }
        }

        /// The text as one word of a command.
        static func quoted(_ text: String) -> String {
            "'" + text.replacingOccurrences(of: "'", with: "'\\''") + "'"
        }
    }
#endif
