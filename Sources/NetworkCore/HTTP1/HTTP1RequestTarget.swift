import Endpoints

/// The parts of a URL's text that an HTTP/1.1 request is made of (RFC 9112 §3.2), as offsets in its bytes.
struct HTTP1RequestTarget: Equatable, Sendable {
    private(set) var scheme = 0..<0
    /// Without user information, and for an address without its zone, which means nothing to others (RFC 6874 §4).
    private(set) var host = 0..<0
    /// Whether `host` lacks the bracket that stood behind the zone.
    private(set) var lacksBracket = false
    /// Empty where it is the scheme's own. Without leading zeros.
    private(set) var port = 0..<0
    /// From the first slash or question mark on, without the fragment.
    private(set) var pathAndQuery: Range<Int>

    /// - Parameter url: The text of an absolute URL; of other text something is made that is no harm.
    init(_ url: UnsafeRawBufferPointer) {
        var end = 0
        while end < url.count, url[end] != UInt8(ascii: "#") { end &+= 1 }
        pathAndQuery = 0..<end
        guard let colon = url[..<end].firstIndex(of: UInt8(ascii: ":")), colon &+ 2 < end, url[colon &+ 1] == UInt8(ascii: "/"),
            url[colon &+ 2] == UInt8(ascii: "/")
        else { return }
        scheme = 0..<colon
        var start = colon &+ 3
        var authorityEnd = start
        while authorityEnd < end, url[authorityEnd] != UInt8(ascii: "/"), url[authorityEnd] != UInt8(ascii: "?") {
            if url[authorityEnd] == UInt8(ascii: "@") { start = authorityEnd &+ 1 }
            authorityEnd &+= 1
        }
        pathAndQuery = authorityEnd..<end
        takeHostAndPort(of: url, start..<authorityEnd)
    }

    private mutating func takeHostAndPort(of url: UnsafeRawBufferPointer, _ place: Range<Int>) {
        var index = place.lowerBound
        var zone: Int?
        if !place.isEmpty, url[index] == UInt8(ascii: "[") {
            while index < place.upperBound, url[index] != UInt8(ascii: "]") {
                if url[index] == UInt8(ascii: "%"), zone == nil { zone = index }
                index &+= 1
            }
            lacksBracket = zone != nil
        }
        while index < place.upperBound, url[index] != UInt8(ascii: ":") { index &+= 1 }
        host = place.lowerBound..<(zone ?? index)
        guard index < place.upperBound else { return }
        var start = index &+ 1
        while start &+ 1 < place.upperBound, url[start] == UInt8(ascii: "0") { start &+= 1 }
        let digits = UnsafeRawBufferPointer(rebasing: url[start..<place.upperBound])
        let isDefault = scheme.count == 5 ? digits.elementsEqual("443".utf8) : digits.elementsEqual("80".utf8)
        if !isDefault { port = start..<place.upperBound }
    }
}
