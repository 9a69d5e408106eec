import Foundation
import NetworkCore

/// An open file that is written and read. All methods may block.
final class OutputFile: Sendable {
    let descriptor: Int32
    /// The location of the file, for errors.
    let url: URL
    private let isOpen = Locked(true)

    /// Creates a file that owns the descriptor and closes it.
    init(_ descriptor: Int32, url: URL) {
        self.descriptor = descriptor
        self.url = url
    }

    deinit {
        close()
    }

    /// Closes the descriptor. No other method may be called afterwards. Without this call, it is closed when the object is deallocated.
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
            // A file that has reached its size limit accepts the bytes that fit, and then none.
            guard count > 0 else { throw FileFailure("cannot be written", url: url, errno: count < 0 ? errno : ENOSPC) }
            written += count
        }
    }

    /// Reads bytes at an offset into a buffer.
    ///
    /// - Returns: The number of bytes that were read; 0 at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFailure) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 { return count }
            if errno != EINTR { throw FileFailure("cannot be read", url: url, errno: errno) }
        }
    }

    func truncate() throws(FileFailure) {
        guard ftruncate(descriptor, 0) == 0 else { throw FileFailure("cannot be truncated", url: url, errno: errno) }
    }

    /// Waits until the contents of the file are on the disk.
    func flush() throws(FileFailure) {
        guard fsync(descriptor) == 0 else { throw FileFailure("cannot be flushed to the disk", url: url, errno: errno) }
    }

    func status() throws(FileFailure) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileFailure("its status cannot be read", url: url, errno: errno) }
        return status
    }
}

/// Blocking work on files, which runs on background threads and not on those of Swift concurrency.
enum BlockingWork {
    /// Runs blocking work on a background thread and returns its result.
    ///
    /// - Parameter url: The file that the work concerns.
    static func run<Value: Sendable>(
        on url: URL, _ work: @escaping @Sendable () throws(FileFailure) -> Value
    ) async throws(FileFailure) -> Value {
        try await BackgroundThreads.files.value(work)
    }
}

extension Data {
    /// Calls a closure with the bytes. Unlike `withUnsafeBytes`, it keeps the type of the error.
    func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws(FileFailure) -> Value) throws(FileFailure) -> Value {
        try withUnsafeBytes { bytes in Result { () throws(FileFailure) in try body(bytes) } }.get()
    }

    /// Calls a closure with the mutable bytes. Unlike `withUnsafeMutableBytes`, it keeps the type of the error.
    mutating func withMutableBytes<Value>(
        _ body: (UnsafeMutableRawBufferPointer) throws(FileFailure) -> Value
    ) throws(FileFailure) -> Value {
        try withUnsafeMutableBytes { bytes in Result { () throws(FileFailure) in try body(bytes) } }.get()
    }
}
