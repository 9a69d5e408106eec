import Foundation

/// The host of a URL as the whole package compares it, looks it up and sends it: decoded once, and in lower case (RFC 3986 §6.2.2, RFC 9110
/// §4.2.3).
///
/// A request, a base URL and the target of a redirect get this host as soon as they get their URL, so that everything which reads them
/// finds the same host: the connection, the `Host` field, cookies, trust policies, exclusions of proxies, caches.
package enum URLHost {
    /// Returns the text of a URL with its host in this form; `nil` if it has it already, or if the host cannot be decoded: with the
    /// encoded byte, it would be no name. ``URLText/requireHTTP(_:)`` refuses that.
    package static func normalized(_ text: String) -> String? {
        let parts = URLText(text)
        guard let place = normalized(place: parts.hostAndPort) else { return nil }
        return String(text[..<parts.hostAndPort.startIndex]) + place + text[parts.hostAndPort.endIndex...]
    }

    /// Returns a URL with its host in this form.
    package static func normalized(_ url: URL) -> URL {
        normalized(url.absoluteString).flatMap { URL(string: $0) } ?? url
    }

    /// Returns a host and port in this form; `nil` if they have it already, or cannot be decoded.
    static func normalized(place: Substring) -> String? {
        // What follows the sign in brackets is a zone (RFC 6874), whose name may be in upper case.
        let isAddress = place.utf8.first == UInt8(ascii: "[")
        let hostEnd = place.utf8.firstIndex(of: UInt8(ascii: isAddress ? "%" : ":")) ?? place.endIndex
        let host = place[..<hostEnd]
        let isEncoded = host.utf8.contains(UInt8(ascii: "%"))
        guard isEncoded || host.utf8.contains(where: { $0 &- UInt8(ascii: "A") < 26 }) else { return nil }
        guard isEncoded else { return host.lowercased() + place[hostEnd...] }
        return decoded(host).map { $0 + place[hostEnd...] }
    }

    /// The maximum length in bytes of an encoded host: more than any name of 253 bytes has that is international and percent-encoded.
    private static let maximumEncodedBytes = 4096

    /// Returns the decoded name; `nil` if it has a byte that no name has. International names are in ASCII then (RFC 5890).
    private static func decoded(_ host: Substring) -> String? {
        guard host.utf8.count <= maximumEncodedBytes, var name = PercentEncoding.decoded(host) else { return nil }
        if !name.utf8.allSatisfy({ $0 < 0x80 }) {
            guard name.utf8.allSatisfy({ $0 >= 0x80 || isNameByte($0) }), let url = URL(string: "http://\(name)/") else {
                return nil
            }
            let text = URLText(url)
            guard text.path == "/", text.query == nil, text.authority == text.hostAndPort else { return nil }
            name = String(text.hostAndPort)
        }
        return name.utf8.allSatisfy(isNameByte) && !name.isEmpty ? name.lowercased() : nil
    }

    /// Whether a byte may be part of a decoded name: letters, digits and the other unreserved characters (RFC 3986 §2.3).
    static func isNameByte(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || "-._~".utf8.contains(byte)
    }
}

extension LazyURL {
    /// A URL whose host is normalized, and its parts.
    static func normalized(_ url: URL) -> (LazyURL, ParsedURL) {
        let parts = ParsedURL(url)
        if parts.isPlain { return (.url(url), parts) }
        guard let text = URLHost.normalized(url.absoluteString), let normalized = URL(string: text) else {
            return (.url(url), parts)
        }
        return (.url(normalized), ParsedURL(normalized))
    }
}
