import Endpoints
import NetworkSupport

/// The URLs for which a stub responds: a path with parameters such as `{id}`, and the query, if the stub has one.
struct StubPath: Sendable, CustomStringConvertible {
    let description: String
    private let pattern: LoopbackPathPattern
    private let query: [[String]]?

    /// Creates a path from its text, such as `/users/{id}` or `/users?page=1`.
    init(_ text: String) {
        description = text
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        pattern = LoopbackPathPattern(String(parts.first ?? ""))
        query = parts.count > 1 ? Self.fields(of: parts[1]) : nil
    }

    /// Returns whether the stub responds to a request. The order of query parameters has no meaning.
    func matches(_ request: NetworkRequest) -> Bool {
        let url = URLText(request.url)
        let path = url.path.isEmpty ? "/" : String(url.path)
        guard pattern.match(LoopbackPathPattern.segments(of: path).map(\.percentDecoded)) != nil else { return false }
        return query == nil || query == Self.fields(of: url.query ?? "")
    }

    private static func fields(of query: Substring) -> [[String]] {
        query.split(separator: "&")
            .map { field in field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(\.percentDecoded) }
            .sorted { $0.lexicographicallyPrecedes($1) }
    }
}
