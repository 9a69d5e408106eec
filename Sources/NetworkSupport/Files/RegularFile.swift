import Foundation

/// A regular file that is open for reading, and its length as far as it is known. All calls may block.
///
/// The file that was measured is the one that is read: it is opened first, and its descriptor measured. Folders, pipes, sockets and devices are
/// refused, since reading them might never end.
package struct RegularFile: Sendable {
    /// What distinguishes a file from others, whatever their names and contents.
    package struct Identity: Hashable, Sendable {
        private let device: UInt64
        private let number: UInt64

        init(_ status: stat) {
            device = UInt64(truncatingIfNeeded: status.st_dev)
            number = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    /// Why a file cannot be used, as a phrase that follows its name.
    package struct Failure: Error, Sendable {
        /// Such as `cannot be opened: Permission denied`.
        package var reason: String
        /// The failure of the system call, if one has failed.
        package var error: SystemError?

        package init(_ reason: String, _ error: SystemError? = nil) {
            self.reason = reason + (error.map { ": \($0.message)" } ?? "")
            self.error = error
        }
    }

    package let identity: Identity
    /// The time of the last modification.
    package let modified: FileTime
    /// The number of bytes; `nil` if reading contradicts the status, and only the end of the file shows it.
    ///
    /// Files of `/proc` and some FUSE file systems have a size of 0, and those of `/sys` 4096, whatever they contain.
    package let length: Int64?
    package let descriptor: FileDescriptor

    /// Opens and measures a file. Symbolic links are followed.
    package init(_ url: URL) throws(Failure) {
        guard url.isFileURL, let path = url.withUnsafeFileSystemRepresentation({ $0.map { String(cString: $0) } }) else {
            throw Failure("is not a path of a file")
        }
        // Opening a device would have effects. What is opened is checked again, and opening never waits, not even if the name has become that of a pipe.
        var named = stat()
        guard stat(path, &named) == 0 else { throw Failure("cannot be opened", .last) }
        try Self.check(named)
        guard let descriptor = FileDescriptor.open(path, O_RDONLY | O_NONBLOCK, followsLink: true), let status = descriptor.status
        else {
            throw Failure("cannot be opened", .last)
        }
        try Self.check(status)
        self.descriptor = descriptor
        let (measured, length) = try Self.measure(descriptor, status)
        identity = Identity(measured)
        modified = measured.modification
        self.length = length
    }

    private static func check(_ status: stat) throws(Failure) {
        guard !status.isRegular else { return }
        throw Failure(status.st_mode & S_IFMT == S_IFDIR ? "is a directory" : "is not a regular file")
    }

    /// Compares the size of the status with what can be read at its end.
    private static func measure(_ descriptor: FileDescriptor, _ status: stat) throws(Failure) -> (stat, Int64?) {
        var status = status
        // Another process may write to the file meanwhile. A file that grows each time is as long as it was at some time.
        for _ in 0..<3 {
            let size = Int64(status.st_size)
            let isThere = size == 0 ? true : try isReadable(descriptor, at: size - 1)
            if isThere, try !isReadable(descriptor, at: size) { return (status, size) }
            guard let now = descriptor.status else { throw Failure("cannot be examined", .last) }
            if now.st_size == status.st_size { return (status, nil) }
            status = now
        }
        return (status, Int64(status.st_size))
    }

    private static func isReadable(_ descriptor: FileDescriptor, at offset: Int64) throws(Failure) -> Bool {
        // No byte has this position.
        if offset == .max { return false }
        var byte: UInt8 = 0
        guard let count = withUnsafeMutableBytes(of: &byte, { descriptor.read(into: $0, at: offset) }) else {
            throw Failure("cannot be read", .last)
        }
        return count > 0
    }

    /// Reads at most `count` bytes; fewer at the end of the file.
    package func read(at offset: Int64, count: Int) throws(Failure) -> Data {
        // `Data(count:)` would first fill the buffer with zeros.
        guard let buffer = malloc(max(count, 1)) else { throw Failure("cannot be read", .last) }
        guard let result = descriptor.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: count), at: offset) else {
            let error = SystemError.last
            free(buffer)
            throw Failure("cannot be read", error)
        }
        return Data(bytesNoCopy: buffer, count: result, deallocator: .free)
    }

    /// Reads the beginning of the file to its end, whatever its length is said to be; more than `maximum` bytes are not read.
    package func contents(maximumBytes maximum: Int) throws(Failure) -> Data {
        var contents = Data()
        while contents.count < maximum {
            let piece = try read(at: Int64(contents.count), count: min(1 << 20, maximum - contents.count))
            if piece.isEmpty { break }
            contents.append(piece)
        }
        return contents
    }
}
