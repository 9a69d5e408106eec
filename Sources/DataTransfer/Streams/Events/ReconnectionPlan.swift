import Endpoints
import NetworkCore

/// Decides what follows the end of a connection; waits for nothing itself.
struct ReconnectionPlan {
    enum Action {
        case wait(Duration)
        case end
        case fail(DataTransferError)
    }

    private let reconnection: EventReconnection
    /// Attempts in a row that brought nothing.
    private var failures = 0

    init(_ reconnection: EventReconnection) {
        self.reconnection = reconnection
    }

    /// - Parameters:
    ///   - error: What ended the connection, or kept it from being made; `nil` where it ended as a body ends.
    ///   - hadSign: Whether it brought an event or a comment.
    ///   - serverDelay: What the server's latest `retry:` said.
    mutating func connectionEnded(_ error: DataTransferError?, hadSign: Bool, serverDelay: Duration?) -> Action {
        if let error {
            if error.statusCode == 204 { return .end }
            guard error.isRetryable, !error.isCancelled else { return .fail(error) }
        }
        failures = hadSign ? 0 : failures + 1
        guard failures < max(1, reconnection.maximumAttempts) else { return .fail(error ?? silence) }
        return .wait(pause(after: error, serverDelay))
    }

    private var silence: DataTransferError {
        let times = failures == 1 ? "" : ", \(failures) times in a row"
        return .networkFailure(.transport(TransportError(.connectionLost, "the stream ended without an event\(times)")))
    }

    private func pause(after error: DataTransferError?, _ serverDelay: Duration?) -> Duration {
        let longest = reconnection.maximumDelay.clamped(to: .zero...(.longest))
        let base = serverDelay.map { max($0, EventReconnection.minimumServerDelay) } ?? reconnection.delay
        var pause = min(max(.zero, base), longest)
        var doublings = failures - 1
        while doublings > 0, pause > .zero, pause < longest {
            pause = min(pause * 2, longest)
            doublings -= 1
        }
        if let seconds = error?.networkError?.response?.headers["Retry-After"].flatMap({ Int32($0) }) {
            pause = min(max(pause, .seconds(seconds)), longest)
        }
        return pause
    }
}
