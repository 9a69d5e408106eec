import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// The decision after the end of a connection. It is a pure state machine that does not wait itself.
struct ReconnectionPlan {
    enum Action {
        case wait(Duration)
        case end
        case fail(DataTransferError)
    }

    private let options: EventStreamOptions
    /// The number of attempts in a row that received nothing.
    private var failures = 0

    init(_ options: EventStreamOptions) {
        self.options = options
    }

    /// Returns what follows the end of a connection.
    ///
    /// - Parameters:
    ///   - error: The error that ended or prevented the connection; `nil` if the body ended normally.
    ///   - hadSign: Whether an event or a comment was received.
    ///   - serverDelay: The last `retry:` value of the server.
    ///   - mayRepeat: Whether the request may be sent again (``SendRule``).
    mutating func connectionEnded(
        _ error: DataTransferError?, hadSign: Bool, serverDelay: Duration?, mayRepeat: Bool
    ) -> Action {
        if let error {
            if error.statusCode == 204 { return .end }
            guard mayRepeat, error.networkError?.allowsReconnection ?? error.isRetryable, !error.isCancelled else {
                return .fail(error)
            }
        } else if !mayRepeat {
            return .end
        }
        failures = hadSign ? 0 : failures + 1
        guard failures < max(1, options.maximumAttempts) else { return .fail(error ?? silence) }
        return .wait(pause(after: error, serverDelay))
    }

    private var silence: DataTransferError {
        let times = failures == 1 ? "" : ", \(failures) times in a row"
        return .networkFailure(.transport(TransportError(.connectionLost, "the stream ended without an event\(times)")))
    }

    private func pause(after error: DataTransferError?, _ serverDelay: Duration?) -> Duration {
        var backoff = options.backoff
        if let serverDelay { backoff.base = max(serverDelay, EventStreamOptions.minimumServerDelay) }
        return backoff.pause(afterFailures: failures, requested: error?.requestedPause, random: .random(in: 0..<1))
    }
}

extension DataTransferError {
    /// The pause for which the server asks (`Retry-After`); `nil` without one that is understood.
    package var requestedPause: Duration? {
        networkError?.response.flatMap { RetryAfter($0.headers).pause }
    }

    /// What is known of the request that has failed.
    package var fate: SendRule.Fate {
        if let response = networkError?.response { return response.fate }
        return networkError?.transportError?.fate ?? .responded
    }
}

extension RequestDescription {
    /// Whether the request may be sent once more after an attempt (``SendRule/permits(isIdempotent:after:canSendBodyAgain:)``).
    ///
    /// An `Idempotency-Key` counts if it is a field of the description, and so is the same in all of its requests; one that an interceptor adds
    /// is another one in each call.
    package func mayBeSentAgain(after fate: SendRule.Fate) -> Bool {
        SendRule.permits(
            isIdempotent: isIdempotent || headerParameters.contains("Idempotency-Key"), after: fate,
            canSendBodyAgain: body.flatMap { try? $0.content(encoder: encoder) }?.isReplayable ?? true)
    }
}
