import Foundation

/// A file that takes another one's place when it is whole.
struct PrivateReplacement {
    /// What the system says, in its words.
    struct Failure: Error, CustomStringConvertible {
        var description: String
        var underlying: (any Error)?
    }

    private let file: URL

    init(of file: URL) {
        self.file = file
    }

    func write(_ data: Data) throws(Failure) {
        let folder = file.deletingLastPathComponent()
        var name = Array(folder.appendingPathComponent(".recording-XXXXXX").path.utf8CString)
        // Made with mode 0600, whatever the umask (POSIX mkstemp).
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else { throw Self.failure("no file can be made in its folder") }
        do {
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try handle.write(contentsOf: data)
            try handle.close()
        } catch {
            unlink(name)
            throw Failure(description: "the disk does not take it", underlying: error)
        }
        guard rename(name, file.path) == 0 else {
            let failure = Self.failure("it cannot be moved into place")
            unlink(name)
            throw failure
        }
    }

    private static func failure(_ what: String) -> Failure {
        Failure(description: "\(what): \(String(cString: strerror(errno)))")
    }
}
