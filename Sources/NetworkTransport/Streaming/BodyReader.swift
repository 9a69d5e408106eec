import Endpoints
import Foundation
import NetworkSupport

/// Reads a body from its file or its sequence in pieces, as fast as they are requested.
final class BodyReader: Sendable {
    private struct State {
        var writer: BodyWriter?
        var waiting: UnsafeContinuation<Void, Never>?
        /// Whether bytes have arrived since the pipe was last read.
        var hasBytes = false
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
        let pipe = try writer().pipe
        while true {
            if state.withLock(\.isStopped) { throw stopped }
            if let chunk = pipe.takeLargeChunk() { return chunk }
            var piece = Data(count: RequestBodyPipe.largeBytes)
            switch piece.withUnsafeMutableBytes({ pipe.read(into: $0) }) {
            case .bytes(let count): return piece.prefix(count)
            case .end: return nil
            case .failed: throw pipe.failure ?? stopped
            case .wait: await bytes()
            }
        }
    }

    /// Stops reading. A waiting call of ``next()`` throws an error.
    package func stop() {
        let (writer, waiting) = state.withLock { state in
            defer { state.waiting = nil }
            state.isStopped = true
            return (state.writer, state.waiting)
        }
        writer?.stop()
        waiting?.resume()
    }

    private var stopped: TransportError { TransportError(.cancelled, "the body is no longer read", phase: .send) }

    private func writer() throws(TransportError) -> BodyWriter {
        if let writer = state.withLock(\.writer) { return writer }
        let writer = BodyWriter(body, request: nil) { [weak self] in self?.noteBytes() }
        let isStopped = state.withLock { state in
            state.writer = writer
            return state.isStopped
        }
        if isStopped {
            writer.stop()
            throw stopped
        }
        return writer
    }

    /// Waits until there is something to read, or the body was stopped.
    private func bytes() async {
        await withUnsafeContinuation { continuation in
            let isReady = state.withLock { state in
                defer { state.hasBytes = false }
                if state.hasBytes || state.isStopped { return true }
                state.waiting = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
    }

    private func noteBytes() {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            state.hasBytes = state.waiting == nil
            return state.waiting
        }
        waiting?.resume()
    }
}
