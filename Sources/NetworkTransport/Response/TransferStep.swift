import Endpoints
import NetworkLogging
import NetworkSupport

/// The part of a request in a transfer that consists of several requests, and continues with another one after a failure. It is part of the request's
/// context, so that an interceptor that retries counts the attempts of the whole transfer.
package enum TransferStep: Sendable {
    /// A request of a download to a file. If its body is interrupted, after all interceptors have returned, the download may request the rest.
    /// `attempts` is the number of attempts before.
    case download(attempts: Int)
    /// A request of a resumable upload, which continues with another request after any failure, so that this one is not sent again.
    /// `attempts` is the number of attempts since the last progress.
    case upload(attempts: Int)

    /// The number of attempts of the transfer before this request.
    package var attempts: Int {
        switch self {
        case .download(let attempts), .upload(let attempts): attempts
        }
    }
}

private enum TransferStepKey: ContextKey { typealias Value = TransferStep }

extension ContextValues {
    /// The part of the request in a transfer; `nil` for a call that consists of one request.
    package var transferStep: TransferStep? {
        get { self[TransferStepKey.self] }
        set { self[TransferStepKey.self] = newValue }
    }
}

/// An attempt of a transfer's request as an interceptor has counted it, with the policy that decides about the next one. The response or the error
/// carries it to the transfer.
package struct CountedAttempt: Sendable {
    private let parts: CopyOnWrite<(policy: any RetryAttemptPolicy, request: NetworkRequest, number: Int)>

    /// - Parameter request: The request. Nothing of it that observes the call is kept.
    package init(of request: NetworkRequest, number: Int, policy: any RetryAttemptPolicy) {
        var request = request
        request.callObserver = nil
        request.progress = nil
        request.onInformationalResponse = nil
        parts = CopyOnWrite((policy, request, number))
    }

    /// The number of the attempt in the transfer, counted from 1.
    package var number: Int { parts.value.number }

    /// Waits until another attempt of a download is due, after the body of this one was interrupted.
    ///
    /// - Parameter error: The interruption. Receives the reason if no other attempt follows although it is one that is retried.
    /// - Returns: Whether another attempt is to be made.
    /// - Throws: ``TransportError/Code/cancelled`` if the task is cancelled during the pause.
    package func permitsRest(after error: inout TransportError) async throws(TransportError) -> Bool {
        var attempt = RetryAttempt(of: parts.value.request, number: number, outcome: .failure(error))
        // The head has met such a deadline, and the next request has another one.
        if parts.value.request.headDeadline != nil { attempt.remaining = nil }
        let isPermitted = try await parts.value.policy.permitsRetry(after: &attempt)
        if case .failure(let failure) = attempt.outcome { error = failure }
        return isPermitted
    }

    /// Waits until another attempt of an upload is due, which continues with another request.
    ///
    /// - Returns: Whether another attempt is to be made.
    /// - Throws: ``TransportError/Code/cancelled`` if the task is cancelled during the pause.
    package func permitsNextRequest(
        after outcome: Result<NetworkResponse, TransportError>
    ) async throws(TransportError) -> Bool {
        var attempt = RetryAttempt(of: parts.value.request, number: number, outcome: outcome)
        // The next request asks for the position from which the upload continues, so no byte takes effect twice.
        attempt.request.isIdempotent = true
        return try await parts.value.policy.permitsRetry(after: &attempt)
    }
}

extension CountedAttempt: RedactedStringConvertible {
    package var description: String { "attempt \(number)" }
}

extension Result where Success == NetworkResponse, Failure == TransportError {
    /// The attempt of a transfer with this outcome; `nil` if no interceptor has counted it.
    package var countedAttempt: CountedAttempt? {
        switch self {
        case .success(let response): response.countedAttempt
        case .failure(let error): error.countedAttempt
        }
    }
}
