import Endpoints
import NetworkCore

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
    mutating func connectionEnded(_ error: DataTransferError?, hadSign: Bool, serverDelay: Duration?) -> Action {
        if let error {
            if error.statusCode == 204 { return .end }
            guard error.isRetryable, !error.isCancelled else { return .fail(error) }
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
        let longest = options.maximumDelay.clamped(to: .zero...(.longest))
        let base = serverDelay.map { max($0, EventStreamOptions.minimumServerDelay) } ?? options.delay
        var pause = min(max(.zero, base), longest)
        var doublings = failures - 1
        while doublings > 0, pause > .zero, pause < longest {
            pause = min(pause * 2, longest)
            doublings -= 1
        }
        if let seconds = error?.networkError?.response?.headers["Retry-After"]?.utf8.decimal(clampedTo: 1 << 31) {
            pause = min(max(pause, .seconds(seconds)), longest)
        }
        return pause
    }
}
