import Endpoints
import NetworkCore
import NetworkLogging
import NetworkSupport

/// An event of an observed call. It contains no query, no header field that could be secret, and no body.
public struct ExchangeEvent: Sendable {
    /// The kind of an event, with its details.
    public enum Kind: Sendable {
        /// The call has started, with the request that the service built.
        case queued
        /// The interceptors have processed the request, and an attempt starts. Attempts are counted from 1.
        case adapted(attempt: Int, headers: HeaderFields)
        /// The attempt has got a connection and the request is being sent.
        ///
        /// Reported when the attempt has ended, with the time at which it occurred.
        case sent(attempt: Int)
        /// The first byte of the response has arrived.
        ///
        /// Reported when the attempt has ended, with the time at which it occurred.
        case firstByte(attempt: Int)
        /// The attempt has followed a number of redirects.
        case redirected(attempt: Int, count: Int)
        /// An attempt has ended, with its outcome and timings.
        indirect case attempted(attempt: Int, Outcome, TransferTimings?)
        /// Another attempt follows after a pause.
        case retried(after: Duration, because: String)
        /// A remark, for example about a malformed field that was ignored.
        ///
        /// That an informational response such as 103 was received is reported when the attempt has ended.
        case noted(String)
        /// The call has ended. A streamed response has been read to its end or released.
        case done(Outcome, attempts: Int)
    }

    /// The outcome of an attempt or a call.
    public enum Outcome: Sendable, Hashable {
        /// A response with this status was received.
        case status(Int)
        /// The attempt or call failed with this error.
        case failure(TransportError.Code)
    }

    /// The number of the call among those of one interceptor, counted from 1.
    public var exchange: Int
    /// The method of the request, such as `GET`.
    public var method: RequestMethod
    /// The origin and path of the URL, without query and user information.
    public var target: String {
        get { place.text }
        set { place = .text(newValue) }
    }
    private var place: ObservedPlace
    /// The time of the event since the creation of the interceptor.
    public var time: Duration
    /// The kind of the event.
    public var kind: Kind

    init(exchange: Int, method: RequestMethod, place: ObservedPlace, time: Duration, kind: __owned Kind) {
        self.exchange = exchange
        self.method = method
        self.place = place
        self.time = time
        self.kind = kind
    }
}

/// The origin and path of a call: the text is composed from the URL when it is first read.
enum ObservedPlace: RedactedStringConvertible, Sendable {
    /// The place of a call under observation. All its events share the text.
    case call(Locked<ObservedCall>)
    case text(String)

    /// The text, so that no description of an event contains the URL.
    var description: String { text }

    var text: String {
        switch self {
        case .text(let text): return text
        case .call(let call):
            let (known, url) = call.withLock { ($0.target, $0.url) }
            if let known { return known }
            let text = URLText(url).originAndPath
            call.withLock { $0.target = text }
            return text
        }
    }
}
