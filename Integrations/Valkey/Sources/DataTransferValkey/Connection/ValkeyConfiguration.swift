/// Where the server is, and the limits of the connections to it.
///
/// ```swift
/// var configuration = ValkeyConfiguration(.tcp(host: "10.0.0.7"))
/// configuration.password = password
/// ```
///
/// Connections are not encrypted: use a private network, a Unix socket, or a proxy that adds TLS.
public struct ValkeyConfiguration: Sendable {
    /// The address of a server.
    public struct Address: Sendable, Hashable {
        enum Form: Sendable, Hashable {
            case tcp(host: String, port: Int)
            case unix(path: String)
        }

        let form: Form

        /// A host and a TCP port.
        ///
        /// - Parameters:
        ///   - host: A name or an IP address. The lookup of a name is not limited by the timeouts.
        ///   - port: The port. Default: 6379.
        public static func tcp(host: String, port: Int = 6379) -> Address { Address(form: .tcp(host: host, port: port)) }

        /// The path of a Unix socket.
        public static func unix(path: String) -> Address { Address(form: .unix(path: path)) }
    }

    /// The address of the server.
    public var address: Address
    /// The user name (`AUTH`); `nil` for the default user.
    public var username: String?
    /// The password (`AUTH`); `nil` for none. It appears in no description.
    public var password: String?
    /// The number of the database (`SELECT`). Default: 0.
    public var database: Int
    /// The beginning of all keys, which separates applications that share a server. Default: `dt`.
    public var keyPrefix: String
    /// The time for connecting and signing in. Default: 50 milliseconds.
    public var connectTimeout: Duration
    /// The time from the call to the reply, including that in the queue and for connecting. Default: 50 milliseconds.
    public var commandTimeout: Duration
    /// The maximum number of connections, each with a thread. They are opened when needed. Default: 4, from 1 to 64.
    public var maximumConnections: Int
    /// The number of commands that may wait for a connection. Others fail at once. Default: 1,000.
    public var maximumQueuedCommands: Int
    /// The maximum size of a value, in bytes. Default: 1 MiB.
    public var maximumValueBytes: Int
    /// The maximum size of a reply, in bytes. Default: 8 MiB.
    public var maximumReplyBytes: Int
    /// The longest pause before the server is tried again after failures; the first one is 50 milliseconds. Default: 2 seconds.
    public var maximumReconnectDelay: Duration
    /// The minimum time between two calls of the closure that reports failures. Default: 10 seconds.
    public var reportInterval: Duration

    /// Creates a configuration. The parameters are described at the properties of the same names.
    public init(
        _ address: Address, username: String? = nil, password: String? = nil, database: Int = 0, keyPrefix: String = "dt",
        connectTimeout: Duration = .milliseconds(50), commandTimeout: Duration = .milliseconds(50), maximumConnections: Int = 4,
        maximumQueuedCommands: Int = 1000, maximumValueBytes: Int = 1 << 20, maximumReplyBytes: Int = 8 << 20,
        maximumReconnectDelay: Duration = .seconds(2), reportInterval: Duration = .seconds(10)
    ) {
        self.address = address
        self.username = username
        self.password = password
        self.database = database
        self.keyPrefix = keyPrefix
        self.connectTimeout = connectTimeout
        self.commandTimeout = commandTimeout
        self.maximumConnections = maximumConnections
        self.maximumQueuedCommands = maximumQueuedCommands
        self.maximumValueBytes = maximumValueBytes
        self.maximumReplyBytes = maximumReplyBytes
        self.maximumReconnectDelay = maximumReconnectDelay
        self.reportInterval = reportInterval
    }
}

extension ValkeyConfiguration: CustomStringConvertible, CustomReflectable {
    /// The address, without user name and password.
    public var description: String {
        switch address.form {
        case .tcp(let host, let port): "ValkeyConfiguration(\(host):\(port))"
        case .unix(let path): "ValkeyConfiguration(\(path))"
        }
    }

    /// A mirror without children, so that `dump` does not print the password.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
