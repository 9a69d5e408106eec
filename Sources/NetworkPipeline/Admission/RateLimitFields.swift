import Endpoints
import Foundation
import NetworkSupport

/// The content of the `RateLimit` and `RateLimit-Policy` fields: whether a quota is used up, and until when.
///
/// See draft-ietf-httpapi-ratelimit-headers-10. The forms of earlier drafts are read as well.
///
/// ```
/// RateLimit-Policy: "burst";q=100;w=60, "day";q=5000;w=86400
/// RateLimit: "burst";r=0;t=17
/// RateLimit: limit=100, remaining=0, reset=17
/// RateLimit-Remaining: 0
/// RateLimit-Reset: 17
/// ```
struct RateLimitFields: Equatable {
    /// The time until the quota is available again; `nil` if some of it is left or no time is given.
    var pause: Duration?
    /// The names of the fields that are malformed and were ignored.
    var malformed: [String] = []

    /// The longest pause that is accepted from a server; longer ones are shortened to it.
    private static let maximumSeconds = 86_400

    /// Reads the fields of a response, of which `RateLimit` precedes those of the early drafts.
    init(_ headers: HeaderFields) {
        guard let text = headers["RateLimit"] else {
            readEarlyDraft(headers)
            return
        }
        guard let limits = Self.quotas(text) ?? Self.dictionary(text) else {
            malformed = ["RateLimit"]
            return
        }
        var windows: [StructuredField.Value: Int] = [:]
        if let text = headers["RateLimit-Policy"] {
            if let policies = Self.quotas(text) {
                for policy in policies { windows[policy.name] = policy.parameters["w"] }
            } else {
                malformed = ["RateLimit-Policy"]
            }
        }
        var seconds: Int?
        for limit in limits where limit.parameters["r"] == 0 {
            // Without a time (`t`), the quota is available again after one window (`w`) at the latest.
            guard let wait = limit.parameters["t"] ?? windows[limit.name] else { continue }
            seconds = max(seconds ?? 0, min(wait, Self.maximumSeconds))
        }
        pause = seconds.map { .seconds($0) }
    }

    /// Reads the separate fields of drafts up to 06, whose first number counts.
    private mutating func readEarlyDraft(_ headers: HeaderFields) {
        func number(_ name: String) -> Int64? {
            guard let text = headers[name] else { return nil }
            let first = Substring(text.utf8.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: ";") }).trimmed
            guard let number = first.utf8.decimal(clampedTo: Int64(Self.maximumSeconds)) else {
                malformed.append(name)
                return nil
            }
            return number
        }
        if let reset = number("RateLimit-Reset"), number("RateLimit-Remaining") == 0 { pause = .seconds(reset) }
    }

    private struct Quota {
        var name: StructuredField.Value
        var parameters: [String: Int] = [:]
    }

    /// Parses a list of quotas, whose parameters are non-negative integers (RFC 9651 §3.1). Unknown parameters are ignored.
    private static func quotas(_ text: String) -> [Quota]? {
        guard text.utf8.count <= 4096, let members = StructuredField.list(text), !members.isEmpty else { return nil }
        var quotas: [Quota] = []
        for member in members {
            var quota = Quota(name: member.value)
            for (key, value) in member.parameters where ["r", "t", "q", "w"].contains(key) {
                guard case .integer(let number) = value, number >= 0 else { return nil }
                quota.parameters[key] = Int(number)
            }
            quotas.append(quota)
        }
        return quotas
    }

    /// Parses the dictionary of draft 07, which has one quota.
    private static func dictionary(_ text: String) -> [Quota]? {
        guard text.utf8.count <= 4096, let members = StructuredField.dictionary(text), members["remaining"] != nil else {
            return nil
        }
        var quota = Quota(name: .token("default"))
        for (key, name) in [("remaining", "r"), ("reset", "t")] {
            guard let member = members[key] else { continue }
            guard case .integer(let number) = member.value, number >= 0 else { return nil }
            quota.parameters[name] = Int(number)
        }
        return [quota]
    }
}
