import Endpoints
import Foundation
import NetworkSupport
@_spi(SessionManagers) import NetworkTransport

/// Where a body is written that is produced while it is sent.
protocol BodySink: Sendable {
    /// Writes bytes. Blocks while there is no room.
    ///
    /// - Returns: The number of bytes that were written, at least 1; `nil` if nothing reads them any more.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int?

    /// Ends the body. Called once, also while a write blocks, which then returns `nil`.
    func close()
}

/// Writes the chunks of a body into a sink, in a separate task, and closes it after the last one.
final class BodyWriter: Sendable {
    private let sink: any BodySink
    private let isClosed = Locked(false)
    private let task = Locked<Task<Void, Never>?>(nil)

    /// Begins to write.
    ///
    /// - Parameters:
    ///   - length: The number of bytes after which the body is complete, if it is known: the sequence may end later.
    ///   - whenFailed: Called if the body cannot be produced, before the sink is closed: what reads it must not take it for complete.
    init(
        _ body: NetworkBody, length: Int64?, to sink: any BodySink, whenFailed: @escaping @Sendable (TransportError) -> Void
    ) {
        self.sink = sink
        let task = Task {
            do throws(TransportError) {
                var chunks = body.makeAsyncIterator()
                var written: Int64 = 0
                while written < length ?? .max, let chunk = try await chunks.next() {
                    guard await BodyWriter.write(chunk, to: sink) else { break }
                    written += Int64(chunk.count)
                }
            } catch {
                if !Task.isCancelled { whenFailed(error) }
            }
            self.close()
        }
        self.task.withLock { $0 = task }
    }

    /// Stops the production of the body, and closes the sink.
    func stop() {
        task.withLock { $0?.cancel() }
        close()
    }

    private func close() {
        let isFirst = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        if isFirst { sink.close() }
    }

    /// Writes a chunk on a thread that may block.
    ///
    /// - Returns: Whether all of it was written.
    private static func write(_ chunk: Data, to sink: any BodySink) async -> Bool {
        await BackgroundThreads.bodies.value {
            chunk.withUnsafeBytes { bytes in
                var rest = bytes
                while !rest.isEmpty {
                    guard let count = sink.write(rest) else { return false }
                    rest = UnsafeRawBufferPointer(rebasing: rest[min(count, rest.count)...])
                }
                return true
            }
        }
    }
}
