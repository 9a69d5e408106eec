import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// A header field in which a server asks for a pause before another attempt.
public struct PauseField: RawRepresentable, Hashable, Sendable {
    /// The name of the field.
    public let rawValue: String

    /// Creates a field. Names other than those of the constants are ignored.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `Retry-After` (RFC 9110 §10.2.3): seconds, also with a fraction or a unit, or a date, also in the form of RFC 3339 or with another
    /// zone than GMT.
    public static let retryAfter = PauseField(rawValue: "Retry-After")
    /// `retry-after-ms`, a number of milliseconds, as several APIs of language models send it beside `Retry-After`.
    public static let retryAfterMilliseconds = PauseField(rawValue: "retry-after-ms")
    /// `RateLimit` with `r=0` and a time (draft-ietf-httpapi-ratelimit-headers-10), and the forms of earlier drafts: `remaining=0, reset=30`,
    /// or `RateLimit-Remaining: 0` and `RateLimit-Reset`. A ``RateLimiter`` follows them in any case.
    public static let rateLimit = PauseField(rawValue: "RateLimit")
    /// `X-RateLimit-Reset`, for which there is no standard: seconds or milliseconds since 1970, a number of seconds below 10^9, or a date. It is
    /// ignored if `X-RateLimit-Remaining` is not 0.
    public static let rateLimitReset = PauseField(rawValue: "X-RateLimit-Reset")

    /// The pause that the fields ask for.
    func pause(_ headers: HeaderFields, now: Date) -> RetryAfter {
        switch self {
        case .retryAfter: return RetryAfter(headers, now: now)
        case .retryAfterMilliseconds: return RetryAfter(headers, named: rawValue, unit: .milliseconds(1), now: now)
        case .rateLimit:
            let fields = RateLimitFields(headers)
            return fields.pause.map(RetryAfter.delay) ?? (fields.malformed.isEmpty ? .none : .malformed)
        case .rateLimitReset: return reset(headers, now)
        default: return .none
        }
    }

    private func reset(_ headers: HeaderFields, _ now: Date) -> RetryAfter {
        guard let text = headers[rawValue].map({ Substring($0).trimmed }) else { return .none }
        if let left = headers["X-RateLimit-Remaining"].flatMap({ Double($0) }), left > 0 { return .none }
        guard text.utf8.count <= 64, let number = Double(text), number.isFinite else {
            return (RetryAfter.duration(text) ?? RetryAfter.pause(untilDate: text, headers, now)).map(RetryAfter.delay)
                ?? .malformed
        }
        if number < 0 { return .malformed }
        if number < 1e9 { return .delay(.bounded(seconds: number)) }
        return .delay(RetryAfter.pause(until: number < 1e11 ? number : number / 1000, headers, now))
    }
}
