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
