import Foundation

/// The parts of a request's URL that are needed to send it, as byte offsets in its text.
///
/// ``NetworkRequest`` keeps them beside its URL, so that the text is parsed once for each URL, not once for each use. Nothing is decoded:
/// the host of a request's URL is normalized before (``URLHost``).
package struct ParsedURL: Sendable {
    /// The scheme, host and port (RFC 6454 §4), such as `https://api.example.com:443`.
    package let origin: String
    /// Whether the scheme is `https`.
    package let isSecure: Bool
    /// Whether this is a valid http(s) URL whose scheme and host are in lower case, without user information, address in brackets or
    /// unusual port. The parts of any other URL are found with ``URLText``.
    package let isPlain: Bool
    /// Whether ``host`` lacks the closing bracket, because it followed the zone.
    package let lacksBracket: Bool
    // 32 bits each, because requests are copied.
    private let schemeEnd: UInt32
    private let hostStart: UInt32
    private let hostEnd: UInt32
    private let portStart: UInt32
    private let pathStart: UInt32
    private var pathEnd: UInt32
    private var queryEnd: UInt32

    package init(_ url: URL) {
        self.init(url.absoluteString)
    }

    /// Finds the parts of a URL.
    ///
    /// - Parameter text: The text of an absolute URL. Any other text becomes the path and query.
    package init(_ text: String) {
        self = text.withBytes { Self(plain: $0) ?? Self(any: $0, origin: URLText(text).origin) }
    }

    /// Returns the parts of a URL that has the same scheme, host and port, another path and query, and no fragment.
    func replacing(pathEnd: Int, queryEnd: Int) -> ParsedURL {
        var parts = self
        parts.pathEnd = UInt32(clamping: pathEnd)
        parts.queryEnd = UInt32(clamping: queryEnd)
        return parts
    }

    package var scheme: Range<Int> { 0..<Int(schemeEnd) }
    /// The host without user information, and for an IPv6 address without its zone, which has no meaning for other machines (RFC
    /// 6874 §4).
    package var host: Range<Int> { Int(hostStart)..<Int(hostEnd) }
    /// The port without leading zeros; empty if it is the scheme's default port.
    package var port: Range<Int> { Int(portStart)..<Int(pathStart) }
    /// The path, without the query.
    package var path: Range<Int> { Int(pathStart)..<Int(pathEnd) }
    /// The path and query: from the first slash or question mark on, without the fragment.
    package var pathAndQuery: Range<Int> { Int(pathStart)..<Int(queryEnd) }

    /// Finds the parts of a plain URL in one pass; `nil` for any other.
    init?(plain bytes: UnsafeBufferPointer<UInt8>) {
        let isSecure = bytes.begins(with: "https://")
        guard isSecure || bytes.begins(with: "http://") else { return nil }
        let start = isSecure ? 8 : 7
        var hostEnd = start
        name: while hostEnd < bytes.count {
            switch bytes[hostEnd] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): break
            case UInt8(ascii: "-"), UInt8(ascii: "."): break
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: ":"): break name
            default: return nil
            }
            hostEnd += 1
        }
        guard hostEnd > start else { return nil }
        var pathStart = hostEnd
        var hasOwnPort = false
        if hostEnd < bytes.count, bytes[hostEnd] == UInt8(ascii: ":") {
            guard let end = Self.endOfPort(bytes, from: hostEnd + 1) else { return nil }
            pathStart = end
            hasOwnPort = true
        }
        let port: StaticString = isSecure ? ":443" : ":80"
        let isDefault =
            !hasOwnPort || UnsafeBufferPointer(rebasing: bytes[hostEnd..<pathStart]).elementsEqual(port.bytes)
        let (pathEnd, queryEnd) = Self.ends(bytes, from: pathStart)

        origin = String(unsafeUninitializedCapacity: pathStart + (hasOwnPort ? 0 : port.utf8CodeUnitCount)) { origin in
            for index in 0..<pathStart { origin[index] = bytes[index] }
            if hasOwnPort { return pathStart }
            for index in 0..<port.utf8CodeUnitCount { origin[pathStart + index] = (port.utf8Start + index).pointee }
            return pathStart + port.utf8CodeUnitCount
        }
        self.isSecure = isSecure
        isPlain = true
        lacksBracket = false
        schemeEnd = UInt32(start - 3)
        hostStart = UInt32(start)
        self.hostEnd = UInt32(clamping: hostEnd)
        portStart = UInt32(clamping: isDefault ? pathStart : hostEnd + 1)
        self.pathStart = UInt32(clamping: pathStart)
        self.pathEnd = UInt32(clamping: pathEnd)
        self.queryEnd = UInt32(clamping: queryEnd)
    }

    /// Returns the end of a port below 65536 without leading zeros; `nil` for any other text.
    private static func endOfPort(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var end = start
        var port = 0
        while end < bytes.count, bytes[end] &- UInt8(ascii: "0") < 10, end < start + 5 {
            port = port * 10 + Int(bytes[end] &- UInt8(ascii: "0"))
            end += 1
        }
        guard end > start, bytes[start] != UInt8(ascii: "0"), port < 65536 else { return nil }
        if end == bytes.count { return end }
        let isEnd = bytes[end] == UInt8(ascii: "/") || bytes[end] == UInt8(ascii: "?") || bytes[end] == UInt8(ascii: "#")
        return isEnd ? end : nil
    }

    /// Returns the ends of the path and of the query.
    private static func ends(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> (path: Int, query: Int) {
        var mark: Int?
        var index = start
        while index < bytes.count, bytes[index] != UInt8(ascii: "#") {
            if bytes[index] == UInt8(ascii: "?"), mark == nil { mark = index }
            index += 1
        }
        return (mark ?? index, index)
    }

    /// Finds the parts of any URL.
    init(any bytes: UnsafeBufferPointer<UInt8>, origin: String) {
        self.origin = origin
        isSecure = origin.utf8.starts(with: "https:".utf8)
        isPlain = false
        let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
        var schemeEnd = 0
        var place = 0..<0
        if let colon = bytes[..<end].firstIndex(of: UInt8(ascii: ":")), colon + 2 < end, bytes[colon + 1] == UInt8(ascii: "/"),
            bytes[colon + 2] == UInt8(ascii: "/")
        {
            schemeEnd = colon
            var start = colon + 3
            var authorityEnd = start
            while authorityEnd < end, bytes[authorityEnd] != UInt8(ascii: "/"), bytes[authorityEnd] != UInt8(ascii: "?") {
                if bytes[authorityEnd] == UInt8(ascii: "@") { start = authorityEnd + 1 }
                authorityEnd += 1
            }
            place = start..<authorityEnd
        }
        let parts = Self.hostAndPort(of: bytes, place, isSecure: isSecure)
        lacksBracket = parts.lacksBracket
        self.schemeEnd = UInt32(clamping: schemeEnd)
        hostStart = UInt32(clamping: place.lowerBound)
        hostEnd = UInt32(clamping: parts.hostEnd)
        portStart = UInt32(clamping: parts.portStart)
        pathStart = UInt32(clamping: place.upperBound)
        let ends = Self.ends(bytes, from: place.upperBound)
        pathEnd = UInt32(clamping: ends.path)
        queryEnd = UInt32(clamping: ends.query)
    }

    private static func hostAndPort(
        of bytes: UnsafeBufferPointer<UInt8>, _ place: Range<Int>, isSecure: Bool
    ) -> (hostEnd: Int, portStart: Int, lacksBracket: Bool) {
        var index = place.lowerBound
        var zone: Int?
        var lacksBracket = false
        if !place.isEmpty, bytes[index] == UInt8(ascii: "[") {
            while index < place.upperBound, bytes[index] != UInt8(ascii: "]") {
                if bytes[index] == UInt8(ascii: "%"), zone == nil { zone = index }
                index += 1
            }
            lacksBracket = zone != nil
        }
        while index < place.upperBound, bytes[index] != UInt8(ascii: ":") { index += 1 }
        let hostEnd = zone ?? index
        guard index < place.upperBound else { return (hostEnd, place.upperBound, lacksBracket) }
        var start = index + 1
        while start + 1 < place.upperBound, bytes[start] == UInt8(ascii: "0") { start += 1 }
        let digits = UnsafeBufferPointer(rebasing: bytes[start..<place.upperBound])
        let isDefault = isSecure ? digits.elementsEqual("443".utf8) : digits.elementsEqual("80".utf8)
        return (hostEnd, isDefault ? place.upperBound : start, lacksBracket)
    }
}

extension StaticString {
    fileprivate var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount) }
}
