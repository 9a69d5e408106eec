import Foundation

/// An open file or directory, which is closed when it is deallocated. Calls may block.
///
/// Methods that fail set `errno`; ``SystemError/last`` reads it.
// `@unchecked Sendable`: `isOpen` changes only in `close()`, at which time and after which no other method may be called.
package final class FileDescriptor: @unchecked Sendable {
    /// The number of the descriptor.
    package let number: Int32
    private var isOpen = true

    /// Takes ownership of a file descriptor.
    package init(_ number: Int32) {
        self.number = number
    }

    deinit {
        close()
    }

    /// Closes the descriptor, and so releases its locks. No other method may be called at the same time or afterwards.
    package func close() {
        if isOpen { Foundation.close(number) }
        isOpen = false
    }

    /// Opens a path. Opening a pipe without a writer does not block.
    ///
    /// - Parameters:
    ///   - path: The path, relative to the directory.
    ///   - directory: The directory. Default: the current one.
    ///   - flags: The flags of `open(2)`. `O_CLOEXEC` and `O_NONBLOCK` are added.
    ///   - mode: The permissions of a file that is created.
    ///   - followsLink: Whether the last component may be a symbolic link. Default: `false`, which fails with `ELOOP`.
    /// - Returns: The descriptor, or `nil` with `errno` set.
    package static func open(
        _ path: String, in directory: FileDescriptor? = nil, _ flags: Int32, mode: mode_t = 0, followsLink: Bool = false
    ) -> FileDescriptor? {
        let all = flags | (followsLink ? 0 : O_NOFOLLOW) | O_CLOEXEC | O_NONBLOCK
        let number = openat(directory?.number ?? AT_FDCWD, path, all, mode)
        return number >= 0 ? FileDescriptor(number) : nil
    }

    /// Opens a new file for reading and writing that has no name: it takes no space after it was closed, and no other process can open it.
    ///
    /// - Returns: The descriptor, or `nil` with `errno` set.
    package static func unnamed(in folder: String) -> FileDescriptor? {
        let path = folder + "/swift-data-transfer-" + UUID().uuidString
        guard let file = open(path, O_RDWR | O_CREAT | O_EXCL, mode: 0o600) else { return nil }
        return unlink(path) == 0 ? file : nil
    }

    /// The status of the file, or `nil` with `errno` set.
    package var status: stat? {
        var status = stat()
        return fstat(number, &status) == 0 ? status : nil
    }

    /// Returns the status of a path relative to this directory, without following a symbolic link.
    package func status(of path: String) -> stat? {
        var status = stat()
        return fstatat(number, path, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    /// Locks the file until it is closed (`flock`), for this descriptor alone.
    ///
    /// - Returns: `false` with `errno` set, which is `EWOULDBLOCK` if another descriptor has locked it.
    package func lock() -> Bool { flock(number, LOCK_EX | LOCK_NB) == 0 }

    /// Writes all bytes.
    ///
    /// - Parameter offset: The position in the file. Default: the end of what was written before.
    /// - Returns: Whether all bytes were written. If not, `errno` is set.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64? = nil) -> Bool {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count =
                if let offset {
                    pwrite(number, rest.baseAddress, rest.count, off_t(offset) + off_t(written))
                } else {
                    Foundation.write(number, rest.baseAddress, rest.count)
                }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                // At the size limit of a file, a write accepts the bytes that fit, and the next one accepts none.
                if count == 0 { errno = ENOSPC }
                return false
            }
            written += count
        }
        return true
    }

    /// Waits until the contents of the file, or the names in the directory, are on the disk (`fsync`; on Darwin `F_FULLFSYNC`, where it is
    /// supported).
    ///
    /// - Returns: Whether they are. If not, `errno` is set.
    package func synchronize() -> Bool {
        while synchronizeToDisk(number) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    /// Reads until the buffer is full or the file ends.
    ///
    /// - Parameter offset: The position in the file. Default: its beginning.
    /// - Returns: The number of bytes read, or `nil` with `errno` set.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64 = 0) -> Int? {
        var position = 0
        while position < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[position...])
            let count = pread(number, rest.baseAddress, rest.count, off_t(offset) + off_t(position))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            position += count
        }
        return position
    }

    /// Sets the times of the last access and the last modification.
    ///
    /// - Returns: Whether the times were set.
    @discardableResult
    package func setTimes(_ time: FileTime) -> Bool {
        let times = [time.specification, time.specification]
        return futimens(number, times) == 0
    }

    /// Calls a closure with the name of each entry of the directory except `.` and `..`, until it returns `false`.
    ///
    /// - Returns: Whether the directory could be opened for reading.
    package func forEachName(_ body: (UnsafePointer<CChar>) -> Bool) -> Bool {
        // The stream closes its descriptor and moves its position, which duplicates share: open the directory separately.
        guard let own = FileDescriptor.open(".", in: self, O_RDONLY | O_DIRECTORY) else { return false }
        let copy = fcntl(own.number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, let stream = fdopendir(copy) else {
            if copy >= 0 { Foundation.close(copy) }
            return false
        }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let continues = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) { name in
                    let isDots = name[0] == 0x2E && (name[1] == 0 || name[1] == 0x2E && name[2] == 0)
                    return isDots || body(name)
                }
            }
            if !continues { break }
        }
        return true
    }
}

extension stat {
    /// Whether the file is a regular file: neither a folder, a link, a pipe nor a device.
    package var isRegular: Bool { st_mode & S_IFMT == S_IFREG }
    /// Whether only this user can have written to the file, under this or another name.
    ///
    /// A file that the group or others may write to does not count, because they may have opened it.
    package var isOnlyOurs: Bool { st_nlink == 1 && st_uid == geteuid() && st_mode & 0o022 == 0 }

    /// Reads the status of a path, without following a symbolic link. Fails with `nil` and `errno` set.
    package init?(of path: String) {
        self.init()
        guard lstat(path, &self) == 0 else { return nil }
    }
}

/// The failure of a system call.
package struct SystemError: Error, Hashable, Sendable {
    /// The system's error number (`errno`).
    package var number: Int32

    /// Creates an error from an error number.
    package init(_ number: Int32) {
        self.number = number
    }

    /// The error of the last system call on this thread that failed.
    package static var last: SystemError { SystemError(errno) }

    /// The system's text for the error.
    package var message: String { String(cString: strerror(number)) }

    /// The kind of the error of a call that concerns a file.
    package var kind: Kind {
        switch number {
        case EEXIST: .exists
        case EISDIR, ENOTEMPTY: .isFolder
        case ENOENT, ENOTDIR: .missing
        case EACCES, EPERM, EROFS: .noPermission
        case ELOOP: .symbolicLink
        case ETXTBSY: .isRunning
        case ENOSPC, EDQUOT, EFBIG: .noSpace
        case ENAMETOOLONG: .nameTooLong
        default: .other
        }
    }

    /// What is wrong with a file.
    package enum Kind: Hashable, Sendable {
        case exists, isFolder, isRunning, nameTooLong, noPermission, other, symbolicLink
        /// The file or its folder does not exist, or its folder is not one.
        case missing
        /// The disk is full, a quota is used up, or the file would be too large.
        case noSpace
    }
}
