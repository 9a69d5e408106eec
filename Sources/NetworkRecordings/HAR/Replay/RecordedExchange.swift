import DataTransfer
import Foundation
import NetworkSupport
@_spi(SessionManagers) import NetworkTransport

/// The parts of a request that are compared with recorded ones.
struct ReplayedRequest: Sendable {
    var method: RequestMethod
    var target: ReplayTarget
    /// The body; `nil` if bodies are not compared.
    var body: Data?
    var contentType: String

    init(_ request: NetworkRequest, body: Data?) {
        method = request.method
        target = ReplayTarget(request.urlText)
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

/// The response or failure that a recorded exchange gives to a request.
struct ReplayedResponse: Sendable {
    let exchange: RecordedExchange
    let request: NetworkRequest

    /// Returns the complete response, after content decoding.
    ///
    /// - Throws: The recorded failure; ``TransportError/Code/notStubbed`` if the recording does not contain the complete body.
    func response() throws(TransportError) -> NetworkResponse {
        try requireResponse()
        if let failure { throw failure }
        if let omission { throw omission }
        return head(body: .data(body), trailers: trailers, timings: timings)
    }

    /// Returns the response with a streamed body: the recorded bytes in pieces, and then an error if the transfer failed or the body was not
    /// recorded completely.
    ///
    /// - Throws: The recorded failure, or ``TransportError/Code/connectionLost``, if there was no response.
    func stream() throws(TransportError) -> NetworkResponse {
        try requireResponse()
        let (end, rest, trailers, timings) = (failure ?? omission, Locked(body), trailers, timings)
        return head(
            body: NetworkBody { () async throws(TransportError) in
                let chunk = rest.withLock { rest in
                    defer { rest = rest.dropFirst(Self.pieceBytes) }
                    return Data(rest.prefix(Self.pieceBytes))
                }
                if !chunk.isEmpty { return chunk }
                if let end { throw end }
                return nil
            } end: {
                rest.withLock(\.isEmpty) ? StreamEnd(trailers: trailers, timings: timings) : nil
            }, timings: TransferTimings())
    }

    /// The maximum size of a piece of a streamed body.
    private static let pieceBytes = 64 << 10

    private var recorded: HTTPArchive.Response { exchange.entry.response }
    private var body: Data { recorded.body.data ?? Data() }
    private var timings: TransferTimings {
        TransferTimings(bytesSent: Int64(request.body?.data?.count ?? 0), bytesReceived: Int64(body.count))
    }

    private var failure: TransportError? {
        exchange.entry.failure.map { TransportError($0.code, $0.message, phase: $0.phase, request: request) }
    }

    private func requireResponse() throws(TransportError) {
        guard recorded.statusCode == 0 else { return }
        throw failure ?? TransportError(.connectionLost, "no response was received when this was recorded", request: request)
    }

    /// The error for a body that was not recorded completely, so that it is never taken for an empty one.
    private var omission: TransportError? {
        let reason: String
        if recorded.body.isTruncated {
            reason = "only its first \(body.count) bytes were recorded"
        } else if recorded.body.data == nil, request.method != .head, ![204, 304].contains(recorded.statusCode) {
            reason = "it was not recorded"
        } else {
            return nil
        }
        return TransportError(
            .notStubbed, "log.entries[\(exchange.index)].response.content has no complete body: \(reason)", request: request)
    }

    private func head(body: NetworkBody, trailers: HeaderFields = [:], timings: TransferTimings) -> NetworkResponse {
        let url = recorded.finalURL.flatMap { URL(string: $0) } ?? request.url
        return NetworkResponse(
            statusCode: recorded.statusCode, headers: headers, trailers: trailers, body: body, url: url, timings: timings)
    }

    /// The recorded header fields, without those that describe the body as it was sent: the replayed body is decoded, and may be redacted.
    private var headers: HeaderFields {
        var headers = withoutDigests(recorded.headers)
        for name in ["Content-Encoding", "Transfer-Encoding"] { headers.remove(name) }
        if headers.contains("Content-Length"), request.method != .head, recorded.statusCode != 304, failure == nil,
            omission == nil
        {
            headers["Content-Length"] = "\(body.count)"
        }
        if let type = headers["Content-Type"], let text = textType(type) { headers["Content-Type"] = text }
        return headers
    }

    private var trailers: HeaderFields { withoutDigests(recorded.trailers) }

    /// Returns the valid fields, and among them no digests if the replayed body has other bytes than the ones that were sent.
    private func withoutDigests(_ fields: HeaderFields) -> HeaderFields {
        var fields = HeaderFields(fields.filter { $0.name.isToken && !$0.value.utf8.contains(where: Self.isControl) })
        if recorded.headers.contains("Content-Encoding") || recorded.body.isRedacted {
            for name in ["Content-Digest", "Repr-Digest", "Digest", "Content-MD5"] { fields.remove(name) }
        }
        return fields
    }

    private static func isControl(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != 0x09) || byte == 0x7F }

    /// Returns the `Content-Type` for text that a browser recorded as Unicode and that is replayed as UTF-8, whatever its charset was; `nil` if
    /// the recorded one is correct.
    private func textType(_ type: String) -> String? {
        guard recorded.finalURL == nil, let charset = TextCharset.parameter(in: type)?.lowercased(),
            !["utf-8", "utf8", "us-ascii"].contains(charset), !body.contains(0), String(valid: body) != nil,
            charset.hasPrefix("utf-") || body.contains(where: { $0 > 0x7F })
        else { return nil }
        return (type.parts(at: ";").first ?? "") + "; charset=utf-8"
    }
}
