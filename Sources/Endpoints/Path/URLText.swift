import Foundation

/// The parts of a URL's text (RFC 3986 §3), found by their delimiters without decoding anything.
package struct URLText {
    /// Lower-cased; empty when there is none.
    package var scheme = ""
    /// Host, port and user information as written.
    package var authority: Substring = ""
    package var path: Substring = ""
    package var query: Substring?

    package init(_ url: URL) {
        self.init(url.absoluteString)
    }

    package init(_ text: String) {
        var rest = text[...]
        if let fragment = rest.utf8.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<fragment] }
        if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
            query = rest[rest.utf8.index(after: mark)...]
            rest = rest[..<mark]
        }
        let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        if let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")), colon < slash {
            scheme = rest[..<colon].lowercased()
            rest = rest[rest.utf8.index(after: colon)...]
        }
        if rest.utf8.starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")]) {
            rest = rest.dropFirst(2)
            let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = rest[..<end]
            rest = rest[end...]
        }
        path = rest
    }

    /// Host and port as written, without user information.
    package var hostAndPort: Substring {
        guard let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) else { return authority }
        return authority[authority.utf8.index(after: at)...]
    }

    /// What RFC 6454 §4 calls the origin, with the default port spelt out.
    package var origin: String {
        let place = hostAndPort.lowercased()
        let hasPort =
            place.utf8.last != UInt8(ascii: "]")
            && place.utf8.lastIndex(of: UInt8(ascii: ":")).map { colon in
                !place[colon...].utf8.contains(UInt8(ascii: "]")) && place.utf8.index(after: colon) != place.endIndex
            } ?? false
        if hasPort { return "\(scheme)://\(place)" }
        let bare = place.hasSuffix(":") ? String(place.dropLast()) : place
        return "\(scheme)://\(bare):\(scheme == "https" ? 443 : 80)"
    }

    /// For messages: no user information, no query, no fragment.
    package var originAndPath: String {
        let prefix = scheme.isEmpty ? "" : scheme + "://"
        return prefix + hostAndPort + path + (query == nil ? "" : "?…")
    }

    /// - Throws: ``RequestGenerationError`` for `field` when there is no http(s) scheme or no host.
    package func requireHTTP(_ field: RequestGenerationError.Field) throws(RequestGenerationError) {
        let shown = originAndPath.printable
        if scheme.isEmpty {
            throw RequestGenerationError(field, "\"\(shown)\" has no scheme; begin it with https:// or http://")
        }
        guard scheme == "https" || scheme == "http" else {
            throw RequestGenerationError(field, "the scheme \"\(scheme.printable)\" is not http or https")
        }
        let host = hostAndPort
        guard let first = host.utf8.first, first != UInt8(ascii: ":") else {
            throw RequestGenerationError(field, "\"\(shown)\" has no host")
        }
    }
}
