import Endpoints
import Foundation
import NetworkSupport
@_spi(SessionManagers) import NetworkTransport

/// What a task receives of a body: collected in memory, or passed to the reader of a streamed response.
///
/// Bytes for which the reader has no room wait in a ``BodyBacklog``. `URLSession` is paused meanwhile, where that is possible.
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
        /// Fail: bytes cannot wait for the reader.
        case fail(BodyBacklog.Failure)
    }

    /// The largest number of bytes that are collected.
    private let maximumBytes: Int
    /// The number of bytes that were received.
    private(set) var count = 0
    private var collected = Data()
    /// The pipe of a streamed response, after its head was delivered.
    private var pipe: ResponseBodyPipe?
    /// The bytes that wait for the reader.
    private var backlog: BodyBacklog
    /// Whether the task has ended while bytes waited.
    private var hasEnded = false
    private var isClosed = false

    /// Creates an empty body.
    ///
    /// - Parameters:
    ///   - maximumBytes: The `maximumBodyBytes` of the session manager.
    ///   - backlog: A backlog without bytes.
    init(maximumBytes: Int, backlog: BodyBacklog) {
        self.maximumBytes = maximumBytes
        self.backlog = backlog
    }

    /// Whether the head of a streamed response was delivered.
    var isStreaming: Bool { pipe != nil }

    /// Whether bytes wait for the reader: `URLSession` should not receive more of them, and the idle timeout does not run.
    var isPaused: Bool { backlog.count > 0 }

    /// Whether bytes wait in files, and ``continueReading()`` may block.
    var isInFiles: Bool { backlog.isInFiles }

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
        do throws(BodyBacklog.Failure) {
            try backlog.append(data)
        } catch {
            return .fail(error)
        }
        return wasPaused ? .nothing : .adjustFlow
    }

    /// Passes what waits to the reader, which has room again.
    mutating func continueReading() -> Action {
        guard isPaused else { return .nothing }
        do throws(BodyBacklog.Failure) {
            while let data = try backlog.first(), write(data) { backlog.removeFirst() }
        } catch {
            return .fail(error)
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
        backlog.removeAll()
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
