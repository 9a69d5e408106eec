import Endpoints

/// The state of a call, without locks, clocks and sockets: which event ends it, and which receiver gets what.
///
/// A call alternates between two states: an outcome of its exchange is awaited by a receiver, or the driver decides what follows. What ends
/// the call in the meantime is kept until a receiver is there.
struct CallState<Receiver> {
    private enum Stage {
        /// The call has not begun, or the driver decides what follows an outcome.
        case undecided
        /// The receiver awaits the outcome of the exchange.
        case awaited(Receiver)
        /// The outcome of the call was delivered.
        case over
    }

    private var stage = Stage.undecided
    /// What has ended the call while no receiver was there.
    private var failure: TransportError?
    /// The current request: that of the caller, or of the latest redirect.
    private(set) var request: NetworkRequest
    /// The redirects that were followed.
    private(set) var trail = RedirectTrail()

    init(_ request: NetworkRequest) {
        self.request = request
    }

    /// Whether the outcome of an exchange is awaited: the call has begun, and was not cancelled.
    var isAwaited: Bool { if case .awaited = stage { true } else { false } }

    /// Registers the receiver of the next outcome.
    ///
    /// - Returns: What has ended the call before: the receiver gets it, and nothing is to be sent.
    mutating func await(_ receiver: Receiver) -> TransportError? {
        if let failure {
            stage = .over
            return failure
        }
        stage = .awaited(receiver)
        return nil
    }

    /// Receives a response.
    ///
    /// - Parameter isLast: Whether no further exchange can follow.
    /// - Returns: The receiver of the response; `nil` if the call was ended before.
    mutating func respond(isLast: Bool) -> Receiver? {
        guard case .awaited(let receiver) = stage else { return nil }
        stage = isLast ? .over : .undecided
        return receiver
    }

    /// Ends the call with an error, unless its outcome was delivered before.
    ///
    /// - Returns: The receiver of the error, and whether the call had not ended.
    mutating func fail(_ error: TransportError) -> (receiver: Receiver?, wasOpen: Bool) {
        switch stage {
        case .awaited(let receiver):
            stage = .over
            return (receiver, true)
        case .undecided:
            let wasOpen = failure == nil
            if wasOpen { failure = error }
            return (nil, wasOpen)
        case .over: return (nil, false)
        }
    }

    /// Ends the call with what was received last, because it is not followed.
    ///
    /// - Returns: What has ended the call before.
    mutating func settle() -> TransportError? {
        stage = .over
        return failure
    }

    /// Makes the request that a redirect leads to the current one.
    mutating func follow(_ next: NetworkRequest) {
        trail.append(request)
        request = next
    }
}
