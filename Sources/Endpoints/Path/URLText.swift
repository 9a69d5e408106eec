import Foundation
import NetworkLogging
import NetworkSupport

/// The parts of a URL's text (RFC 3986 §3), located by their delimiters. Nothing is decoded.
package struct URLText {
    let text: String
    /// The scheme in lower case; empty if there is none.
    package private(set) var scheme = ""
    // Offsets in the UTF-8 of `text`.
    private(set) var authorityRange = 0..<0
    private(set) var hostRange = 0..<0
    private(set) var pathRange = 0..<0
    private(set) var queryRange: Range<Int>?

    package init(_ url: URL) {
        self.init(url.absoluteString)
    }

    package init(_ text: String) {
        self.init(text, isPathOnly: false)
    }

    /// Creates the parts of a text that is only path and query. A colon or a double slash does not start a scheme or an
    /// authority.
    package init(relativePath text: String) {
        self.init(text, isPathOnly: true)
    }

    private init(_ text: String, isPathOnly: Bool) {
        self.text = text
        text.withBytes { bytes in
            var end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
            if let mark = bytes[..<end].firstIndex(of: UInt8(ascii: "?")) {
                queryRange = mark + 1..<end
                end = mark
            }
            pathRange = 0..<end
            if !isPathOnly { takeSchemeAndAuthority(of: bytes) }
        }
    }

    private mutating func takeSchemeAndAuthority(of bytes: UnsafeBufferPointer<UInt8>) {
        let slash = UInt8(ascii: "/")
        let end = pathRange.upperBound
        var start = 0
        if let colon = bytes[..<end].firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == slash }), bytes[colon] != slash {
            scheme = Self.lowercased(UnsafeBufferPointer(rebasing: bytes[..<colon]))
            start = colon + 1
        }
        if end - start >= 2, bytes[start] == slash, bytes[start + 1] == slash {
            start += 2
            let authorityEnd = bytes[start..<end].firstIndex(of: slash) ?? end
            authorityRange = start..<authorityEnd
            let at = bytes[authorityRange].lastIndex(of: UInt8(ascii: "@"))
            hostRange = (at.map { $0 + 1 } ?? start)..<authorityEnd
            start = authorityEnd
        }
        pathRange = start..<end
    }

    /// Returns a scheme in lower case. The two usual schemes do not need `String.lowercased()`, which is slower.
    private static func lowercased(_ scheme: UnsafeBufferPointer<UInt8>) -> String {
        if scheme.count == 5, scheme.begins(with: "https") { return "https" }
        if scheme.count == 4, scheme.begins(with: "http") { return "http" }
        return String(decoding: scheme, as: UTF8.self).lowercased()
    }

    /// The authority as written: user information, host and port.
    package var authority: Substring { slice(authorityRange) }
    package var path: Substring { slice(pathRange) }
    package var query: Substring? { queryRange.map(slice) }

    /// The host and port as written, without user information.
    package var hostAndPort: Substring { slice(hostRange) }

    /// The origin (RFC 6454 §4) as scheme, host (``URLHost``) and port, with an explicit default port.
    package var origin: String {
        let place = (URLHost.normalized(place: hostAndPort) ?? String(hostAndPort)).lowercased()
        let afterAddress = place.utf8.lastIndex(of: UInt8(ascii: "]")) ?? place.startIndex
        guard let colon = place[afterAddress...].utf8.lastIndex(of: UInt8(ascii: ":")) else {
            return "\(scheme)://\(place):\(scheme == "https" ? 443 : 80)"
        }
        let isPortEmpty = place.utf8.index(after: colon) == place.endIndex
        return isPortEmpty ? "\(scheme)://\(place)\(scheme == "https" ? 443 : 80)" : "\(scheme)://\(place)"
    }

    /// Returns the ``origin`` of a URL.
    package static func origin(of url: URL) -> String { ParsedURL(url).origin }

    /// The maximum number of bytes of a URL that a message shows.
    private static let maximumShownBytes = 8192

    /// The URL for messages, without user information, query and fragment, and at most 8,192 bytes of it.
    package var originAndPath: String {
        guard !authorityRange.isEmpty else { return Self.redacted(Self.shown(text)) }
        let isPlain = authorityRange == hostRange && pathRange.upperBound == text.utf8.count
        if isPlain, text.utf8.starts(with: scheme.utf8) { return Self.redacted(text) }
        return Self.redacted(scheme + "://" + hostAndPort + path, end: queryRange == nil ? "" : "?…")
    }

    /// Returns the beginning of the text of a URL with secrets redacted, and then `end`, or `…` if it was cut.
    private static func redacted(_ text: String, end: String = "") -> String {
        let start = TextStart(text.utf8, bytes: maximumShownBytes)
        return Redaction.default.redacted(url: start) + (start.isCut ? "…" : end)
    }

    /// Calls `body` with the bytes of one part.
    func withBytes<Result>(of part: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        text.withBytes { body(UnsafeBufferPointer(rebasing: $0[part])) }
    }

    private func slice(_ range: Range<Int>) -> Substring {
        let utf8 = text.utf8
        let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
        return Substring(utf8[start..<utf8.index(start, offsetBy: range.count)])
    }
}

extension UnsafeBufferPointer<UInt8> {
    func begins(with text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { text in
            for index in 0..<text.count where text[index] != self[index] { return false }
            return true
        }
    }

    /// Returns whether the bytes begin with a text in lower case, compared without case.
    func beginsCaselessly(with text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { text in
            for index in 0..<text.count where text[index] != (self[index] &- 0x41 < 26 ? self[index] | 0x20 : self[index]) {
                return false
            }
            return true
        }
    }
}

extension URLText {
    /// Checks that this is an http(s) URL with a host and a valid port.
    ///
    /// - Throws: ``RequestGenerationError`` for `field` if the scheme is not http(s), or the host is missing or invalid, or the
    ///   port is not below 65536.
    package func requireHTTP(_ field: RequestGenerationError.Field) throws(RequestGenerationError) {
        guard scheme == "https" || scheme == "http" else {
            if scheme.isEmpty {
                let shown = Self.shown(text).printable
                throw RequestGenerationError(field, "\"\(shown)\" has no scheme; begin it with https:// or http://")
            }
            // If the scheme was forgotten, the text before the colon may be a user name.
            let shown = authority.isEmpty ? "" : " \"\(scheme.printable)\""
            throw RequestGenerationError(field, "the scheme\(shown) is not http or https")
        }
        if let problem = hostProblem { throw RequestGenerationError(field, "\"\(Self.shown(text).printable)\" \(problem)") }
    }

    /// A message for an invalid host or port; `nil` if they are valid. `URL` validates the other characters of the host.
    private var hostProblem: String? {
        withBytes(of: hostRange) { bytes in
            var hostEnd = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
            if bytes.first == UInt8(ascii: "[") {
                guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else { return "has an address without a ]" }
                guard hostEnd < bracket || bytes[1] | 0x20 == UInt8(ascii: "v") else {
                    return "has no IPv6 address in its brackets"
                }
                hostEnd = bracket + 1
            }
            if hostEnd == 0 { return "has no host" }
            if bytes[..<hostEnd].contains(UInt8(ascii: "%")), !isDecodable(bytes.first == UInt8(ascii: "[") ? hostEnd : nil) {
                return "has an encoded character in its host that is part of no name"
            }
            if hostEnd == bytes.count { return nil }
            guard bytes[hostEnd] == UInt8(ascii: ":"), Self.isPort(bytes[(hostEnd + 1)...]) else { return "has no valid port" }
            return nil
        }
    }

    /// Whether the encoded bytes of the host are part of a name: of the host's, or in brackets of a zone's, which has `%25` before it.
    private func isDecodable(_ addressEnd: Int?) -> Bool {
        guard let addressEnd else { return URLHost.normalized(place: hostAndPort) != nil }
        let zone = Substring(hostAndPort.utf8.prefix(addressEnd - 1).drop { $0 != UInt8(ascii: "%") })
        guard let name = PercentEncoding.decoded(zone.utf8.starts(with: "%25".utf8) ? zone.dropFirst(3) : zone.dropFirst()) else {
            return false
        }
        return !name.isEmpty && name.utf8.allSatisfy(URLHost.isNameByte)
    }

    /// Returns whether the digits are a port below 65536. An empty port is allowed and means the scheme's default
    /// (RFC 3986 §3.2.3).
    private static func isPort(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var port = 0
        for byte in digits {
            guard byte &- UInt8(ascii: "0") < 10 else { return false }
            port = port * 10 + Int(byte - UInt8(ascii: "0"))
            guard port < 65536 else { return false }
        }
        return true
    }

    /// Returns text for messages that may not be a valid URL, without anything that could be user information, query or fragment.
    ///
    /// All text before an `@` is left out. If there is an `@` after the first `?` or `#`, everything except the scheme is left
    /// out, because a password may contain these characters.
    static func shown(_ text: String) -> String {
        let head = text.prefix(beforeAny: "?#")
        let tail = text.utf8[head.endIndex...]
        let scheme = ["https://", "http://"].first { text.asciiLowercased.begins(with: $0) } ?? ""
        if tail.contains(UInt8(ascii: "@")) { return scheme + "…" }
        let end = tail.isEmpty ? "" : tail.first == UInt8(ascii: "?") ? "?…" : "#…"
        guard let at = head.utf8.lastIndex(of: UInt8(ascii: "@")) else { return head + end }
        return scheme + "…" + head[head.utf8.index(after: at)...] + end
    }

    /// Returns the path of an endpoint for messages, without the query.
    static func shown(path: String, isFullPath: Bool) -> String {
        if isFullPath || path.utf8.contains("://".utf8) { return shown(path) }
        let head = path.prefix(beforeAny: "?#")
        return head.endIndex == path.endIndex ? path : head + "?…"
    }
}

extension String {
    /// Returns the text before the first of some ASCII characters.
    func prefix(beforeAny delimiters: String) -> Substring {
        self[..<(utf8.firstIndex { delimiters.utf8.contains($0) } ?? endIndex)]
    }
}
