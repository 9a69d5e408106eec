import NetworkLogging

/// The server to which a SOCKS proxy connects.
enum ProxyTarget: Equatable, Sendable {
    /// A host name, which the proxy looks up.
    case name(String)
    /// An IP address in network order: 4 bytes for IPv4, 16 for IPv6.
    case address([UInt8])
}

/// Writes the messages of a client to a SOCKS proxy: SOCKS 4, SOCKS 4A and SOCKS 5 (RFC 1928, RFC 1929).
///
/// The specifications of the older versions are "SOCKS: A protocol for TCP proxy across firewalls" and "SOCKS 4A: A Simple Extension to SOCKS
/// 4 Protocol", both by Ying-Da Lee.
struct SOCKSRequest: Sendable {
    let version: SOCKSHandshake.Version
    let target: ProxyTarget
    let port: UInt16
    @Secret private var username: String?
    @Secret private var password: String?

    /// The maximum length of a host name, a user name and a password in bytes: SOCKS 5 has one byte for it (RFC 1928 §5, RFC 1929 §2).
    static let maximumBytes = 255
    /// The command CONNECT (RFC 1928 §4).
    private static let connect: UInt8 = 1

    init(_ version: SOCKSHandshake.Version, target: ProxyTarget, port: UInt16, username: String?, password: String?) {
        self.version = version
        self.target = target
        self.port = port
        self.username = username
        self.password = password
    }

    var hasCredentials: Bool { username != nil }

    // MARK: Checks

    /// Checks that all values can be sent.
    ///
    /// - Throws: ``ProxyRefusal``, which names the field and its limit, but contains no credentials.
    func check() throws(ProxyRefusal) {
        switch target {
        case .name(let name): try check(name: name)
        case .address(let bytes): try check(address: bytes)
        }
        guard let username else { return }
        if version == .v5 {
            try Self.check("user name", username, 1...Self.maximumBytes)
            // RFC 1929 §2 requires a password; other clients send an empty one for users that have none.
            try Self.check("password", password ?? "", 0...Self.maximumBytes)
        } else {
            try Self.check("user name", username, 0...Self.maximumBytes)
            // A NUL ends the field.
            guard !username.utf8.contains(0) else { throw ProxyRefusal("the user name for the SOCKS proxy contains a NUL") }
        }
    }

    private func check(name: String) throws(ProxyRefusal) {
        guard version != .v4 else { throw ProxyRefusal("SOCKS 4 supports IPv4 addresses only, not names (SOCKS 4A does)") }
        try Self.check("host name", name, 1...Self.maximumBytes)
        guard name.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw ProxyRefusal("the host name for the SOCKS proxy contains a space or a control character")
        }
    }

    private func check(address: [UInt8]) throws(ProxyRefusal) {
        guard address.count == 4 || address.count == 16 else {
            throw ProxyRefusal("an IP address has 4 or 16 bytes, not \(address.count)")
        }
        guard version != .v5 else { return }
        guard address.count == 4 else { throw ProxyRefusal("SOCKS 4 does not support IPv6 addresses") }
        // A proxy with SOCKS 4A would wait for a name.
        guard address[..<3] != [0, 0, 0] || address[3] == 0 else {
            throw ProxyRefusal("SOCKS 4 does not support the address 0.0.0.\(address[3]), which means a name in SOCKS 4A")
        }
    }

    private static func check(_ field: String, _ value: String, _ limits: ClosedRange<Int>) throws(ProxyRefusal) {
        let count = value.utf8.count
        guard limits.contains(count) else {
            throw ProxyRefusal(
                "the \(field) for the SOCKS proxy has \(count) bytes, instead of \(limits.lowerBound) to \(limits.upperBound)")
        }
    }

    // MARK: Messages

    /// The offered authentication methods: no authentication, and user name and password if there are any (RFC 1928 §3).
    var methods: [UInt8] {
        hasCredentials
            ? [5, 2, SOCKSMethod.withoutAuthentication, SOCKSMethod.password] : [5, 1, SOCKSMethod.withoutAuthentication]
    }

    /// User name and password (RFC 1929 §2). Not to be called without credentials.
    var credentials: [UInt8] {
        let (username, password) = (Array((username ?? "").utf8), Array((password ?? "").utf8))
        return [1, UInt8(username.count)] + username + [UInt8(password.count)] + password
    }

    /// The request to connect to the server: RFC 1928 §4 for SOCKS 5.
    var connection: [UInt8] {
        version == .v5 ? connectionOfVersion5 : connectionOfVersion4
    }

    private var connectionOfVersion5: [UInt8] {
        let head: [UInt8] = [5, Self.connect, 0]
        switch target {
        case .name(let name):
            return head + [SOCKSAddressType.name.rawValue, UInt8(name.utf8.count)] + Array(name.utf8) + portBytes
        case .address(let bytes):
            let type = bytes.count == 4 ? SOCKSAddressType.ipv4 : .ipv6
            return head + [type.rawValue] + bytes + portBytes
        }
    }

    private var connectionOfVersion4: [UInt8] {
        let user = Array((username ?? "").utf8) + [0]
        switch target {
        // SOCKS 4A: an address that does not exist means that a name follows.
        case .name(let name): return [4, Self.connect] + portBytes + [0, 0, 0, 1] + user + Array(name.utf8) + [0]
        case .address(let bytes): return [4, Self.connect] + portBytes + bytes + user
        }
    }

    private var portBytes: [UInt8] { [UInt8(port >> 8), UInt8(port & 0xFF)] }
}

/// Authentication methods of SOCKS 5 (RFC 1928 §3).
enum SOCKSMethod {
    static let withoutAuthentication: UInt8 = 0
    static let password: UInt8 = 2
    /// The proxy accepts none of the methods that were offered.
    static let noneAcceptable: UInt8 = 0xFF
}

/// The form of an address in SOCKS 5 (RFC 1928 §5).
enum SOCKSAddressType: UInt8 {
    case ipv4 = 1
    case name = 3
    case ipv6 = 4
}
