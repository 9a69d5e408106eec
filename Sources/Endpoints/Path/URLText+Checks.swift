extension URLText {
    /// - Throws: ``RequestGenerationError`` for `field` without an http(s) scheme, a host, or a port below 65536.
    package func requireHTTP(_ field: RequestGenerationError.Field) throws(RequestGenerationError) {
        guard scheme == "https" || scheme == "http" else {
            if scheme.isEmpty {
                let shown = Self.shown(text).printable
                throw RequestGenerationError(field, "\"\(shown)\" has no scheme; begin it with https:// or http://")
            }
            // What stands before a colon may be a user name where the scheme was forgotten.
            let shown = authority.isEmpty ? "" : " \"\(scheme.printable)\""
            throw RequestGenerationError(field, "the scheme\(shown) is not http or https")
        }
        if let flaw = hostFlaw { throw RequestGenerationError(field, "\"\(Self.shown(text).printable)\" \(flaw)") }
    }

    /// What is wrong with host and port. The host's characters are left to `URL`.
    private var hostFlaw: String? {
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
            for index in 0..<hostEnd where bytes[index] == UInt8(ascii: "%") && index + 2 < hostEnd {
                let isControl = bytes[index + 1] == UInt8(ascii: "0") || bytes[index + 1] == UInt8(ascii: "1")
                if isControl { return "has a control character in its host" }
            }
            if hostEnd == bytes.count { return nil }
            guard bytes[hostEnd] == UInt8(ascii: ":"), Self.isPort(bytes[(hostEnd + 1)...]) else { return "has no valid port" }
            return nil
        }
    }

    /// An empty port is allowed and stands for the scheme's own (RFC 3986 §3.2.3).
    private static func isPort(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var port = 0
        for byte in digits {
            guard byte &- UInt8(ascii: "0") < 10 else { return false }
            port = port * 10 + Int(byte - UInt8(ascii: "0"))
            guard port < 65536 else { return false }
        }
        return true
    }

    /// Text that may not be a URL, for messages: what could be user information, query or fragment is left out.
    ///
    /// Whatever stands before an `@` is left out, and where there is one after the path, all but the scheme: a password with
    /// a slash, question mark or number sign in it ends the authority too early.
    static func shown(_ text: String) -> String {
        let head = text.prefix(beforeAny: "?#")
        let tail = text.utf8[head.endIndex...]
        let scheme = ["https://", "http://"].first { text.lowercased().hasPrefix($0) } ?? ""
        if tail.contains(UInt8(ascii: "@")) { return scheme + "…" }
        let end = tail.isEmpty ? "" : tail.first == UInt8(ascii: "?") ? "?…" : "#…"
        guard let at = head.utf8.lastIndex(of: UInt8(ascii: "@")) else { return head + end }
        return scheme + "…" + head[head.utf8.index(after: at)...] + end
    }

    /// The path of an endpoint, for messages.
    static func shown(path: String, isFullPath: Bool) -> String {
        if isFullPath || path.contains("://") { return shown(path) }
        let head = path.prefix(beforeAny: "?#")
        return head.endIndex == path.endIndex ? path : head + "?…"
    }
}

extension String {
    /// The text up to the first of some ASCII characters.
    func prefix(beforeAny delimiters: String) -> Substring {
        self[..<(utf8.firstIndex { delimiters.utf8.contains($0) } ?? endIndex)]
    }
}
