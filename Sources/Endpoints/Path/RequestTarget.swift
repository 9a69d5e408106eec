import Foundation

/// The URL of a request, made of a base URL, a path and two sets of query parameters.
struct RequestTarget {
    let url: URL
    /// Whether a full path leads to another origin than the base URL's.
    let isForeign: Bool

    init(endpoint: some Requestable, configuration: any NetworkConfigurable) throws(RequestGenerationError) {
        let path = try endpoint.pathParameters.fill(endpoint.path)
        try Self.validateText(path)
        let base = URLText(configuration.baseURL)
        let own = URLText(forPath: path, isFullPath: endpoint.isFullPath)
        if endpoint.isFullPath {
            try own.requireHTTP(.path)
            isForeign = (try? base.requireHTTP(.baseURL)) == nil || own.origin != base.origin
        } else {
            try base.requireHTTP(.baseURL)
            isForeign = false
        }

        var text = endpoint.isFullPath ? "\(own.scheme)://\(own.authority)" : "\(base.scheme)://\(base.authority)"
        text += endpoint.isFullPath ? Self.encoded(own.path, PercentEncoding.isPathByte) : Self.joined(base.path, own.path)
        var queries: [String] = []
        if !endpoint.isFullPath, let query = base.query, !query.isEmpty { queries.append(String(query)) }
        let ownItems = try endpoint.queryParameters.items(style: endpoint.queryStyle)
        let shared = isForeign ? [:] : configuration.queryParameters
        if !shared.isEmpty {
            let taken = Set(ownItems.map(\.root)).union(own.queryNames)
            let items = try shared.items(style: endpoint.queryStyle).filter { !taken.contains($0.root) }
            queries.append(items.flatMap(\.pairs).joined(encodedBy: PercentEncoding.component))
        }
        if let query = own.query, !query.isEmpty { queries.append(Self.encoded(query, PercentEncoding.isQueryByte)) }
        if !ownItems.isEmpty { queries.append(ownItems.flatMap(\.pairs).joined(encodedBy: PercentEncoding.component)) }
        let query = queries.filter { !$0.isEmpty }.joined(separator: "&")
        if !query.isEmpty { text += "?" + query }

        guard let url = URL(string: text) else {
            let shown = URLText(text).originAndPath.printable
            throw RequestGenerationError(.path, "\"\(shown)\" is not a URL (RFC 3986 §3)")
        }
        self.url = url
    }

    /// Base path and path with exactly one slash between them.
    private static func joined(_ base: Substring, _ path: Substring) -> String {
        let encoded = encoded(path, PercentEncoding.isPathByte)
        if encoded.isEmpty { return String(base) }
        switch (base.utf8.last == UInt8(ascii: "/"), encoded.utf8.first == UInt8(ascii: "/")) {
        case (true, true): return String(base) + encoded.dropFirst()
        case (false, false): return String(base) + "/" + encoded
        default: return String(base) + encoded
        }
    }

    private static func encoded(_ text: Substring, _ isKept: (UInt8) -> Bool) -> String {
        PercentEncoding.encode(String(text), keeping: isKept)
    }

    /// Control characters, and percent signs that encode nothing, cannot be meant.
    private static func validateText(_ path: String) throws(RequestGenerationError) {
        var digitsDue = 0
        for byte in path.utf8 {
            if byte < 0x20 || byte == 0x7F {
                throw RequestGenerationError(.path, "\"\(URLText(path).originAndPath.printable)\" has a control character")
            }
            if digitsDue > 0 {
                digitsDue -= 1
                if PercentEncoding.hexValue(byte) == nil {
                    digitsDue = 1
                    break
                }
            } else if byte == UInt8(ascii: "%") {
                digitsDue = 2
            }
        }
        if digitsDue > 0 {
            let shown = URLText(path).originAndPath.printable
            throw RequestGenerationError(.path, "in \"\(shown)\" a % is not followed by two hexadecimal digits; write %25")
        }
    }
}

extension URLText {
    /// A relative path is all path: a colon or a double slash in it makes neither scheme nor authority.
    fileprivate init(forPath path: String, isFullPath: Bool) {
        if isFullPath {
            self.init(path)
            return
        }
        self.init("")
        var rest = path[...]
        if let fragment = rest.utf8.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<fragment] }
        if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
            query = rest[rest.utf8.index(after: mark)...]
            rest = rest[..<mark]
        }
        self.path = rest
    }

    /// The names of the query's items, decoded, without what a style appended to them.
    fileprivate var queryNames: [String] {
        guard let query else { return [] }
        return query.split(separator: "&").map { item in
            let name = item.prefix { $0 != "=" }
            let decoded = PercentEncoding.decoded(name) ?? String(name)
            return String(decoded.prefix { $0 != "[" })
        }
    }
}
