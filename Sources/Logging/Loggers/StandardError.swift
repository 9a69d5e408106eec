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

/// Writes entries in order on a thread of its own, so that whoever hands one over never waits for the output.
///
/// What waits is bounded: an entry beyond the bound is dropped, and how many were is written in a line of its own, in their place.
// Sendable although unchecked: `state` is only touched under the condition's lock.
package final class EntryWriter: @unchecked Sendable {
    private struct State {
        var entries: [Data] = []
        /// Those in `entries`, and the ones that are being written.
        var count = 0
        var bytes = 0
        /// Since the last entry that was taken.
        var dropped = 0
        var isWorking = false
    }

    private let maximumEntries: Int
    private let maximumBytes: Int
    private let output: @Sendable (Data) -> Void
    private let thread: WorkerThreads
    private let condition = NSCondition()
    private var state = State()

    /// - Parameters:
    ///   - maximumEntries: How many may wait.
    ///   - maximumBytes: How large all that wait may be. An entry alone may be larger.
    ///   - output: Gets one entry at a time, with a line feed at its end. May block.
    package init(maximumEntries: Int, maximumBytes: Int, output: @escaping @Sendable (Data) -> Void) {
        self.maximumEntries = maximumEntries
        self.maximumBytes = maximumBytes
        self.output = output
        thread = WorkerThreads(name: "dt-log", maximumCount: 1)
    }

    /// Adds an entry, or drops it where too much waits. Returns at once.
    package func write(_ text: String) {
        let entry = Data("\(text)\n".utf8)
        condition.lock()
        let starts = add(entry)
        condition.unlock()
        if starts { thread.run { self.work() } }
    }

    /// Waits until all entries so far are written.
    ///
    /// - Parameter limit: How long at most.
    /// - Returns: Whether they are.
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
