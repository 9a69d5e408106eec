import Foundation

extension Redaction {
    /// A URL as text, without userinfo and without the values of secret query and fragment items.
    ///
    /// Names are compared percent-decoded, so `acc%65ss_token` and `user%5Bpassword%5D` are found. A value that holds a
    /// secret inside (another URL in `redirect=`) is replaced whole. Everything else stays as it is written.
    public func redacted(url: URL) -> String {
        redacted(url: url.absoluteString)
    }

    /// The same for a URL in text form; it does not have to be a valid one.
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
        // The path may hold another URL, a JWT or matrix parameters (`;token=…`).
        var path = TextRedactor(Array(rest[..<queryStart]), redaction: self, isPath: true)
        result += path.run()
        result += redactedItems(Array(rest[queryStart...]), isForm: false).output
        // Once more as a whole: one may stand where no part of a URL is.
        return SecretValues.masked(result).text
    }

    /// Where the userinfo starts, and the place of the `@` that ends it.
    private static func endOfUserinfo(in bytes: [UInt8]) -> (start: Int, end: Int)? {
        var start = 0
        if let mark = bytes.firstIndex(where: { $0 == .slash || $0 == .question || $0 == .hash }),
            bytes[mark] == .slash, mark + 1 < bytes.count, bytes[mark + 1] == .slash
        {
            start = mark + 2
        }
        let end = bytes[start...].firstIndex { $0 == .slash || $0 == .question || $0 == .hash } ?? bytes.endIndex
        if let at = bytes[start..<end].lastIndex(of: .at) { return (start, at) }
        // `//user:pa/ss@host`: a password with a raw delimiter. A colon that starts no port says so.
        guard start > 0, let colon = bytes[start..<end].lastIndex(of: .colon),
            !bytes[start..<end].contains(.closeBracket),
            bytes[(colon + 1)..<end].contains(where: { !$0.isDigit }),
            let at = bytes[end...].lastIndex(of: .at)
        else { return nil }
        return (start, at)
    }

    /// Redacts `name=value` items; every byte that is neither name nor value stays.
    ///
    /// Stops soon after `limit` bytes of output; `read` tells how many bytes of input that took.
    func redactedItems(_ bytes: [UInt8], isForm: Bool, limit: Int = .max) -> (output: [UInt8], read: Int) {
        var result: [UInt8] = []
        var start = 0
        while start < bytes.count, result.count <= limit {
            var end = start
            while end < bytes.count, !Self.isDelimiter(bytes[end], isForm: isForm) { end += 1 }
            // What lies far beyond the limit is never shown.
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
        // A secret inside the item (`redirect=https%3A%2F%2F…%3Ftoken%3D…`, an encoded `=`) hides all of its value.
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
