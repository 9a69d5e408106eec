import Endpoints
import Foundation

/// The normalization of URLs, which gives equivalent URLs the same text (RFC 9110 §4.2.3, RFC 3986 §6.2.2).
enum NormalURL {
    static func text(of url: URL) -> String {
        let text = url.absoluteString
        return isNormal(text) ? text : normalized(text)
    }

    /// Returns the host of a URL, without port and without the brackets of an IPv6 address. In lower case if the URL is
    /// normalized.
    static func host(of text: String) -> String {
        let place = URLText(text).hostAndPort
        if place.first == "[" { return String(place.dropFirst().prefix { $0 != "]" }) }
        return String(place.prefix { $0 != ":" })
    }

    /// Returns whether a URL is certain to be in normal form, as a fast path for typical URLs: a lower-case host without user
    /// information, no port or one that is not a default, a path, and no percent-encoding or fragment.
    static func isNormal(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.count > 8, bytes[0] == UInt8(ascii: "h"), bytes[1] == UInt8(ascii: "t"), bytes[2] == UInt8(ascii: "t"),
                bytes[3] == UInt8(ascii: "p")
            else { return false }
            var index = bytes[4] == UInt8(ascii: "s") ? 5 : 4
            guard bytes[index] == UInt8(ascii: ":"), bytes[index + 1] == slash, bytes[index + 2] == slash else { return false }
            index += 3
            let hostStart = index
            while index < bytes.count, isHostByte(bytes[index]) { index += 1 }
            guard index > hostStart, index < bytes.count else { return false }
            if bytes[index] == UInt8(ascii: ":") {
                let portStart = index + 1
                index = portStart
                while index < bytes.count, bytes[index] &- 0x30 < 10 { index += 1 }
                // Ports with fewer than four digits may be defaults (80, 443): they take the slow path.
                guard index - portStart > 3, bytes[portStart] != 0x30, index < bytes.count else { return false }
            }
            guard bytes[index] == slash else { return false }
            while index < bytes.count {
                if bytes[index] == UInt8(ascii: "%") || bytes[index] == UInt8(ascii: "#") { return false }
                index += 1
            }
            return true
        }
    }

    private static let slash = UInt8(ascii: "/")

    private static func isHostByte(_ byte: UInt8) -> Bool {
        byte &- 0x61 < 26 || byte &- 0x30 < 10 || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
    }

    private static func normalized(_ text: String) -> String {
        let url = URLText(text)
        var place = url.hostAndPort.lowercased()
        let standard = url.scheme == "https" ? ":443" : ":80"
        if place.hasSuffix(standard) { place.removeLast(standard.utf8.count) }
        if place.hasSuffix(":") { place.removeLast() }
        let path = url.path.isEmpty ? "/" : encodedAlike(url.path)
        return "\(url.scheme)://\(place)\(path)\(url.query.map { "?" + encodedAlike($0) } ?? "")"
    }

    /// Decodes percent-encoded unreserved characters, and converts the digits of other encodings to upper case.
    private static func encodedAlike(_ text: Substring) -> String {
        let bytes = Array(text.utf8)
        guard bytes.contains(UInt8(ascii: "%")) else { return String(text) }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = value(bytes[index + 1]),
                let low = value(bytes[index + 2])
            else {
                result.append(bytes[index])
                index += 1
                continue
            }
            let byte = high << 4 | low
            if isUnreserved(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), upper(bytes[index + 1]), upper(bytes[index + 2])]
            }
            index += 3
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }

    private static func upper(_ digit: UInt8) -> UInt8 { digit >= 0x61 ? digit - 0x20 : digit }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        isHostByte(byte) || byte &- 0x41 < 26 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "~")
    }
}
