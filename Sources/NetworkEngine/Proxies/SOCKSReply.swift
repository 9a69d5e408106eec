/// The meanings of the reply codes of SOCKS proxies.
enum SOCKSReply {
    /// Returns the refusal that a reply code of SOCKS 5 means; `nil` if the proxy has connected (RFC 1928 §6).
    static func refusalOfVersion5(_ code: UInt8) -> ProxyRefusal? {
        switch code {
        case 0: nil
        case 1: refusal(code, "general failure", isTemporary: true)
        case 2: refusal(code, "connection not allowed by ruleset")
        case 3: refusal(code, "network unreachable", isTemporary: true)
        case 4: refusal(code, "host unreachable", isTemporary: true)
        case 5: refusal(code, "connection refused", isTemporary: true)
        case 6: refusal(code, "TTL expired", isTemporary: true)
        case 7: refusal(code, "command not supported")
        case 8: refusal(code, "address type not supported")
        default: refusal(code, "unknown reply code")
        }
    }

    /// Returns the refusal that a reply code of SOCKS 4 means; `nil` if the proxy has connected.
    ///
    /// The codes 92 and 93 concern the identification protocol (RFC 1413): the proxy asks the client's machine for its user.
    static func refusalOfVersion4(_ code: UInt8) -> ProxyRefusal? {
        switch code {
        case 90: nil
        case 91: refusal(code, "request rejected or failed", isTemporary: true)
        case 92: refusal(code, "the proxy cannot connect to identd on the client")
        case 93: refusal(code, "identd on the client reports another user")
        default: refusal(code, "unknown reply code")
        }
    }

    private static func refusal(_ code: UInt8, _ meaning: String, isTemporary: Bool = false) -> ProxyRefusal {
        ProxyRefusal("the SOCKS proxy has responded with \(code) (\(meaning))", isTemporary: isTemporary)
    }
}
