import Endpoints
import Foundation

/// Host names in the one form in which they can be compared.
///
/// Engines accept more spellings of a host than there are hosts: percent-encoding, numbers for addresses, a final dot. A
/// spelling that is overlooked would slip past its policy, so what has no clear form is none.
enum HostName {
    /// Host and port as they stand in a URL, without the port.
    static func withoutPort(_ text: Substring) -> Substring {
        if text.hasPrefix("[") { return text.firstIndex(of: "]").map { text[...$0] } ?? text }
        return text.lastIndex(of: ":").map { text[..<$0] } ?? text
    }

    /// Lower-cased, decoded, without the final dot, addresses in their shortest form; `nil` where that is not clear.
    static func canonical(_ text: Substring) -> String? {
        if text.utf8.contains(UInt8(ascii: ":")) { return canonicalAddress(text) }
        guard var host = text.contains("%") ? PercentEncoding.decoded(text) : String(text) else { return nil }
        host = host.lowercased()
        if host.hasSuffix(".") { host.removeLast() }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard host.utf8.count <= 253, labels.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isNameByte) }) else { return nil }
        guard let last = labels.last, isNumber(last) else { return host }
        // An address. Only its usual form is clear: 127.1 and 0x7f.0.0.1 are addresses, too.
        let isClear = labels.count == 4 && labels.allSatisfy { label in UInt8(label).map { String($0) == label } ?? false }
        return isClear ? host : nil
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

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// A last label that makes the whole an address, as browsers have it (WHATWG URL, "ends in a number").
    private static func isNumber(_ label: Substring) -> Bool {
        let isDecimal = label.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return !label.isEmpty && (isDecimal || (label.hasPrefix("0x") && label.dropFirst(2).allSatisfy(\.isHexDigit)))
    }
}
