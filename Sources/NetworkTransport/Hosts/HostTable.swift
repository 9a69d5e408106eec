/// Values for the hosts of a configuration: by name or address, and by patterns such as `*.example.com`.
///
/// A star matches one label, as in certificates (RFC 9525 §6.3). An exact name takes precedence.
struct HostTable<Value: Sendable>: Sendable {
    /// The reason why a name cannot be a key.
    struct InvalidName: Error {
        let message: String
    }

    private var byHost: [String: Value] = [:]
    /// The values for patterns: that for `*.example.com` is stored under `example.com`.
    private var byParent: [String: Value] = [:]

    /// Whether there is no value for any host.
    package var isEmpty: Bool { byHost.isEmpty && byParent.isEmpty }

    /// Adds the value for a name, an address or a pattern.
    ///
    /// - Throws: ``InvalidName`` if it has another form, or if there is a value for the same host already.
    mutating func insert(_ value: Value, for name: String) throws(InvalidName) {
        let isPattern = name.hasPrefix("*.")
        guard let host = HostName.canonical(isPattern ? name.dropFirst(2) : name[...]),
            !isPattern || !HostName.isAddress(host)
        else {
            throw InvalidName(message: "not a host name; international names are written in ASCII, without a port")
        }
        guard (isPattern ? byParent : byHost)[host] == nil else {
            throw InvalidName(message: "there is another entry for the same host")
        }
        if isPattern { byParent[host] = value } else { byHost[host] = value }
    }

    /// Returns the value for a host in its canonical form (``HostName/canonical(_:)``); `nil` if there is none.
    package func value(for host: String) -> Value? {
        if let value = byHost[host] { return value }
        if HostName.isAddress(host) { return nil }
        guard let dot = host.firstIndex(of: ".") else { return nil }
        return byParent[String(host[host.index(after: dot)...])]
    }
}
