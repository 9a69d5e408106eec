import DataTransfer
import NetworkLogging

/// What a background session may do, and its limits.
public struct BackgroundOptions: Sendable, Hashable {
    /// Whether requests may contain credentials: header fields that could be a secret, such as `Authorization`. Default: `false`, which refuses
    /// such requests.
    ///
    /// The system follows each redirect of a task in the background, also to another origin, without asking the app. Set it to `true` for servers
    /// that do not redirect to others. Presigned URLs need no credentials.
    public var sendsCredentials: Bool
    /// Whether the system may wait for a good moment, such as a connection over Wi-Fi and power. Default: `false`.
    public var isDiscretionary: Bool
    /// Whether transfers may use the cellular network. Default: `true`.
    public var allowsCellularAccess: Bool
    /// Whether transfers may use networks that the user pays for, such as a personal hotspot. Default: `true`.
    public var allowsExpensiveNetworkAccess: Bool
    /// Whether transfers may use networks in Low Data Mode. Default: `true`.
    public var allowsConstrainedNetworkAccess: Bool
    /// Whether the system starts the app when its transfers have ended. Default: `true`.
    public var startsApp: Bool
    /// The identifier of the container that an app extension shares with its app. Default: `nil`. Extensions need one.
    public var sharedContainerIdentifier: String?
    /// The maximum time for a transfer, with all its attempts. Default: seven days. Values from 1 second to 10^6 seconds.
    public var totalTimeout: Duration
    /// The maximum number of transfers to one host at a time. Default: 4.
    public var maximumConnectionsPerHost: Int
    /// The maximum size of a response to an upload in bytes. Default: 1 MiB. Downloaded files have no limit.
    public var maximumBodyBytes: Int

    /// Creates options with the given values.
    public init(
        sendsCredentials: Bool = false, isDiscretionary: Bool = false, allowsCellularAccess: Bool = true,
        allowsExpensiveNetworkAccess: Bool = true, allowsConstrainedNetworkAccess: Bool = true, startsApp: Bool = true,
        sharedContainerIdentifier: String? = nil, totalTimeout: Duration = .seconds(7 * 86_400),
        maximumConnectionsPerHost: Int = 4, maximumBodyBytes: Int = 1 << 20
    ) {
        self.sendsCredentials = sendsCredentials
        self.isDiscretionary = isDiscretionary
        self.allowsCellularAccess = allowsCellularAccess
        self.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
        self.allowsConstrainedNetworkAccess = allowsConstrainedNetworkAccess
        self.startsApp = startsApp
        self.sharedContainerIdentifier = sharedContainerIdentifier
        self.totalTimeout = totalTimeout
        self.maximumConnectionsPerHost = maximumConnectionsPerHost
        self.maximumBodyBytes = maximumBodyBytes
    }
}

extension BackgroundOptions: RedactedStringConvertible {
    /// The options, without ``sharedContainerIdentifier``.
    public var description: String {
        described([
            "sendsCredentials": sendsCredentials, "isDiscretionary": isDiscretionary,
            "allowsCellularAccess": allowsCellularAccess,
            "allowsExpensiveNetworkAccess": allowsExpensiveNetworkAccess,
            "allowsConstrainedNetworkAccess": allowsConstrainedNetworkAccess, "startsApp": startsApp,
            "totalTimeout": totalTimeout,
            "maximumConnectionsPerHost": maximumConnectionsPerHost, "maximumBodyBytes": maximumBodyBytes,
        ])
    }
}
