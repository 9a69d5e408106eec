import Endpoints
import Foundation
import NetworkSupport

/// Performs one call on the wire: sends its request and receives the response, then does the same for each redirect that is followed.
///
/// This is what an engine implements, and nothing else: redirects, cookies, hosts that are contacted over TLS only, limits, progress and
/// the completion are up to the ``CallDriver``. The driver calls ``send(_:cookies:)``, and the exchange passes exactly one outcome to the driver for that:
///
/// - ``CallDriver/receive(_:)`` with the response, or with the head of one that is streamed, and
/// - ``CallDriver/end(_:)`` when it has failed, and at the end of a streamed body.
///
/// A response for which ``CallDriver/mayFollow(status:hasLocation:)`` is `true` may be followed: the exchange then ends with the next
/// ``send(_:cookies:)``, with ``receiveBody()`` or with ``withdraw()``.
///
/// The methods are called on any thread, one at a time except for ``withdraw()``, and never under a lock of the driver.
@_spi(SessionManagers) public protocol Exchange: NetworkCancellable, AnyObject {
    /// The driver of the call.
    var driver: CallDriver { get }

    /// Sends a request: that of the call, and afterwards those that redirects lead to. What is left of the response before is dropped.
    ///
    /// - Parameter cookies: The stored cookies to send after those of the request itself; `nil` if there are none.
    func send(_ request: NetworkRequest, cookies: String?)

    /// Receives the body of a redirect that is returned as the response, after a head with ``ExchangeResponse/isBodyPending``.
    func receiveBody()

    /// Ends what is under way, because the call was cancelled or needs no further exchange. It may have ended already.
    func withdraw()

    /// Runs a completion of the caller. Default: on ``BackgroundThreads/completions``.
    func run(_ completion: @escaping @Sendable () -> Void)
}

extension Exchange {
    /// Cancels the call and returns at once.
    public func cancel() {
        driver.cancel(self)
    }

    /// Receives nothing: the exchange has received the whole response already.
    public func receiveBody() {}

    /// Runs the completion on ``BackgroundThreads/completions``.
    public func run(_ completion: @escaping @Sendable () -> Void) {
        BackgroundThreads.completions.run(completion)
    }
}

/// A response as an exchange delivers it.
@_spi(SessionManagers) public struct ExchangeResponse: Sendable {
    /// The header fields, parsed or as they were received.
    package enum Fields: Sendable {
        case lines(ResponseHead)
        case parsed(HeaderFields)
        /// Fields of equal names were joined with commas.
        case joined(HeaderFields)
    }

    /// What follows the head.
    package enum ResponseContent: Sendable {
        /// The whole body.
        case data(PaddedBytes)
        /// A body that the exchange itself provides.
        case body(NetworkBody)
        /// The body arrives through ``CallDriver/download``.
        case download
        /// The connection was switched to another protocol.
        case upgraded(Upgrade)
    }

    /// What is passed on to the caller. Its body is empty if ``isDownload`` is `true`.
    package var response: NetworkResponse
    /// Whether the body arrives through ``CallDriver/download``.
    let isDownload: Bool
    private let areFieldsJoined: Bool
    /// Whether it was received over TLS from a server whose certificate was verified.
    let isVerified: Bool
    /// Whether it is a redirect that may be followed, for which the exchange waits for a decision.
    package let mayBeFollowed: Bool
    /// Whether it is such a redirect whose body the exchange has not received.
    package let isBodyPending: Bool
    /// Whether the body of the request can be sent to the target of a redirect.
    let canSendBodyAgain: Bool

    /// Creates a response of an engine of this package.
    package init(
        status: Int, fields: Fields, content: ResponseContent, lazyURL: LazyURL, timings: TransferTimings, isVerified: Bool,
        mayBeFollowed: Bool = false, isBodyPending: Bool = false, canSendBodyAgain: Bool = true
    ) {
        var (body, upgrade, isDownload, areFieldsJoined) = (NetworkBody.empty, nil as Upgrade?, false, false)
        switch content {
        case .data(let bytes): body = NetworkBody(source: .data(bytes))
        case .body(let content): body = content
        case .download: isDownload = true
        case .upgraded(let connection): upgrade = connection
        }
        let (headers, trailers): (HeaderFields, HeaderFields)
        switch fields {
        case .lines(let head): (headers, trailers) = (head.headers, head.trailers)
        case .parsed(let fields): (headers, trailers) = (fields, [:])
        case .joined(let fields):
            (headers, trailers) = (fields, [:])
            areFieldsJoined = true
        }
        response = NetworkResponse(
            statusCode: status, headers: headers, trailers: trailers, body: body, lazyURL: lazyURL, timings: timings,
            upgrade: upgrade)
        self.isDownload = isDownload
        self.areFieldsJoined = areFieldsJoined
        self.isVerified = isVerified
        self.mayBeFollowed = mayBeFollowed
        self.isBodyPending = isBodyPending
        self.canSendBodyAgain = canSendBodyAgain
    }

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The status of a final response, 200 or more.
    ///   - headers: The header fields.
    ///   - body: The body, in memory unless the request is streamed. Ignored if `isBodyPending` is `true`.
    ///   - request: The request that the response belongs to.
    ///   - timings: What is known of the call so far.
    ///   - isVerified: Whether it was received over TLS from a server whose certificate was verified: only then is
    ///     `Strict-Transport-Security` followed.
    ///   - mayBeFollowed: What ``CallDriver/mayFollow(status:hasLocation:)`` has returned.
    ///   - isBodyPending: Whether the body was not received yet; only if `mayBeFollowed` is `true`. Then ``Exchange/receiveBody()`` is called if
    ///     the redirect is returned.
    public init(
        status: Int, headers: HeaderFields, body: NetworkBody, of request: NetworkRequest, timings: TransferTimings,
        isVerified: Bool, mayBeFollowed: Bool, isBodyPending: Bool = false
    ) {
        self.init(
            status: status, fields: .parsed(headers), content: .body(body), lazyURL: request.lazyURL, timings: timings,
            isVerified: isVerified, mayBeFollowed: mayBeFollowed, isBodyPending: isBodyPending,
            canSendBodyAgain: request.hasReplayableBody)
    }

    /// The `Strict-Transport-Security` fields.
    var strictTransportFields: [String] {
        let values = response.headers.values(for: "Strict-Transport-Security")
        // A valid field does not contain a comma outside of quotes.
        guard areFieldsJoined, let first = values.first else { return values }
        return first.parts(at: ",").prefix(1).map { String($0) }
    }
}
