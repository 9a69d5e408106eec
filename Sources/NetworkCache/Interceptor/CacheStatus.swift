import Endpoints
import NetworkCore

/// Writes `Cache-Status` (RFC 9211). Without `key`: it would show the query.
struct CacheStatus: Sendable {
    private let name: String
    private let hitPrefix: String

    /// - Parameter name: Sent as a token where it is one, else quoted; what cannot be quoted is left out (RFC 8941 §3.3.3).
    init(name: String) {
        let isToken = name.isToken && (name.utf8.first.map { $0 | 0x20 &- 0x61 < 26 } ?? false)
        let text = String(decoding: name.utf8.filter { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }, as: UTF8.self)
        self.name = isToken ? name : "\"\(text)\""
        hitPrefix = self.name + "; hit; ttl="
    }

    /// Answered without asking.
    func hit(ttl: Double) -> String {
        hitPrefix + String(Self.whole(ttl))
    }

    /// Asked for, or tried to.
    func forwarded(
        _ reason: ForwardReason, status: Int? = nil, isStored: Bool = false, isCollapsed: Bool = false, ttl: Double? = nil,
        detail: String? = nil
    ) -> String {
        var text = "\(name); fwd=\(reason.rawValue)"
        if let status { text += "; fwd-status=\(status)" }
        if let ttl { text += "; ttl=\(Self.whole(ttl))" }
        if isStored { text += "; stored" }
        if isCollapsed { text += "; collapsed" }
        if let detail, detail.isToken { text += "; detail=\(detail)" }
        return text
    }

    /// Not sent on, as the request forbids.
    func notForwarded() -> String {
        "\(name); detail=only-if-cached"
    }

    static func whole(_ seconds: Double) -> Int {
        Int(min(max(seconds.rounded(.down), -1e10), 1e10))
    }
}

/// Why a request went on (RFC 9211 §2.2).
enum ForwardReason: String {
    /// The request is none for a cache, or not as it stands.
    case bypass
    /// The method is none whose answers are kept.
    case method
    /// There is nothing under the URL.
    case uriMiss = "uri-miss"
    /// What there is answers other fields that `Vary` names.
    case varyMiss = "vary-miss"
    /// What there is may be used, but the request wants it newer.
    case request
    /// What there is may not be used without asking.
    case stale
}

extension NetworkResponse {
    /// Adds a member to the list: the cache nearest to the caller comes last (RFC 9211 §2).
    mutating func note(_ status: String) {
        headers.add(status, for: "Cache-Status")
    }
}
