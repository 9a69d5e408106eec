import Foundation

/// Standard error as a place for whole lines.
///
/// They are written on a thread of their own, in the order they came: whoever logs never waits for a terminal or a pipe that takes
/// nothing. A process that ends by `exit()`, or by returning from `main`, waits for what was written before, for 2 seconds at
/// most; one that crashes may lose what had not been written yet.
public enum StandardError {
    /// How many texts may wait: 10,000. What comes beyond that, or beyond ``maximumWaitingBytes``, is dropped, and a line says how
    /// many were in its place.
    public static let maximumWaitingEntries = 10_000
    /// How large all waiting texts together may be: 8 MiB.
    public static let maximumWaitingBytes = 8 << 20

    private static let writer: EntryWriter = {
        atexit { StandardError.flush(within: .seconds(2)) }
        return EntryWriter(maximumEntries: maximumWaitingEntries, maximumBytes: maximumWaitingBytes, output: put)
    }()

    /// Writes a text and a line feed soon, behind those that were written before. Callable from any thread; returns at once; texts
    /// are never mixed. A closed standard error loses the text and harms nobody.
    @Sendable public static func write(_ text: String) {
        writer.write(text)
    }

    /// Waits until all that was written so far has been taken. Blocks the thread: not for async code.
    ///
    /// - Parameter limit: How long at most. Below zero counts as zero, and more than an hour as an hour.
    /// - Returns: Whether it has been taken.
    @discardableResult
    public static func flush(within limit: Duration = .seconds(2)) -> Bool {
        writer.flush(within: limit)
    }

    @Sendable private static func put(_ line: Data) {
        line.withUnsafeBytes { line in
            var rest = line[...]
            while !rest.isEmpty {
                let count = Foundation.write(STDERR_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if count < 0, errno == EAGAIN {
                    // Somebody made it non-blocking.
                    var descriptor = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
                    poll(&descriptor, 1, -1)
                } else if count == 0 || errno != EINTR {
                    return
                }
            }
        }
    }
}
