import Foundation
import NetworkSupport

/// An output that writes whole lines to standard error.
///
/// The lines are written on a dedicated thread, in order, so that the caller never waits for a terminal or pipe that accepts no data. A
/// process that ends by `exit()`, or by returning from `main`, waits up to 2 seconds for the waiting lines to be written; a process that
/// crashes may lose them.
package enum StandardError {
    /// The maximum number of texts that wait to be written: 10,000.
    ///
    /// Texts beyond this limit or ``maximumWaitingBytes`` are dropped, and a line in their place states how many.
    static let maximumWaitingEntries = 10_000
    /// The maximum total size of the texts that wait to be written: 8 MiB.
    static let maximumWaitingBytes = 8 << 20

    private static let writer: EntryWriter = {
        atexit { StandardError.flush(within: .seconds(2)) }
        return EntryWriter(maximumEntries: maximumWaitingEntries, maximumBytes: maximumWaitingBytes, output: put)
    }()

    /// Queues a text and a line feed to be written after the texts queued before.
    ///
    /// Can be called on any thread, and returns immediately. Texts are never mixed. If standard error is closed, the text is lost without
    /// an error.
    @Sendable package static func write(_ text: String) {
        writer.write(text)
    }

    /// Waits until all texts queued so far are written. Blocks the calling thread: do not call it from async code.
    ///
    /// - Parameter limit: The maximum time to wait. A negative value counts as zero, a value above one hour as one hour. Default: 2
    ///   seconds.
    /// - Returns: Whether all texts were written within the limit.
    @discardableResult
    package static func flush(within limit: Duration = .seconds(2)) -> Bool {
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
                    // The descriptor has been set to non-blocking mode.
                    var descriptor = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
                    poll(&descriptor, 1, -1)
                } else if count == 0 || errno != EINTR {
                    return
                }
            }
        }
    }
}

/// A writer that passes entries in order to an output on a separate thread, so that callers never wait for the output.
///
/// The waiting entries are limited: entries beyond the limits are dropped, and a line in their place states how many.
// `@unchecked Sendable`: `state` is accessed only under the condition's lock.
package final class EntryWriter: @unchecked Sendable {
    private struct State {
        var entries: [Data] = []
        /// The number of entries in `entries` and of those that are being written.
        var count = 0
        var bytes = 0
        /// The number of entries dropped since the last one that was added.
        var dropped = 0
        var isWorking = false
    }

    private let maximumEntries: Int
    private let maximumBytes: Int
    private let output: @Sendable (Data) -> Void
    private let thread: WorkerThreads
    private let condition = NSCondition()
    private var state = State()

    /// Creates a writer that passes entries to an output.
    ///
    /// - Parameters:
    ///   - maximumEntries: The maximum number of waiting entries.
    ///   - maximumBytes: The maximum total size of the waiting entries. A single entry may be larger if no other is waiting.
    ///   - output: Receives one entry at a time, with a line feed at its end, on the writer's thread. It may block.
    package init(maximumEntries: Int, maximumBytes: Int, output: @escaping @Sendable (Data) -> Void) {
        self.maximumEntries = maximumEntries
        self.maximumBytes = maximumBytes
        self.output = output
        thread = WorkerThreads(name: "dt-log", maximumCount: 1)
    }

    /// Adds an entry, or drops it if a limit is reached. Returns immediately.
    package func write(_ text: String) {
        let entry = Data("\(text)\n".utf8)
        condition.lock()
        let starts = add(entry)
        condition.unlock()
        if starts { thread.run { self.work() } }
    }

    /// Waits until all entries added so far are written.
    ///
    /// - Parameter limit: The maximum time to wait; at most one hour.
    /// - Returns: Whether all entries were written within the limit.
    package func flush(within limit: Duration) -> Bool {
        let end = Date(timeIntervalSinceNow: min(max(limit, .zero), .seconds(3600)) / .seconds(1))
        condition.lock()
        defer { condition.unlock() }
        while state.isWorking {
            if !condition.wait(until: end) { return !state.isWorking }
        }
        return true
    }

    private func add(_ entry: Data) -> Bool {
        guard state.count == 0 || state.count < maximumEntries && entry.count <= maximumBytes - state.bytes else {
            state.dropped += 1
            return false
        }
        noteDropped()
        append(entry)
        defer { state.isWorking = true }
        return !state.isWorking
    }

    private func noteDropped() {
        guard state.dropped > 0 else { return }
        append(Data("\(state.dropped) log entries were dropped here: the output did not take them in time\n".utf8))
        state.dropped = 0
    }

    private func append(_ entry: Data) {
        state.entries.append(entry)
        state.count += 1
        state.bytes += entry.count
    }

    private func work() {
        while let entries = take() {
            for entry in entries {
                output(entry)
                condition.lock()
                state.count -= 1
                state.bytes -= entry.count
                condition.unlock()
            }
        }
    }

    private func take() -> [Data]? {
        condition.lock()
        defer { condition.unlock() }
        if state.entries.isEmpty { noteDropped() }
        guard !state.entries.isEmpty else {
            state.isWorking = false
            condition.broadcast()
            return nil
        }
        defer { state.entries = [] }
        return state.entries
    }
}
