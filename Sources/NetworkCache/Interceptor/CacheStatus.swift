import Endpoints
import NetworkCore
import NetworkSupport

/// A writer of `Cache-Status` members (RFC 9211). Omits the `key` parameter, which would reveal the query of the URL.
struct CacheStatus: Sendable {
    private let name: String
    /// The text of ``hit(ttl:)`` before the number.
    let hitPrefix: String

    /// Creates a writer for a cache.
    ///
    /// - Parameter name: The name of the cache, sent as a token if it is one and quoted otherwise. Characters that cannot be
    ///   quoted are omitted (RFC 8941 §3.3.3).
    init(name: String) {
        let isToken = name.isToken && (name.utf8.first.map { $0 | 0x20 &- 0x61 < 26 } ?? false)
        let text = String(decoding: name.utf8.filter { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }, as: UTF8.self)
        self.name = isToken ? name : "\"\(text)\""
        hitPrefix = self.name + "; hit; ttl="
    }

    /// Returns the member for a response that was served without contacting the origin.
    func hit(ttl: Int) -> String {
        hitPrefix + String(ttl)
    }

    /// Returns the member for a request that was forwarded, even if that failed.
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

    /// Returns the member for a request whose `only-if-cached` directive forbids forwarding.
    func notForwarded() -> String {
        "\(name); detail=only-if-cached"
    }

    static func whole(_ seconds: Double) -> Int {
        // NaN compares as `false`.
        guard seconds >= -1e10 else { return seconds < -1e10 ? -10_000_000_000 : 0 }
        return seconds <= 1e10 ? Int(seconds.rounded(.down)) : 10_000_000_000
    }
}

extension NetworkResponse {
    /// Appends a member to `Cache-Status`. The cache nearest to the caller comes last (RFC 9211 §2).
    mutating func note(_ status: String) {
        headers.add(status, for: "Cache-Status")
    }

    /// Sets `Age`, and appends a member to `Cache-Status`.
    mutating func note(_ status: String, age: Int) {
        headers.reserveCapacity(headers.count + 2)
        headers.set(String(age), for: "Age")
        note(status)
    }
}
