import Foundation
import NetworkLogging

/// An output that records the entries of a logger.
final class RecordingOutput: Sendable {
    // @unchecked Sendable: the entries are accessed only under the lock.
    private final class State: @unchecked Sendable {
        let lock = NSLock()
        var entries: [String] = []
    }

    private let state = State()

    var entries: [String] { state.lock.withLock { state.entries } }
    var text: String { entries.joined(separator: "\n") }

    func logger(_ level: LogLevel, redaction: Redaction = .default, maximumBodyBytes: Int = 4096) -> ConsoleLogger {
        ConsoleLogger(level: level, redaction: redaction, maximumBodyBytes: maximumBodyBytes) { [state] entry in
            state.lock.withLock { state.entries.append(entry) }
        }
    }
}
