import Endpoints
import Foundation
import NetworkSupport

/// Converts host names to a canonical form in which they can be compared.
///
/// The engines accept several spellings of one host: percent-encoding, numbers for addresses, a final dot. A spelling that was
/// not considered would bypass its policy, so a host without an unambiguous form is rejected.
package enum HostName {
    /// The maximum length of a name in bytes, without the final dot (RFC 1035 §2.3.4).
    static let maximumBytes = 253

    /// Returns the host of a URL's host and port.
    package static func withoutPort(_ text: Substring) -> Substring {
        // Bytes, not characters: a search backwards for the start of each character can pass over the entire text.
        if text.utf8.first == UInt8(ascii: "[") { return text.utf8.firstIndex(of: UInt8(ascii: "]")).map { text[...$0] } ?? text }
        return text.utf8.lastIndex(of: UInt8(ascii: ":")).map { text[..<$0] } ?? text
    }

    /// Returns the host in lower case, decoded, without the final dot, and with addresses in their shortest form; `nil` if it is
    /// ambiguous.
    package static func canonical(_ text: Substring) -> String? {
        // Of a percent-encoded name, each byte has three.
        guard text.utf8.count <= 3 * (maximumBytes + 1) else { return nil }
        if text.utf8.contains(UInt8(ascii: ":")) { return canonicalAddress(text) }
        guard var host = text.contains("%") ? PercentEncoding.decoded(text) : String(text) else { return nil }
        host = host.lowercased()
        if host.hasSuffix(".") { host.removeLast() }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard host.utf8.count <= maximumBytes, labels.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isNameByte) }) else {
            return nil
        }
        guard let last = labels.last, isNumber(last) else { return host }
        // An address, of which only the usual form is unambiguous: 127.1 and 0x7f.0.0.1 are addresses, too.
        let isUsual = labels.count == 4 && labels.allSatisfy(isUsualNumber)
        return isUsual ? host : nil
    }

    /// Whether a canonical host is an address rather than a name.
    static func isAddress(_ host: String) -> Bool {
        host.contains(":") || isNumber(host.split(separator: ".").last ?? "")
    }

    private static func canonicalAddress(_ text: Substring) -> String? {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let digits = isBracketed ? String(text.dropFirst().dropLast()) : String(text)
        var address = in6_addr()
        var buffer = [CChar](repeating: 0, count: 64)
        guard inet_pton(AF_INET6, digits, &address) == 1, inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil
        else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether a label is a number up to 255 without leading zeros.
    private static func isUsualNumber(_ label: Substring) -> Bool {
        guard (1...3).contains(label.utf8.count), label == "0" || label.utf8.first != UInt8(ascii: "0") else { return false }
        var number = 0
        for byte in label.utf8 {
            guard byte.isDigit else { return false }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return number <= 255
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Whether a last label makes the host an address, as in browsers (WHATWG URL, "ends in a number").
    private static func isNumber(_ label: Substring) -> Bool {
        let isDecimal = label.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return !label.isEmpty && (isDecimal || (label.hasPrefix("0x") && label.dropFirst(2).allSatisfy(\.isHexDigit)))
    }
}
