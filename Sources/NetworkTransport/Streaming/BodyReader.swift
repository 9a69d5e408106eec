import Endpoints
import Foundation
import NetworkSupport

/// Reads a body from its file or its sequence in pieces, as fast as they are requested.
final class BodyReader: Sendable {
    private struct State {
        var writer: BodyWriter?
        var isStopped = false
    }

    private let body: NetworkBody
    private let state = Locked(State())

    /// - Parameter body: A body from a file or a sequence. It is not read before the first call of ``next()``.
    init(_ body: NetworkBody) {
        self.body = body
    }

    /// Returns the next piece; `nil` at the end. Called by one task at a time.
    ///
    /// - Throws: ``TransportError/Code/bodyFailed`` or ``TransportError/Code/bodyNotReplayable``; ``TransportError/Code/cancelled``
    ///   after ``stop()``.
    package func next() async throws(TransportError) -> Data? {
        try await writer().pipe.next()
    }

    /// Stops reading. A waiting call of ``next()`` throws an error.
    package func stop() {
        let writer = state.withLock { state in
            state.isStopped = true
            return state.writer
        }
        writer?.stop()
    }

    private func writer() -> BodyWriter {
        if let writer = state.withLock(\.writer) { return writer }
        let writer = BodyWriter(body, request: nil) {}
        let isStopped = state.withLock { state in
            state.writer = writer
            return state.isStopped
        }
        if isStopped { writer.stop() }
        return writer
    }
}
