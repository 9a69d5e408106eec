#if os(Linux)
    import Foundation
    import Glibc

    /// A temporary file that only this user can read, for as long as the value lives.
    final class PrivateFile: Sendable {
        let path: String

        /// `nil` where none can be made or written.
        init?(_ bytes: [UInt8]) {
            var template = Array(FileManager.default.temporaryDirectory.appendingPathComponent("trust-XXXXXX").path.utf8CString)
            // Made with mode 0600 (POSIX mkstemp).
            let descriptor = mkstemp(&template)
            guard descriptor >= 0 else { return nil }
            path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            do {
                let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
                try file.write(contentsOf: Data(bytes))
                try file.close()
            } catch {
                return nil
            }
        }

        deinit {
            unlink(path)
        }
    }
#endif
