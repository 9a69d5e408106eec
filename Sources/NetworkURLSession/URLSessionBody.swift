import Endpoints
import Foundation
import NetworkSupport
@_spi(SessionManagers) import NetworkTransport

/// What a task receives of a body: collected in memory, or passed to the reader of a streamed response.
///
/// Bytes for which the reader has no room wait here. `URLSession` is paused meanwhile; what it delivers nevertheless waits too, up to a limit.
struct URLSessionBody: Sendable {
    /// What follows an event.
    enum Action: Equatable {
        case nothing
        /// ``isPaused`` has changed.
        case adjustFlow
        /// Deliver the end of the task.
        case end
        /// Fail: the collected body is too large.
        case refuse
        /// Fail: too many bytes wait for the reader.
        case overflow
    }

    /// The largest number of bytes that are collected, or wait for the reader.
    private let maximumBytes: Int
    /// The number of bytes that were received.
    private(set) var count = 0
    private var collected = Data()
    /// The pipe of a streamed response, after its head was delivered.
    private var pipe: ResponseBodyPipe?
    /// The bytes that wait for the reader, in pieces of at most ``pieceBytes`` unless one was larger when it was received: one array would be copied
    /// with each read, and single bytes would take many times their memory.
    private var waiting: [Data] = []
    /// The number of pieces at the beginning that were passed to the reader.
    private var passed = 0
    private var waitingBytes = 0
    private static let pieceBytes = 64 << 10
    /// Whether the task has ended while bytes waited.
    private var hasEnded = false
    private var isClosed = false

    /// Creates an empty body.
    ///
    /// - Parameter maximumBytes: The `maximumBodyBytes` of the session manager.
    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// Whether the head of a streamed response was delivered.
    var isStreaming: Bool { pipe != nil }

    /// Whether bytes wait for the reader: `URLSession` should not receive more of them, and the idle timeout does not run.
    var isPaused: Bool { waitingBytes > 0 }

    /// Passes what follows to the reader of a streamed response.
    mutating func stream(to pipe: ResponseBodyPipe) {
        self.pipe = pipe
    }

    /// Receives a piece of the body.
    mutating func receive(_ data: Data) -> Action {
        if isClosed || data.isEmpty { return .nothing }
        guard pipe != nil else {
            guard data.count <= maximumBytes - collected.count else { return .refuse }
            count += data.count
            collected.append(data)
            return .nothing
        }
        count += data.count
        let wasPaused = isPaused
        if !wasPaused, write(data) { return .nothing }
        guard data.count <= maximumBytes - waitingBytes else { return .overflow }
        if passed < waiting.count, waiting[waiting.count - 1].count + data.count <= Self.pieceBytes {
            waiting[waiting.count - 1].append(data)
        } else {
            waiting.append(data)
        }
        waitingBytes += data.count
        return wasPaused ? .nothing : .adjustFlow
    }

    /// Passes what waits to the reader, which has room again.
    mutating func continueReading() -> Action {
        guard isPaused else { return .nothing }
        while passed < waiting.count, write(waiting[passed]) {
            waitingBytes -= waiting[passed].count
            waiting[passed] = Data()
            passed += 1
        }
        if passed > waiting.count / 2 {
            waiting.removeFirst(passed)
            passed = 0
        }
        if isPaused { return .nothing }
        return hasEnded ? .end : .adjustFlow
    }

    /// Receives the end of the task.
    mutating func receiveEnd() -> Action {
        guard isPaused else { return .end }
        hasEnded = true
        return .nothing
    }

    /// Drops what was received and what is still to come.
    mutating func close() {
        isClosed = true
        collected = Data()
        waiting = []
        passed = 0
        waitingBytes = 0
    }

    /// Removes and returns the collected body.
    mutating func takeCollected() -> Data {
        defer { collected = Data() }
        return collected
    }

    /// Passes bytes to the reader. If it has no room, nothing is passed, and the pipe reports when there is room.
    private func write(_ data: Data) -> Bool {
        guard let pipe, data.withUnsafeBytes({ pipe.write($0) }) else { return false }
        pipe.flush()
        return true
    }
}
