/// The handshake with a SOCKS proxy, of the versions 4, 4A and 5 (RFC 1928).
///
/// A reply is read byte by byte, so that each error occurs at the same byte however the bytes are split. At most the 262 bytes of the longest
/// reply are kept.
struct SOCKSHandshake: ProxyHandshake, Sendable {
    /// A version of the protocol.
    enum Version: Sendable {
        /// SOCKS 4, for IPv4 addresses.
        case v4
        /// SOCKS 4A, for IPv4 addresses and host names.
        case v4a
        /// SOCKS 5, for addresses and host names, with user name and password (RFC 1929).
        case v5
    }

    private enum State {
        /// Waiting for the method that the proxy chooses (RFC 1928 §3).
        case method
        /// Waiting for the reply to user name and password (RFC 1929 §2).
        case credentials
        /// Waiting for the reply to the request to connect.
        case connection
        case connected
        case failed(ProxyRefusal)
    }

    private let request: SOCKSRequest
    private var state: State
    /// The incomplete message of the proxy.
    private var message: [UInt8] = []

    /// Creates a handshake.
    ///
    /// - Parameters:
    ///   - kind: The version of the protocol. SOCKS 4 is for IPv4 addresses only.
    ///   - target: The server. A name has at most 255 bytes.
    ///   - username: The user name, at most 255 bytes; `nil` if there are no credentials. SOCKS 5 does not permit an empty one.
    ///   - password: The password, at most 255 bytes; `nil` is the same as an empty one. SOCKS 4 has no password, and does not send it.
    init(kind: Version, target: ProxyTarget, port: UInt16, username: String?, password: String?) {
        request = SOCKSRequest(kind, target: target, port: port, username: username, password: password)
        state = kind == .v5 ? .method : .connection
    }

    mutating func begin() throws(ProxyRefusal) -> [UInt8] {
        do throws(ProxyRefusal) {
            try request.check()
        } catch {
            state = .failed(error)
            throw error
        }
        return request.version == .v5 ? request.methods : request.connection
    }

    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(ProxyRefusal) -> ProxyStep {
        do throws(ProxyRefusal) {
            return try step(bytes)
        } catch {
            state = .failed(error)
            throw error
        }
    }

    private mutating func step(_ bytes: UnsafeRawBufferPointer) throws(ProxyRefusal) -> ProxyStep {
        switch state {
        case .failed(let refusal): throw refusal
        case .connected:
            guard bytes.isEmpty else { throw .surplus(bytes.count) }
            return .connected
        case .method, .credentials, .connection: break
        }
        for index in bytes.indices {
            message.append(bytes[index])
            guard let step = try receiveByte() else { continue }
            message = []
            guard index == bytes.count - 1 else { throw .surplus(bytes.count - 1 - index) }
            return step
        }
        return .receive
    }

    mutating func receiveEnd() -> ProxyRefusal {
        if case .failed(let refusal) = state { return refusal }
        let refusal =
            switch state {
            case .method, .failed: end("the offered authentication methods")
            // RFC 1929 §2: a proxy that does not accept the credentials closes the connection; some send no reply before.
            case .credentials: end("user name and password", isTemporary: false)
            case .connection: end("the request to connect")
            case .connected: ProxyRefusal("the SOCKS proxy has closed the connection after its reply", isTemporary: true)
            }
        state = .failed(refusal)
        return refusal
    }

    private func end(_ subject: String, isTemporary: Bool = true) -> ProxyRefusal {
        let place = message.isEmpty ? "without a reply" : "before the end of its reply"
        return ProxyRefusal("the SOCKS proxy has closed the connection \(place) to \(subject)", isTemporary: isTemporary)
    }
}

// MARK: Messages of the proxy

extension SOCKSHandshake {
    /// Handles the last byte of ``message``.
    ///
    /// - Returns: What follows a complete message; `nil` if it is incomplete.
    private mutating func receiveByte() throws(ProxyRefusal) -> ProxyStep? {
        switch state {
        case .method: return try receiveMethod()
        case .credentials: return try receiveAcceptance()
        case .connection:
            guard try request.version == .v5 ? isReplyComplete() : isReplyOfVersion4Complete() else { return nil }
            state = .connected
            return .connected
        case .connected, .failed: return nil
        }
    }

    /// RFC 1928 §3: `VER METHOD`.
    private mutating func receiveMethod() throws(ProxyRefusal) -> ProxyStep? {
        try checkVersion(5)
        guard message.count == 2 else { return nil }
        switch message[1] {
        case SOCKSMethod.withoutAuthentication:
            state = .connection
            return .send(request.connection)
        case SOCKSMethod.password where request.hasCredentials:
            state = .credentials
            return .send(request.credentials)
        case SOCKSMethod.noneAcceptable:
            throw ProxyRefusal(
                request.hasCredentials
                    ? "the SOCKS proxy accepts no user name and password, and no client without them"
                    : "the SOCKS proxy accepts no client without credentials")
        default:
            throw ProxyRefusal("the SOCKS proxy requires authentication method \(message[1]), which was not offered")
        }
    }

    /// RFC 1929 §2: `VER STATUS`. All other statuses than 0 are failures.
    private mutating func receiveAcceptance() throws(ProxyRefusal) -> ProxyStep? {
        try checkVersion(1, "for user name and password")
        guard message.count == 2 else { return nil }
        guard message[1] == 0 else {
            throw ProxyRefusal("the SOCKS proxy does not accept user name and password (status \(message[1]))")
        }
        state = .connection
        return .send(request.connection)
    }

    /// RFC 1928 §6: `VER REP RSV ATYP BND.ADDR BND.PORT`. Other clients accept any reserved byte, too.
    private func isReplyComplete() throws(ProxyRefusal) -> Bool {
        try checkVersion(5)
        // A proxy may close the connection after the code of a failure.
        if message.count == 2, let refusal = SOCKSReply.refusalOfVersion5(message[1]) { throw refusal }
        guard message.count > 3 else { return false }
        guard let type = SOCKSAddressType(rawValue: message[3]) else {
            throw ProxyRefusal("the SOCKS proxy has responded with address type \(message[3]) instead of 1, 3 or 4")
        }
        switch type {
        case .ipv4: return message.count == 4 + 4 + 2
        case .ipv6: return message.count == 4 + 16 + 2
        case .name:
            guard message.count > 4 else { return false }
            guard message[4] > 0 else { throw ProxyRefusal("the SOCKS proxy has responded with an address whose name is empty") }
            return message.count == 5 + Int(message[4]) + 2
        }
    }

    /// `VN CD DSTPORT DSTIP`, of which the version is that of the reply.
    private func isReplyOfVersion4Complete() throws(ProxyRefusal) -> Bool {
        try checkVersion(0)
        if message.count == 2, let refusal = SOCKSReply.refusalOfVersion4(message[1]) { throw refusal }
        return message.count == 8
    }

    private func checkVersion(_ version: UInt8, _ subject: String = "of the protocol") throws(ProxyRefusal) {
        guard message[0] == version else {
            throw ProxyRefusal("the SOCKS proxy has responded with version \(message[0]) \(subject) instead of \(version)")
        }
    }
}
