import Foundation

/// Why a WebSocket is closed (RFC 6455 §7.4).
public struct WebSocketCloseCode: RawRepresentable, Sendable, Hashable {
    /// The number. Those from 3000 to 4999 belong to libraries and applications.
    public var rawValue: UInt16

    /// Creates a code with any number.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// 1000: the purpose of the connection is fulfilled.
    public static let normal = Self(rawValue: 1000)
    /// 1001: the server shuts down, or the client is leaving.
    public static let goingAway = Self(rawValue: 1001)
    /// 1002: the peer has violated the protocol.
    public static let protocolError = Self(rawValue: 1002)
    /// 1003: the kind of data cannot be accepted.
    public static let unsupportedData = Self(rawValue: 1003)
    /// 1005: the peer has closed the connection without a code. It is never sent.
    public static let noStatus = Self(rawValue: 1005)
    /// 1006: the connection has ended without a close frame. It is never sent.
    public static let abnormal = Self(rawValue: 1006)
    /// 1007: a message has content that is not of its type, such as a text that is not UTF-8.
    public static let invalidPayload = Self(rawValue: 1007)
    /// 1008: a message violates a policy.
    public static let policyViolation = Self(rawValue: 1008)
    /// 1009: a message is too large.
    public static let messageTooBig = Self(rawValue: 1009)
    /// 1010: the server has not agreed to an extension that the client needs.
    public static let missingExtension = Self(rawValue: 1010)
    /// 1011: the server cannot fulfil the request.
    public static let internalError = Self(rawValue: 1011)

    /// Whether the code may be in a close frame (RFC 6455 §7.4.1, §7.4.2, and the registry of IANA: 1012 to 1014).
    var mayBeSent: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// Whether the code says that nothing went wrong: 1000, 1001, or none.
    package var isOrderly: Bool { self == .normal || self == .goingAway || self == .noStatus }
}
