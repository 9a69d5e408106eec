import Endpoints
import NetworkSupport

/// Connects a resumable download or upload with the interceptor that decides on retries.
///
/// A download's body is interrupted after all interceptors have returned, and the request that continues an upload is not the one that
/// failed, so the transfer consults the interceptor through this object. It is part of the request's context.
package final class TransferContinuation: Sendable {
    /// Decides whether to make another attempt after a failure, and waits until it is due.
    ///
    /// - Throws: ``TransportError/Code/cancelled`` when the task is cancelled during the wait.
    package typealias Decision = @Sendable (TransportError) async throws(TransportError) -> Bool

    // A class, because systems before macOS 15 have no metadata of functions with typed errors, which an optional of one needs.
    private final class Decider: Sendable {
        let decide: Decision

        init(_ decide: @escaping Decision) { self.decide = decide }
    }

    private let state = Locked<(attempts: Int, decider: Decider?)>((0, nil))

    /// Whether the caller continues after each failed request, for which the interceptor then makes no other attempt.
    package let handlesFailures: Bool

    package init(handlesFailures: Bool = false) {
        self.handlesFailures = handlesFailures
    }

    /// Whether an interceptor decides on the failure of the latest request.
    package var isDecided: Bool { state.withLock { $0.decider != nil } }

    /// The number of attempts of the transfer so far, over all exchanges.
    package var attempts: Int { state.withLock { $0.attempts } }

    /// Records that a response's head was received, or that a request whose caller continues has failed.
    ///
    /// - Parameter decide: Called if the response's body is interrupted, or after the failure.
    package func expectBody(ofAttempt attempt: Int, decide: @escaping Decision) {
        state.withLock { $0 = (attempt, Decider(decide)) }
    }

    /// Removes the decision that belongs to an earlier request.
    package func forgetDecision() {
        state.withLock { $0.decider = nil }
    }

    /// Returns whether to request the missing bytes after the body was interrupted; `false` if no interceptor decides on retries.
    ///
    /// - Throws: ``TransportError/Code/cancelled`` when the task is cancelled during the wait.
    package func mayContinue(after error: TransportError) async throws(TransportError) -> Bool {
        let decider = state.withLock { state in
            defer { state.decider = nil }
            return state.decider
        }
        guard let decider else { return false }
        return try await decider.decide(error)
    }
}

private enum TransferContinuationKey: ContextKey { typealias Value = TransferContinuation }

extension ContextValues {
    /// The means to continue the call after its body was interrupted; `nil` if it cannot be continued.
    package var continuation: TransferContinuation? {
        get { self[TransferContinuationKey.self] }
        set { self[TransferContinuationKey.self] = newValue }
    }
}
