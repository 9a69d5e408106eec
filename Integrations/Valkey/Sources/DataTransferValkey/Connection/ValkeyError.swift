import Foundation

/// An error of the server, or of the connection to it. Descriptions contain no key, no value and no password.
public struct ValkeyError: Error, Sendable, Hashable {
    /// The kind of an error. Further codes may be defined.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the code, which descriptions contain.
        public var rawValue: String

        /// Creates a code with a name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The server cannot be reached, has closed the connection, or was unreachable a moment ago, so that it is not tried yet.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The server did not respond within the timeout.
        public static let timeout = Code(rawValue: "timeout")
        /// The user name or password is wrong, is missing, or does not permit the command.
        public static let authentication = Code(rawValue: "authentication")
        /// What the server sent is not a valid reply, not one to the command, or larger than the limit.
        public static let protocolViolation = Code(rawValue: "protocolViolation")
        /// The server has reached `maxmemory` and can evict nothing.
        public static let outOfMemory = Code(rawValue: "outOfMemory")
        /// The server replied with another error, whose name the message contains.
        public static let serverError = Code(rawValue: "serverError")
        /// The server is older than version 6.0.
        public static let unsupportedVersion = Code(rawValue: "unsupportedVersion")
        /// The value is larger than the limit that the message names, or too many commands wait.
        public static let limitExceeded = Code(rawValue: "limitExceeded")
    }

    /// The kind of the error.
    public let code: Code
    /// A readable reason.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension ValkeyError: CustomStringConvertible, LocalizedError {
    /// The code and the message, on one line.
    public var description: String { "valkey: \(code.rawValue): \(message)" }
    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension ValkeyError {
    /// Creates the error for an error reply, such as `OOM command not allowed`. Only its first word is kept, because others may repeat
    /// arguments.
    init(reply: String) {
        let name = String(reply.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(32))
        switch name {
        case "OOM": self.init(.outOfMemory, "the server has reached its maxmemory")
        case "WRONGPASS", "NOAUTH", "NOPERM": self.init(.authentication, "the server replied \(name)")
        case "NOPROTO": self.init(.unsupportedVersion, "the server does not support RESP2 by HELLO")
        default: self.init(.serverError, "the server replied \(name.isEmpty ? "an error without a name" : name)")
        }
    }
}
