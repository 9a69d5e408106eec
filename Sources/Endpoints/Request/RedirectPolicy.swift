import Foundation
import NetworkLogging

/// What happens when the response to a request is a redirect (RFC 9110 §15.4).
///
/// ```swift
/// var login = Endpoint<Void>(path: "login", method: .post)
/// login.redirects = .doNotFollow
/// login.acceptedStatuses = [302]
/// ```
///
/// A redirect is a response with status 301, 302, 303, 307 or 308 and a `Location` field, or with status 300 and a `Location` field if the
/// method is safe. The rules of the session manager apply to each policy: the maximum number of redirects, no redirect from https to
/// http, and no credentials for another origin.
public struct RedirectPolicy: Sendable {
    /// What happens with one redirect.
    public enum Decision: Sendable, Hashable {
        /// The redirect is followed. 303 changes the method to GET, except HEAD; 301 and 302 change POST to GET.
        case follow
        /// The redirect is followed. The method and the body stay the same after 301 and 302; 303 changes the method to GET, because it
        /// names another resource (RFC 9110 §15.4.4). A body that can be read only once cannot be sent again, which is an error.
        case keepMethod
        /// The redirect is returned as the response, with its body.
        case doNotFollow
        /// The request fails with `redirectRefused` and this reason.
        case refuse(String)
    }

    private enum Rule: Sendable {
        case always(Decision)
        case closure(@Sendable (Redirect) -> Decision)
    }

    private let rule: Rule

    /// Redirects are followed. This is the default.
    public static let follow = RedirectPolicy(rule: .always(.follow))
    /// Redirects are returned as the response. Their statuses are errors unless the endpoint accepts them
    /// (``RequestDescription/acceptedStatuses``).
    public static let doNotFollow = RedirectPolicy(rule: .always(.doNotFollow))
    /// Redirects are followed, and a POST stays a POST after 301 and 302. See ``Decision/keepMethod``.
    public static let keepMethod = RedirectPolicy(rule: .always(.keepMethod))

    /// A closure decides about each redirect.
    ///
    /// ```swift
    /// endpoint.redirects = .decide {
    ///     $0.target.host == $0.request.url.host ? .follow : .refuse("another host")
    /// }
    /// ```
    ///
    /// A redirect that the session manager refuses, such as one to another scheme than http and https, is not passed to it.
    ///
    /// - Parameter decide: Called once for each redirect, as soon as the head of the response was received: on the caller's task, or for a call with
    ///   a completion, where the completion runs.
    public static func decide(_ decide: @escaping @Sendable (Redirect) -> Decision) -> RedirectPolicy {
        RedirectPolicy(rule: .closure(decide))
    }

    /// Whether the policy is ``follow``.
    package var isDefault: Bool {
        if case .always(.follow) = rule { true } else { false }
    }

    /// Whether every redirect is followed without asking the caller.
    package var followsAll: Bool {
        switch rule {
        case .always(.follow), .always(.keepMethod): true
        case .always(.doNotFollow), .always(.refuse), .closure: false
        }
    }

    /// Whether the policy is ``doNotFollow``, for which a redirect need not be valid.
    package var followsNone: Bool {
        if case .always(.doNotFollow) = rule { true } else { false }
    }

    /// Returns what happens with a redirect.
    package func decision(on redirect: @autoclosure () -> Redirect) -> Decision {
        switch rule {
        case .always(let decision): decision
        case .closure(let decide): decide(redirect())
        }
    }
}

/// A redirect about which a ``RedirectPolicy`` decides.
public struct Redirect: Sendable {
    /// The request that was redirected: that of the caller, or of the redirect before.
    public let request: NetworkRequest
    /// The status of the response: 300, 301, 302, 303, 307 or 308.
    public let statusCode: Int
    /// The header fields of the response.
    public let headers: HeaderFields
    /// The URL to which the redirect leads: the resolved `Location`, without user information.
    public let target: URL
    /// The number of redirects that were followed before.
    public let count: Int

    /// Creates a redirect, to test a closure of ``RedirectPolicy/decide(_:)``.
    public init(request: NetworkRequest, statusCode: Int, headers: HeaderFields = [:], target: URL, count: Int = 0) {
        self.request = request
        self.statusCode = statusCode
        self.headers = headers
        self.target = target
        self.count = count
    }
}

extension Redirect: RedactedStringConvertible {
    /// The status, the URLs of the request and of its target, without secrets.
    public var description: String {
        "Redirect(\(statusCode), from \(URLText(request.urlText).originAndPath) to \(URLText(target).originAndPath))"
    }
}
