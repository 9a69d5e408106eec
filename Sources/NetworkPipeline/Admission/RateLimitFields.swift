import Endpoints
import Foundation

/// The content of the `RateLimit` and `RateLimit-Policy` fields: whether a quota is used up, and until when.
///
/// See draft-ietf-httpapi-ratelimit-headers-10.
///
/// ```
/// RateLimit-Policy: "burst";q=100;w=60, "day";q=5000;w=86400
/// RateLimit: "burst";r=0;t=17
/// ```
struct RateLimitFields: Equatable {
    /// The time until the quota is available again; `nil` if some of it is left or no time is given.
    var pause: Duration?
    /// The names of the fields that are malformed and were ignored.
    var malformed: [String] = []

    /// The longest pause that is accepted from a server; longer ones are shortened to it.
    private static let maximumSeconds = 86_400

    init(_ headers: HTTPHeaders) {
        guard let text = headers["RateLimit"] else { return }
        guard let limits = Self.items(text) else {
            malformed = ["RateLimit"]
            return
        }
        var windows: [String: Int] = [:]
        if let text = headers["RateLimit-Policy"] {
            if let policies = Self.items(text) {
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

    private struct Item {
        var name: String
        var parameters: [String: Int]
    }

    /// Parses a list of strings or tokens with parameters (RFC 9651 §3.1). Of the parameters, only integers are returned.
    private static func items(_ text: String) -> [Item]? {
        guard text.utf8.count <= 4096 else { return nil }
        var items: [Item] = []
        for member in split(text, at: ",") {
            let parts = split(member, at: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            guard let name = parts.first, !name.isEmpty else { return nil }
            if name.hasPrefix("\"") { guard name.count >= 2, name.hasSuffix("\"") else { return nil } }
            var parameters: [String: Int] = [:]
            for part in parts.dropFirst() {
                let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                guard let key = pair.first, !key.isEmpty else { return nil }
                guard pair.count == 2, ["r", "t", "q", "w"].contains(key) else { continue }
                guard (1...15).contains(pair[1].utf8.count), pair[1].utf8.allSatisfy({ $0 &- 0x30 < 10 }),
                    let number = Int(pair[1])
                else { return nil }
                parameters[key] = number
            }
            items.append(Item(name: name, parameters: parameters))
        }
        return items
    }

    /// Splits a text at the separators that are outside quotes.
    private static func split(_ text: String, at separator: Character) -> [String] {
        var parts = [""]
        var isQuoted = false
        var isEscaped = false
        for character in text {
            if isQuoted, character == "\\", !isEscaped {
                isEscaped = true
            } else {
                if character == "\"", !isEscaped { isQuoted.toggle() }
                isEscaped = false
            }
            if character == separator, !isQuoted {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts
    }
}
