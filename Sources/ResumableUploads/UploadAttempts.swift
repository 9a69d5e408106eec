import DataTransfer
import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// The count of attempts in a row without progress, and the pauses after them.
///
/// If the service has an interceptor that retries, that decides after lost connections and temporary failures, and counts them. Otherwise, and
/// for responses that are particular to uploads, the options decide.
struct UploadAttempts {
    /// The number of failed requests since the latest progress, if an interceptor counts them.
    private var counted = 0
    private let options: UploadOptions
    private let deadline: Deadline?
    private var failures = 0
    /// The position up to which the server has had the file at some time.
    private var furthest: Int64 = 0

    init(_ options: UploadOptions, deadline: Deadline?) {
        self.options = options
        self.deadline = deadline
    }

    /// Forgets what the server has had, because another upload takes the place of the one that is gone. The count remains.
    mutating func restart() {
        furthest = 0
    }

    /// Begins to count again if the server has more bytes than ever before.
    mutating func reached(_ offset: Int64) {
        guard offset > furthest else { return }
        furthest = offset
        failures = 0
        counted = 0
    }

    /// The part of the next request in the upload.
    var step: TransferStep { .upload(attempts: counted) }

    /// Returns whether another attempt follows a failed request, when it is time for it.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/cancelled`` when the task is cancelled during the pause.
    mutating func mayContinue(after error: DataTransferError) async throws(TransportError) -> Bool {
        guard !Task.isCancelled, !error.isCancelled else { return false }
        if let outcome = error.networkError?.outcome, let attempt = outcome.countedAttempt {
            counted = attempt.number
            return try await attempt.permitsNextRequest(after: outcome)
        }
        guard error.networkError?.allowsReconnection == true else { return false }
        // After the deadline, no attempt could follow; the failure says more than the deadline.
        guard let pause = nextPause(requested: error.requestedPause), !endsAfterDeadline(pause) else { return false }
        try await wait(pause)
        return true
    }

    /// Waits before the next attempt, and returns `true`; returns `false` at once if no attempt is left.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/timedOut`` if the deadline would pass during the pause, and
    ///   ``NetworkCore/TransportError/Code/cancelled`` when the task is cancelled.
    mutating func pause() async throws(TransportError) -> Bool {
        guard let pause = nextPause(requested: nil) else { return false }
        if let deadline, endsAfterDeadline(pause) { throw .uploadTimedOut(deadline) }
        try await wait(pause)
        return true
    }

    /// Counts an attempt without progress and returns the pause after it; `nil` if it was the last one.
    ///
    /// - Parameter requested: The pause that the server asks for.
    private mutating func nextPause(requested: Duration?) -> Duration? {
        failures += 1
        guard failures < options.maximumAttempts else { return nil }
        return options.backoff.pause(afterFailures: failures, requested: requested, random: .random(in: 0..<1))
    }

    private func endsAfterDeadline(_ pause: Duration) -> Bool {
        deadline.map { pause >= $0.remaining } ?? false
    }

    private func wait(_ pause: Duration) async throws(TransportError) {
        do {
            try await options.clock.sleep(bounded: pause)
        } catch {
            throw .taskCancelled()
        }
    }
}

extension TransportError {
    /// The error after the deadline of an upload, which applies to all of its requests and pauses together.
    static func uploadTimedOut(_ deadline: Deadline) -> TransportError {
        TransportError(.timedOut, "the deadline of \(deadline.limit) for the whole upload ran out (\(deadline.source))")
    }
}
