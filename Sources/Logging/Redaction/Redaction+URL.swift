import Foundation

extension Redaction {
    /// Returns a URL as text, with its user information and the values of secret query and fragment items redacted.
    ///
    /// Names are percent-decoded before they are compared, so `acc%65ss_token` and `user%5Bpassword%5D` are found. A value that contains a
    /// secret (such as another URL in `redirect=`) is replaced as a whole. All other parts of the URL are kept unchanged.
    public func redacted(url: URL) -> String {
        redacted(url: url.absoluteString)
    }

    /// Returns the text of a URL, valid or not, with the same parts redacted as for a `URL` value.
    public func redacted(url: String) -> String {
        let bytes = Array(url.utf8)
        let afterUserinfo = Self.endOfUserinfo(in: bytes)
        var result: [UInt8] = []
        var rest = bytes[...]
        if let (start, end) = afterUserinfo {
            result += bytes[..<start]
            result += Redaction.placeholder.utf8
            rest = bytes[end...]
        }
        let queryStart = rest.firstIndex { $0 == .question || $0 == .hash } ?? rest.endIndex
        // The path may contain another URL, a JWT or matrix parameters (`;token=…`).
        var path = TextRedactor(Array(rest[..<queryStart]), redaction: self, isPath: true)
        result += path.run()
        result += redactedItems(Array(rest[queryStart...]), isForm: false).output
        // Searched again as a whole, because a secret value may extend across the parts of the URL.
        return SecretValues.masked(result).text
    }

    /// Returns the index at which the user information starts, and the index of the `@` that ends it, or `nil` if there is none.
    private static func endOfUserinfo(in bytes: [UInt8]) -> (start: Int, end: Int)? {
        var start = 0
        if let mark = bytes.firstIndex(where: { $0 == .slash || $0 == .question || $0 == .hash }),
            bytes[mark] == .slash, mark + 1 < bytes.count, bytes[mark + 1] == .slash
        {
            start = mark + 2
        }
        let end = bytes[start...].firstIndex { $0 == .slash || $0 == .question || $0 == .hash } ?? bytes.endIndex
        if let at = bytes[start..<end].lastIndex(of: .at) { return (start, at) }
        // `//user:pa/ss@host`: a password with an unencoded delimiter, recognized by a colon that is not followed by a port.
        guard start > 0, let colon = bytes[start..<end].lastIndex(of: .colon),
            !bytes[start..<end].contains(.closeBracket),
            bytes[(colon + 1)..<end].contains(where: { !$0.isDigit }),
            let at = bytes[end...].lastIndex(of: .at)
        else { return nil }
        return (start, at)
    }

    /// Redacts `name=value` items, and keeps the delimiters between them.
    ///
    /// Stops soon after `limit` bytes of output; `read` is the number of bytes of input that were processed.
    func redactedItems(_ bytes: [UInt8], isForm: Bool, limit: Int = .max) -> (output: [UInt8], read: Int) {
        var result: [UInt8] = []
        var start = 0
        while start < bytes.count, result.count <= limit {
            var end = start
            while end < bytes.count, !Self.isDelimiter(bytes[end], isForm: isForm) { end += 1 }
            // Input far beyond the limit is never shown.
            let window = limit == .max ? end : min(end, start + limit + 4096)
            appendItem(Array(bytes[start..<window]), to: &result)
            if window < end, result.count > limit { return (result, window) }
            if end < bytes.count { result.append(bytes[end]) }
            start = end + 1
        }
        return (result, min(start, bytes.count))
    }

    private static func isDelimiter(_ byte: UInt8, isForm: Bool) -> Bool {
        byte == .ampersand || byte == .semicolon || (!isForm && (byte == .question || byte == .hash))
    }

    private func appendItem(_ item: [UInt8], to result: inout [UInt8]) {
        let end = item.firstIndex(of: .equals)
        let name = Array(item[..<(end ?? item.endIndex)]).percentDecoded(isForm: true)
        if let end, isSecret(field: name.text) {
            result += item[...end]
            result += Redaction.placeholder.utf8
            return
        }
        // If the item contains a secret (`redirect=https%3A%2F%2F…%3Ftoken%3D…`, an encoded `=`), its whole value is replaced.
        let decoded = item.percentDecoded(isForm: true)
        var scanner = TextRedactor(decoded, redaction: self)
        if scanner.run() == decoded {
            result += item
        } else {
            if let end { result += item[...end] }
            result += Redaction.placeholder.utf8
        }
    }
}
