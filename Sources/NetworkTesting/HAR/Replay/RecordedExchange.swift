import DataTransfer
import Foundation

/// A request as it is compared with recorded ones.
struct ReplayedRequest: Sendable {
    var method: HTTPMethod
    var target: ReplayTarget
    /// `nil` where bodies are not compared.
    var body: Data?
    var contentType: String

    init(_ request: NetworkRequest, body: Data?) {
        method = request.method
        target = ReplayTarget(request.url.absoluteString)
        self.body = body
        contentType = request.headers["Content-Type"] ?? ""
    }
}

/// A URL in the parts that are compared. User information and fragment are not.
struct ReplayTarget: Sendable {
    var origin: String
    /// Decoded.
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

/// An entry of an archive, ready to be compared.
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

    /// The first thing that keeps this from being the answer; `nil` where nothing does.
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

    /// 5 and more: the fewer segments are the same, the more.
    private func pathRank(of request: ReplayedRequest) -> Int {
        let same = zip(path, request.target.segments).count { $0.matches($1) }
        return 5 + max(path.count, request.target.segments.count) - same + (target.origin == request.target.origin ? 0 : 3)
    }

    struct Difference: Sendable {
        var text: String
        /// The smaller, the nearer.
        var rank: Int
    }
}

/// An item of a query or of a form, decoded: `+` is a space.
struct QueryItem: Sendable, Hashable {
    var name: String
    /// `nil` where there is no equals sign.
    var value: String?

    static func items(of text: some StringProtocol) -> [QueryItem] {
        text.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return QueryItem(name: decoded(parts[0]), value: parts.count > 1 ? decoded(parts[1]) : nil)
        }
    }

    /// As it is where it is not well encoded.
    private static func decoded(_ text: some StringProtocol) -> String {
        let spaced = String(text).replacing("+", with: " ")
        return PercentEncoding.decoded(spaced) ?? spaced
    }

    struct Difference: Sendable, Hashable {
        /// `item "page"`
        var place: String
        /// `"1", recorded "2"`; `nil` where there is nothing to compare, or the values could be secret.
        var values: String?
    }

    /// The first item that is not as recorded; `nil` where all are. `<redacted>` in a recorded one stands for any value.
    ///
    /// - Parameter ignoresOrder: Whether items may stand in another order; those of one name may not.
    static func difference(of items: [QueryItem], from recorded: [QueryItem], ignoresOrder: Bool) -> Difference? {
        let left = ignoresOrder ? sorted(items) : items
        let right = ignoresOrder ? sorted(recorded) : recorded
        for (item, recorded) in zip(left, right) {
            if item.name != recorded.name {
                // In order of name, the smaller one has no partner.
                return ignoresOrder && item.name > recorded.name ? recorded.missing : item.unrecorded
            }
            let isSame = recorded.value.map { RedactedPattern($0) }?.matches(item.value ?? "") ?? (item.value ?? "").isEmpty
            if !isSame { return item.difference(from: recorded) }
        }
        if left.count > right.count { return left[right.count].unrecorded }
        return right.count > left.count ? right[left.count].missing : nil
    }

    /// By name; the order within a name stays.
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
