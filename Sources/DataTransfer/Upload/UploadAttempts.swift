import Endpoints
import Foundation
import NetworkCore

/// The count of attempts in a row without progress, and the pauses after them.
///
/// If the service has an interceptor that retries, that decides after lost connections and temporary failures, and counts them. Otherwise, and
/// for responses that are particular to uploads, the options decide.
struct UploadAttempts {
    /// The means by which the interceptor decides; another one since the latest progress.
    private(set) var continuation = TransferContinuation(handlesFailures: true)
    private let options: UploadOptions
    private var failures = 0
    /// The position up to which the server has had the file at some time.
    private var furthest: Int64 = 0

    init(_ options: UploadOptions) {
        self.options = options
    }

    /// Begins to count again if the server has more bytes than ever before.
    mutating func reached(_ offset: Int64) {
        guard offset > furthest else { return }
        furthest = offset
        failures = 0
        continuation = TransferContinuation(handlesFailures: true)
    }

    /// Returns whether another attempt follows a failed request, when it is time for it.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/cancelled`` when the task is cancelled during the pause.
    mutating func mayContinue(after error: DataTransferError) async throws(TransportError) -> Bool {
        guard !Task.isCancelled, !error.isCancelled else { return false }
        if continuation.isDecided {
            guard let failure = error.networkError else { return false }
            let cause = failure.transportError ?? TransportError(.other, "status \(failure.statusCode ?? 0)")
            return try await continuation.mayContinue(after: cause)
        }
        guard error.networkError?.isRetryable == true else { return false }
        return try await pause(requested: error.networkError?.response?.headers["Retry-After"]?.utf8.decimal(clampedTo: 1 << 31))
    }

    /// Waits before the next attempt, and returns `true`; returns `false` at once if no attempt is left.
    ///
    /// - Parameter requested: The pause that the server asks for, in seconds.
    /// - Throws: ``NetworkCore/TransportError/Code/cancelled`` when the task is cancelled.
    mutating func pause(requested: Int64?) async throws(TransportError) -> Bool {
        failures += 1
        guard failures < options.maximumAttempts else { return false }
        let pause = options.pause(afterAttempts: failures, requested: requested, random: .random(in: 0..<1))
        do {
            try await options.clock.sleep(bounded: pause)
        } catch {
            throw .taskCancelled()
        }
        return true
    }
}
