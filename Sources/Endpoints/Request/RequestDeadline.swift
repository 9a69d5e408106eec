/// What an endpoint says to the deadline of the service that is asked for it.
///
/// ```swift
/// Endpoint<Report>(path: "report", timeouts: RequestTimeouts(deadline: .limit(.seconds(300))))
/// Endpoint<Data>(path: "export", timeouts: RequestTimeouts(deadline: .unlimited), responseDecoder: .rawData)
/// ```
///
/// A deadline bounds a call whose body is collected in memory as a whole: all attempts, pauses, lines and redirects, until the last byte.
/// Of a stream or a download it bounds the time until the head of the response has come, and from then on the time in which no byte
/// comes; however long the body takes, it does not end it.
public struct RequestDeadline: Sendable, Hashable {
    /// `nil` for none.
    package let limit: Duration?
    package let isDefault: Bool

    /// The service's: that of its `DeadlineInterceptor`, if it has one. What holds unless said otherwise.
    public static let `default` = RequestDeadline(limit: nil, isDefault: true)

    /// None; the time limits of ``RequestTimeouts`` and of the session manager hold.
    public static let unlimited = RequestDeadline(limit: nil, isDefault: false)

    /// So long from the call on, whether the service's own deadline is longer or shorter, or there is none.
    ///
    /// - Parameter limit: From 1 millisecond to 10^6 seconds; others are refused when the request is built.
    public static func limit(_ limit: Duration) -> RequestDeadline { RequestDeadline(limit: limit, isDefault: false) }
}
