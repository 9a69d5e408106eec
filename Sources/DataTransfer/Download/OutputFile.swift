import Foundation
import NetworkCore

/// An open file that is written and read back. All calls may block.
final class OutputFile: Sendable {
    let descriptor: Int32
    /// For errors.
    let url: URL
    private let isOpen = Locked(true)

    /// Takes the descriptor over.
    init(_ descriptor: Int32, url: URL) {
        self.descriptor = descriptor
        self.url = url
    }

    deinit {
        close()
    }

    /// The last call; without it, that is the end of whoever holds it last.
    func close() {
        let closesNow = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if closesNow { Foundation.close(descriptor) }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileFailure) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(written))
            if count < 0, errno == EINTR { continue }
            // A file that may grow no more takes what fits, and then nothing.
            guard count > 0 else { throw FileFailure("cannot be written", url: url, errno: count < 0 ? errno : ENOSPC) }
            written += count
        }
    }

    /// - Returns: How many bytes; 0 at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFailure) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 { return count }
            if errno != EINTR { throw FileFailure("cannot be read", url: url, errno: errno) }
        }
    }

    func truncate() throws(FileFailure) {
        guard ftruncate(descriptor, 0) == 0 else { throw FileFailure("cannot be emptied", url: url, errno: errno) }
    }

    /// Waits until it is on the disk.
    func flush() throws(FileFailure) {
        guard fsync(descriptor) == 0 else { throw FileFailure("cannot be brought to the disk", url: url, errno: errno) }
    }

    func status() throws(FileFailure) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileFailure("cannot be looked at", url: url, errno: errno) }
        return status
    }
}

/// Work on a file, off the pool of async tasks.
enum BlockingWork {
    /// - Parameter url: The file it is about.
    static func run<Value: Sendable>(
        on url: URL, _ work: @escaping @Sendable () throws(FileFailure) -> Value
    ) async throws(FileFailure) -> Value {
        try await BackgroundThreads.files.value(work)
    }
}

extension Data {
    /// `withUnsafeBytes` forgets which error is thrown.
    func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws(FileFailure) -> Value) throws(FileFailure) -> Value {
        try withUnsafeBytes { bytes in Result { () throws(FileFailure) in try body(bytes) } }.get()
    }

    /// As ``withBytes(_:)``.
    mutating func withMutableBytes<Value>(
        _ body: (UnsafeMutableRawBufferPointer) throws(FileFailure) -> Value
    ) throws(FileFailure) -> Value {
        try withUnsafeMutableBytes { bytes in Result { () throws(FileFailure) in try body(bytes) } }.get()
    }
}
