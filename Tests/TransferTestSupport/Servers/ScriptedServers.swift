#if os(Linux)
    import Endpoints
    import Foundation
    import Glibc

    /// Servers of a script in `Scripts`, which writes its files into a folder, announces the servers with one line, and ends with this process.
    package struct ScriptedServers: Sendable {
        package struct DidNotStart: Error {}

        /// The folder of the script, which removes it at its end.
        package let folder: URL
        /// The line that the script has printed.
        package let announcement: Data

        /// Starts a script and waits for its announcement.
        ///
        /// - Parameter name: The name of a file in `Scripts`, which python3 runs.
        package init(_ name: String) throws {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(name)-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let script = root.appendingPathComponent("Scripts/\(name)").path
            let pipe = folder.appendingPathComponent("announcement").path
            guard mkfifo(pipe, 0o600) == 0 else { throw DidNotStart() }
            // The servers exit at the end of their standard input, which is when this process ends.
            let words = [script, folder.path].map(ShellCommand.quoted).joined(separator: " ")
            try ShellCommand.start("exec python3 \(words) > \(ShellCommand.quoted(pipe))")
            // Not with `FileHandle`, which ends this process if a signal interrupts a read.
            let output = uninterrupted { open(pipe, O_RDONLY | O_CLOEXEC) }
            guard output >= 0 else { throw DidNotStart() }
            defer { close(output) }
            var line = Data()
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while line.last != 0x0A {
                let count = uninterrupted { read(output, &buffer, buffer.count) }
                guard count > 0 else { throw DidNotStart() }
                line.append(contentsOf: buffer[..<count])
            }
            announcement = line
        }
    }
#endif
