import Endpoints
import Foundation

/// An open file or directory, closed with its last reference. Calls may block.
final class FileDescriptor: Sendable {
    let number: Int32

    /// Takes it over.
    init(_ number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// Below a directory. Symbolic links as the last component are refused (`ELOOP`), a pipe nobody writes to does not block.
    ///
    /// - Returns: `nil` with `errno`.
    static func open(_ path: String, in directory: FileDescriptor, _ flags: Int32, mode: mode_t = 0) -> FileDescriptor? {
        let all = flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        let number = openat(directory.number, path, all, mode)
        return number >= 0 ? FileDescriptor(number) : nil
    }

    var status: stat? {
        var status = stat()
        return fstat(number, &status) == 0 ? status : nil
    }

    /// Of something below a directory, a symbolic link itself.
    func status(of path: String) -> stat? {
        var status = stat()
        return fstatat(number, path, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    /// - Returns: Whether all of it was written; `errno` else.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = Foundation.write(number, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                // A file that may grow no more takes what fits, and then nothing.
                if count == 0 { errno = ENOSPC }
                return false
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return true
    }

    /// From the beginning of the file.
    ///
    /// - Returns: How many bytes there were, up to the buffer's size; `nil` with `errno`.
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

    /// The file's times: of the last access and of the last change.
    @discardableResult
    func setTimes(_ time: FileTime) -> Bool {
        let times = [time.specification, time.specification]
        return futimens(number, times) == 0
    }

    /// Calls with the name of each entry of a directory but `.` and `..`, until told to stop.
    ///
    /// - Returns: Whether the directory could be read.
    func forEachName(_ body: (UnsafePointer<CChar>) -> Bool) -> Bool {
        // The stream closes its descriptor, and moves the position that all copies of it share.
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

/// Nanoseconds since 1970, as files have them.
struct FileTime: Comparable, Hashable, Sendable {
    var nanoseconds: Int64

    init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    init(_ specification: timespec) {
        // What 64 bits cannot hold becomes the beginning or the end of time.
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
        // The rest of a negative number is negative.
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
        // So many seconds fit.
        let longest = Duration.seconds(9_223_372_036)
        let (seconds, attoseconds) = duration.clamped(to: .zero - longest...longest).components
        return FileTime(nanoseconds: nanoseconds.adding(clamped: seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
    }

    static func < (left: FileTime, right: FileTime) -> Bool { left.nanoseconds < right.nanoseconds }
}
