import Foundation
import NetworkSupport

/// A URI reference, such as the value of a `Location` field, split as in RFC 3986 appendix B. Nothing is decoded.
package struct URIReference {
    private var scheme: Substring?
    private var authority: Substring?
    private var path: Substring
    private var query: Substring?
    private(set) var fragment: Substring?

    package init(_ text: String) {
        var rest = text[...]
        if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "#")) {
            fragment = Substring(rest.utf8[mark...].dropFirst())
            rest = rest[..<mark]
        }
        if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
            query = Substring(rest.utf8[mark...].dropFirst())
            rest = rest[..<mark]
        }
        if let colon = rest.utf8.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }),
            rest.utf8[colon] == UInt8(ascii: ":"), Self.isScheme(rest[..<colon])
        {
            scheme = rest[..<colon]
            rest = Substring(rest.utf8[colon...].dropFirst())
        }
        if rest.utf8.starts(with: "//".utf8) {
            rest = Substring(rest.utf8.dropFirst(2))
            let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = rest[..<end]
            rest = rest[end...]
        }
        path = rest
    }

    /// Whether the reference has a fragment, even an empty one.
    package var hasFragment: Bool { fragment != nil }

    /// Returns this reference with the fragment of another one, or without a fragment if that has none.
    package func with(fragmentOf other: URIReference) -> URIReference {
        var result = self
        result.fragment = other.fragment
        return result
    }

    /// Returns this reference with the scheme `http` for `ws`, and `https` for `wss` (RFC 6455 §3).
    package func withHTTPScheme() -> URIReference {
        var result = self
        switch scheme?.lowercased() {
        case "ws": result.scheme = "http"
        case "wss": result.scheme = "https"
        default: break
        }
        return result
    }

    /// Returns this reference without the user name and password before the host.
    package func withoutUserInformation() -> URIReference {
        var result = self
        if let authority, let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) {
            result.authority = Substring(authority.utf8[at...].dropFirst())
        }
        return result
    }

    /// Returns the target of this reference relative to a base (RFC 3986 §5.2.2).
    ///
    /// - Parameter base: The URL of the document. It has a scheme, and an authority if the scheme is http.
    package func resolved(against base: URIReference) -> URIReference {
        var target = self
        if scheme == nil {
            target.scheme = base.scheme
            if authority == nil {
                target.authority = base.authority
                if path.isEmpty {
                    target.path = base.path
                    if query == nil { target.query = base.query }
                    return target
                }
                if path.utf8.first != UInt8(ascii: "/") { target.path = Self.merged(path, with: base) }
            }
        }
        target.path = Self.removingDotSegments(target.path)
        return target
    }

    /// The text of the reference. Bytes that are not allowed (RFC 3986 §2), such as a space, are percent-encoded. The authority
    /// is unchanged, because `URL` encodes it.
    package var text: String {
        var text: [UInt8] = []
        if let scheme {
            text.append(contentsOf: scheme.utf8)
            text.append(UInt8(ascii: ":"))
        }
        if let authority {
            text.append(contentsOf: "//".utf8)
            text.append(contentsOf: authority.utf8)
        }
        Self.append(path, keeping: .path, to: &text)
        if let query {
            text.append(UInt8(ascii: "?"))
            Self.append(query, keeping: .query, to: &text)
        }
        if let fragment {
            text.append(UInt8(ascii: "#"))
            Self.append(fragment, keeping: .query, to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The reference as a `URL`; `nil` if its text is not valid.
    package var url: URL? { URL(string: text) }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, (first | 0x20) &- UInt8(ascii: "a") < 26 else { return false }
        return text.utf8.allSatisfy { byte in
            (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || "+-.".utf8.contains(byte)
        }
    }

    /// Returns a relative path merged with the path of the base (RFC 3986 §5.2.3).
    private static func merged(_ path: Substring, with base: URIReference) -> Substring {
        if base.authority != nil, base.path.isEmpty { return "/" + path }
        guard let slash = base.path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return Substring(base.path.utf8[...slash]) + path
    }

    /// Returns a path without `.` and `..` segments (RFC 3986 §5.2.4).
    private static func removingDotSegments(_ path: Substring) -> Substring {
        let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        func isDot(_ segment: Substring.UTF8View) -> Bool { segment.elementsEqual(".".utf8) }
        func isDoubleDot(_ segment: Substring.UTF8View) -> Bool { segment.elementsEqual("..".utf8) }
        guard segments.contains(where: { isDot($0) || isDoubleDot($0) }) else { return path }
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        var kept: [Substring.UTF8View] = []
        for segment in segments.dropFirst(isAbsolute ? 1 : 0) {
            if isDoubleDot(segment) {
                _ = kept.popLast()
            } else if !isDot(segment) {
                kept.append(segment)
            }
        }
        // If the last segment is a dot segment, the path ends with a slash.
        if let last = segments.last, isDot(last) || isDoubleDot(last) { kept.append(""[...].utf8) }
        return Substring((isAbsolute ? "/" : "") + kept.map { String(Substring($0)) }.joined(separator: "/"))
    }

    /// Appends a part of the reference. Encodes all bytes that are not in `kept`, and percent signs without two hexadecimal
    /// digits.
    private static func append(_ part: Substring, keeping kept: ByteSet, to output: inout [UInt8]) {
        part.withBytes { bytes in
            for index in bytes.indices {
                let isStray =
                    bytes[index] == UInt8(ascii: "%")
                    && !(index + 2 < bytes.count && bytes[index + 1].hexValue != nil
                        && bytes[index + 2].hexValue != nil)
                PercentEncoding.append(
                    UnsafeBufferPointer(rebasing: bytes[index...index]), keeping: isStray ? .unreserved : kept, to: &output)
            }
        }
    }
}
