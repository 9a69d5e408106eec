import DataTransfer
import Foundation

/// The parts of a request that are compared with recorded ones.
struct ReplayedRequest: Sendable {
    var method: HTTPMethod
    var target: ReplayTarget
    /// The body; `nil` if bodies are not compared.
    var body: Data?
    var contentType: String

    init(_ request: NetworkRequest, body: Data?) {
        method = request.method
        target = ReplayTarget(request.url.absoluteString)
        self.body = body
        contentType = request.headers["Content-Type"] ?? ""
    }
}

/// The parts of a URL that are compared. User information and fragment are ignored.
struct ReplayTarget: Sendable {
    var origin: String
    /// The percent-decoded segments of the path.
    var segments: [String]
    var query: [QueryItem]

    init(_ url: String) {
        let text = URLText(url)
        origin = text.origin
        let path = text.path.isEmpty ? "/" : text.path
        segments = path.split(separator: "/", omittingEmptySubsequences: false).map { PercentEncoding.decoded($0) ?? String($0) }
        query = QueryItem.items(of: text.query ?? "")
    }

    var path: String { segments.joined(separator: "/") }
}

/// An entry of an archive, prepared for comparisons with requests.
struct RecordedExchange: Sendable {
    let index: Int
    let entry: HTTPArchive.Entry
    let target: ReplayTarget
    private let path: [RedactedPattern]
    private let body: BodyComparison

    init(_ entry: HTTPArchive.Entry, index: Int) {
        self.index = index
        self.entry = entry
        target = ReplayTarget(entry.request.url)
        path = target.segments.map(RedactedPattern.init)
        body = BodyComparison(entry.request.body, contentType: entry.request.headers["Content-Type"])
    }

    func matches(_ request: ReplayedRequest, _ options: ReplayOptions) -> Bool {
        entry.request.method == request.method && difference(of: request, options) == nil
    }

    private func hasPath(of request: ReplayedRequest) -> Bool {
        path.count == request.target.segments.count && zip(path, request.target.segments).allSatisfy { $0.matches($1) }
    }

    /// Returns the first difference between a request and this entry; `nil` if they match.
    func difference(of request: ReplayedRequest, _ options: ReplayOptions) -> Difference? {
        guard hasPath(of: request) else { return Difference(text: "the path differs", rank: pathRank(of: request)) }
        guard entry.request.method == request.method else { return Difference(text: "the method differs", rank: 3) }
        guard target.origin == request.target.origin || options.ignoresOrigin else {
            return Difference(text: "the origin differs", rank: 4)
        }
        let query = request.target.query.filter { !options.ignoredQueryItems.contains($0.name) }
        let recorded = target.query.filter { !options.ignoredQueryItems.contains($0.name) }
        if let found = QueryItem.difference(of: query, from: recorded, ignoresOrder: options.ignoresQueryOrder) {
            let values = found.values.map { ": \($0)" } ?? ""
            return Difference(text: "query \(found.place)\(values)", rank: 2)
        }
        guard let sent = request.body, options.matchesBody else { return nil }
        return body.difference(from: sent, contentType: request.contentType, redaction: options.redaction).map {
            Difference(text: $0, rank: 1)
        }
    }

    /// The rank of an entry with another path: 5 or more, and higher the fewer segments are equal.
    private func pathRank(of request: ReplayedRequest) -> Int {
        let same = zip(path, request.target.segments).count { $0.matches($1) }
        return 5 + max(path.count, request.target.segments.count) - same + (target.origin == request.target.origin ? 0 : 3)
    }

    struct Difference: Sendable {
        var text: String
        /// How different the request is; a smaller rank is a nearer match.
        var rank: Int
    }
}

/// A decoded item of a query or form; `+` is decoded as a space.
struct QueryItem: Sendable, Hashable {
    var name: String
    /// The value; `nil` if the item has no equals sign.
    var value: String?

    static func items(of text: some StringProtocol) -> [QueryItem] {
        text.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return QueryItem(name: decoded(parts[0]), value: parts.count > 1 ? decoded(parts[1]) : nil)
        }
    }

    /// Decodes a text; returns it with spaces for `+` alone if its percent-encoding is invalid.
    private static func decoded(_ text: some StringProtocol) -> String {
        let spaced = String(text).replacing("+", with: " ")
        return PercentEncoding.decoded(spaced) ?? spaced
    }

    struct Difference: Sendable, Hashable {
        /// The item and what is wrong with it: `item "page" differs`.
        var place: String
        /// The two values: `"1", recorded "2"`. `nil` if an item is missing, or if the values could be secret.
        var values: String?
    }

    /// Returns the first difference from the recorded items; `nil` if they match. `<redacted>` in a recorded value matches any text.
    ///
    /// - Parameter ignoresOrder: Whether items may be in another order. The order of items with the same name always matters.
    static func difference(of items: [QueryItem], from recorded: [QueryItem], ignoresOrder: Bool) -> Difference? {
        let left = ignoresOrder ? sorted(items) : items
        let right = ignoresOrder ? sorted(recorded) : recorded
        for (item, recorded) in zip(left, right) {
            if item.name != recorded.name {
                // Both lists are sorted by name, so the item with the smaller name has no counterpart.
                return ignoresOrder && item.name > recorded.name ? recorded.missing : item.unrecorded
            }
            let isSame = recorded.value.map { RedactedPattern($0) }?.matches(item.value ?? "") ?? (item.value ?? "").isEmpty
            if !isSame { return item.difference(from: recorded) }
        }
        if left.count > right.count { return left[right.count].unrecorded }
        return right.count > left.count ? right[left.count].missing : nil
    }

    /// Sorts items by name. Items with the same name keep their order.
    private static func sorted(_ items: [QueryItem]) -> [QueryItem] {
        items.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }.map(\.element)
    }

    private var place: String { "item \"\(name.printable)\"" }
    private var missing: Difference { Difference(place: place + " is missing") }
    private var unrecorded: Difference { Difference(place: place + " is not recorded") }

    private func difference(from recorded: QueryItem) -> Difference {
        guard !Redaction.isSecret(field: name) else { return Difference(place: place + " differs") }
        return Difference(
            place: place + " differs", values: "\"\((value ?? "").printable)\", recorded \"\((recorded.value ?? "").printable)\"")
    }
}
