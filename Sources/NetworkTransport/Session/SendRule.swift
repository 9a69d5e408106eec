import Endpoints

/// Decides whether a request may be sent, or sent again (RFC 9110 §9.2.2).
///
/// Every part of the package that sends a request once more uses ``permits(isIdempotent:after:canSendBodyAgain:)``. A value of this type
/// adds what the engine has done with a request so far: the engine itself repeats only what was lost with a connection, and only once.
///
/// An idempotent request is sent at most twice by the engine, the second time on a new connection, and any other request once. Requests that the
/// server reports as not processed are exempt (RFC 9113 §8.7).
package struct SendRule: Sendable {
    /// What is known of an attempt to send a request that did not lead to a complete response.
    package enum Fate: Sendable, CaseIterable {
        /// No byte of the request was sent, or the server has stated that it has not processed it (RFC 9113 §8.7).
        case unprocessed
        /// Bytes of it may have been sent, and nothing was received: the server may have processed it.
        case unknown
        /// The response has begun, or is complete: the server has processed it, at least in part.
        case responded
    }

    /// Whether a request may be sent once more, as far as its meaning is concerned: it is idempotent or was not processed, and its body
    /// can be read again. How often, and whether that is useful, is decided by the caller.
    package static func permits(isIdempotent: Bool, after fate: Fate, canSendBodyAgain: Bool) -> Bool {
        canSendBodyAgain && (isIdempotent || fate == .unprocessed)
    }

    /// How often a request is sent again because the server has refused to process it.
    package static let maximumRefusals = 64

    /// Whether the engine itself may send the request once more, without an interceptor that knows of it: one that was not processed, which
    /// servers refuse at most ``maximumRefusals`` times, or one that was lost with a connection that the server may have closed before
    /// (RFC 9112 §9.3.1), and that the engine has not repeated.
    ///
    /// - Parameter wasReused: Whether the connection had been used before.
    package func permitsRepetition(isIdempotent: Bool, after fate: Fate, wasReused: Bool, canSendBodyAgain: Bool) -> Bool {
        guard Self.permits(isIdempotent: isIdempotent, after: fate, canSendBodyAgain: canSendBodyAgain) else { return false }
        return fate == .unprocessed ? refusals < Self.maximumRefusals : fate == .unknown && wasReused && !isRepeated
    }

    package init() {}

    /// Whether it was, or is about to be, sent again although the server may have processed it.
    package private(set) var isRepeated = false
    /// Whether it must be sent on a connection that was not used before.
    package private(set) var needsFreshConnection = false
    /// How often the server has refused to process the request.
    private var refusals = 0

    /// Records that the request is about to be sent again, on a new connection.
    package mutating func repeatOnFreshConnection() {
        isRepeated = true
        needsFreshConnection = true
    }

    /// Records that the server has refused to process the request (RFC 9113 §8.7).
    package mutating func noteRefusal() {
        refusals += 1
    }

    /// Requires a new connection for a request of which no byte was sent.
    package mutating func useFreshConnection() {
        needsFreshConnection = true
    }
}

extension NetworkRequest {
    /// Whether the body, if there is one, can be sent again from its start.
    package var hasReplayableBody: Bool { body?.isReplayable ?? true }

    /// Whether the request may be sent once more after an attempt (``SendRule/permits(isIdempotent:after:canSendBodyAgain:)``).
    package func mayBeSentAgain(after fate: SendRule.Fate) -> Bool {
        SendRule.permits(isIdempotent: isIdempotent, after: fate, canSendBodyAgain: hasReplayableBody)
    }

    /// Whether the request may be sent once more after a response.
    package func mayBeSentAgain(after response: NetworkResponse) -> Bool {
        mayBeSentAgain(after: response.fate)
    }
}

extension TransportError {
    /// What is known of the request that has failed. The phase is that of the last request of the call: if there was a redirect, the server
    /// that responded with it may have processed the first one.
    package var fate: SendRule.Fate {
        if let timings, timings.redirects > 0 { return .responded }
        switch phase {
        case .queued, .nameLookup, .connect, .tls: return .unprocessed
        case .send, .firstByte: return .unknown
        case .receive: return .responded
        case nil:
            let isBefore: [Code] = [
                .nameLookupFailed, .cannotConnect, .tlsFailed, .trustUnavailable, .invalidRequest, .invalidConfiguration,
                .unsupported,
            ]
            return isBefore.contains(code) ? .unprocessed : .unknown
        }
    }
}

extension NetworkResponse {
    /// What is known of the request that led to this response. There are statuses with which a server refuses a request without processing it:
    /// it needs credentials (401, 407), a length (411), another content (415), no expectation (417), another connection (421), or no early data
    /// (425) (RFC 9110 §15.5, RFC 8470 §5.2). After a redirect, the first request may have been processed.
    package var fate: SendRule.Fate {
        let isRefusal = [401, 407, 411, 415, 417, 421, 425].contains(statusCode) && timings.redirects == 0
        return isRefusal ? .unprocessed : .responded
    }
}

extension Result where Success == NetworkResponse, Failure == TransportError {
    /// What is known of the request that led to this outcome.
    package var fate: SendRule.Fate {
        switch self {
        case .success(let response): response.fate
        case .failure(let error): error.fate
        }
    }
}
