import Endpoints

/// What a download that can go on where its body broke off, and the interceptor that decides on retries, tell each other: a body breaks off
/// behind all interceptors, when they have returned. Travels in the request's context.
package final class TransferContinuation: Sendable {
    /// Decides on another attempt after a failure, and waits for its time.
    ///
    /// - Throws: ``TransportError/Code/cancelled`` when the task is cancelled in the pause.
    package typealias Judge = @Sendable (TransportError) async throws(TransportError) -> Bool

    private let state = Locked<(attempts: Int, judge: Judge?)>((0, nil))

    package init() {}

    /// How often the download has been requested so far, by one exchange after another.
    package var attempts: Int { state.withLock { $0.attempts } }

    /// A response's head has come.
    ///
    /// - Parameter judge: Asked if its body breaks off.
    package func expectBody(ofAttempt attempt: Int, judge: @escaping Judge) {
        state.withLock { $0 = (attempt, judge) }
    }

    /// Whether to request what is missing now that the body has broken off. `false` where nobody decides on retries.
    ///
    /// - Throws: ``TransportError/Code/cancelled`` when the task is cancelled before it is time for that.
    package func mayContinue(after error: TransportError) async throws(TransportError) -> Bool {
        let judge = state.withLock { state in
            defer { state.judge = nil }
            return state.judge
        }
        guard let judge else { return false }
        return try await judge(error)
    }
}

private enum TransferContinuationKey: RequestContextKey {
    typealias Value = TransferContinuation
}

extension RequestContext {
    /// How the call can go on when its body breaks off; `nil` where it cannot.
    package var continuation: TransferContinuation? {
        get { self[TransferContinuationKey.self] }
        set { self[TransferContinuationKey.self] = newValue }
    }
}
