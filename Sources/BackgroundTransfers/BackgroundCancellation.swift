import NetworkTransport

/// The reason for which the system has cancelled a transfer (`NSURLErrorBackgroundTaskCancelledReasonKey`).
struct BackgroundCancellation: Sendable {
    /// The number of the reason.
    var reason: Int

    /// The error of the transfer. Its code is not `cancelled`, because the app has not cancelled it.
    var transportError: TransportError {
        let message =
            switch reason {
            case 0: "the user has ended the app"
            case 1: "the user has switched off background updates of the app"
            case 2: "the system has not enough resources"
            default: "reason \(reason)"
            }
        return TransportError(.connectionLost, "the system has cancelled the transfer: \(message)")
    }
}
