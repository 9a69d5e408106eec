import Endpoints
import Foundation

/// An open file or directory, which is closed when it is deallocated. Calls may block.
final class FileDescriptor: Sendable {
    let number: Int32

    /// Takes ownership of a file descriptor.
    init(_ number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// Opens a path relative to a directory. Fails with `ELOOP` if its last component is a symbolic link. Opening a pipe without
    /// a writer does not block.
    ///
    /// - Returns: The descriptor, or `nil` with `errno` set.
    static func open(_ path: String, in directory: FileDescriptor, _ flags: Int32, mode: mode_t = 0) -> FileDescriptor? {
        let all = flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        let number = openat(directory.number, path, all, mode)
        return number >= 0 ? FileDescriptor(number) : nil
    }

    var status: stat? {
        var status = stat()
        return fstat(number, &status) == 0 ? status : nil
    }

    /// Returns the status of a path relative to this directory, without following a symbolic link.
    func status(of path: String) -> stat? {
        var status = stat()
        return fstatat(number, path, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    /// Writes all bytes.
    ///
    /// - Returns: Whether all bytes were written. If not, `errno` is set.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = Foundation.write(number, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                // At the size limit of a file, a write accepts the bytes that fit, and the next one accepts none.
                if count == 0 { errno = ENOSPC }
                return false
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return true
    }

    /// Reads from the beginning of the file until the buffer is full or the file ends.
    ///
    /// - Returns: The number of bytes read, or `nil` with `errno` set.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        var position = 0
        while position < buffer.count {
            let count = pread(number, buffer.baseAddress?.advanced(by: position), buffer.count - position, off_t(position))
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
    func setTimes(_ time: FileTime) -> Bool {
        let times = [time.specification, time.specification]
        return futimens(number, times) == 0
    }

    /// Calls a closure with the name of each entry of the directory except `.` and `..`, until it returns `false`.
    ///
    /// - Returns: Whether the directory could be opened for reading.
    func forEachName(_ body: (UnsafePointer<CChar>) -> Bool) -> Bool {
        // The stream closes its descriptor and moves its position, which duplicates share: open the directory separately.
        guard let own = FileDescriptor.open(".", in: self, O_RDONLY | O_DIRECTORY) else { return false }
        let copy = fcntl(own.number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, let stream = fdopendir(copy) else {
            if copy >= 0 { close(copy) }
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

/// A time in nanoseconds since 1970, as used for files.
struct FileTime: Comparable, Hashable, Sendable {
    var nanoseconds: Int64

    init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    init(_ specification: timespec) {
        // Times that do not fit into 64 bits are clamped.
        let (whole, overflow) = Int64(specification.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let end: Int64 = specification.tv_sec < 0 ? .min : .max
        let (sum, overflowToo) = whole.addingReportingOverflow(Int64(specification.tv_nsec))
        nanoseconds = overflow || overflowToo ? end : sum
    }

    init(_ date: Date) {
        let value = date.timeIntervalSince1970 * 1e9
        nanoseconds = Int64(exactly: value.rounded(.down)) ?? (value < 0 ? .min : .max)
    }

    var specification: timespec {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        // The remainder of a negative number is negative.
        return rest < 0
            ? timespec(tv_sec: Int(seconds) - 1, tv_nsec: Int(rest) + 1_000_000_000)
            : timespec(tv_sec: Int(seconds), tv_nsec: Int(rest))
    }

    static var now: FileTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return FileTime(time)
    }

    func advanced(by duration: Duration) -> FileTime {
        // The maximum number of whole seconds that fit into 64 bits of nanoseconds.
        let longest = Duration.seconds(9_223_372_036)
        let (seconds, attoseconds) = duration.clamped(to: .zero - longest...longest).components
        return FileTime(nanoseconds: nanoseconds.adding(clamped: seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
    }

    static func < (left: FileTime, right: FileTime) -> Bool { left.nanoseconds < right.nanoseconds }
}
